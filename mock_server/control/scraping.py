"""The metrics of the server and its workspaces, in the formats of Prometheus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Metric, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, InfoMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from mock_server import __version__, metrics
from mock_server.domain.events import INBOX
from mock_server.domain.statuses import PaymentStatus
from mock_server.engine.kinds import PAYMENTS
from mock_server.http.asked import wish
from mock_server.metrics import BOUNDS_S
from mock_server.sandbox.sandbox import bounds_of
from mock_server.store.protocol import CLAIMS, JOURNAL

if TYPE_CHECKING:
    from mock_server.lasting.store import LastingStore
    from mock_server.sandbox import Sandbox

_ENDS = (*map(str, BOUNDS_S), "+Inf")


def scrape(sandbox: Sandbox, accept: str) -> tuple[str, bytes]:
    """The metrics, with those of the process if the system has them, in the scraper's format, with its content type."""
    registry = CollectorRegistry()
    registry.register(Figures(sandbox))
    ProcessCollector(registry=registry)
    modern, plain = (wish(accept, kind)[0] for kind in ("application/openmetrics-text", "text/plain"))
    encode, kind = choose_encoder("" if modern < plain else accept)
    return kind, encode(registry)


class Figures(Collector):
    """All metrics of `mock_server.metrics`."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def describe(self) -> Iterable[Metric]:
        """Nothing, so that registering does not collect them."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """Every family, in the order of the table."""
        build = {"version": __version__, "dialect": self._sandbox.dialect.name}
        about = InfoMetricFamily(metrics.BUILD.name, metrics.BUILD.about, value=build)
        return chain([about], self._counted(), self._seen())

    def _counted(self) -> Iterator[Metric]:
        counts, row = self._sandbox.counts, metrics.DURATION
        yield _family(metrics.REQUESTS, sorted(counts.calls().items()))
        family = HistogramMetricFamily(row.name, row.about, labels=row.labels)
        for operation, took in sorted(counts.durations().items()):
            buckets = [(end, float(count)) for end, count in zip(_ENDS, took.up_to, strict=True)]
            family.add_metric([operation], buckets, took.sum_s)
        yield family
        yield _family(metrics.EVICTED, [((), counts.of(metrics.EVICTED).get((), 0))])
        for family_of in (metrics.FAULTS, metrics.ATTEMPTS, metrics.NOT_RECORDED):
            yield _family(family_of, sorted(counts.of(family_of).items()))

    def _seen(self) -> Iterator[Metric]:
        workspaces = self._sandbox.workspaces()
        found = [one.space.transact(lambda tx: (tx.tally(PAYMENTS, "status"), tx.count_due())) for one in workspaces]
        statuses = {str(status): sum(tally.get(status, 0) for tally, _ in found) for status in PaymentStatus}
        yield _family(metrics.WORKSPACES, [((), self._sandbox.count())])
        yield _family(metrics.PAYMENTS, [((status,), count) for status, count in statuses.items()])
        yield _family(metrics.DUE, [((), sum(due for _, due in found))])
        spaces = [workspace.space for workspace in workspaces]
        dropped = [((log,), sum(space.dropped(log) for space in spaces)) for log in (JOURNAL, INBOX, CLAIMS)]
        yield _family(metrics.DROPPED, dropped)
        kept: Counter[str] = Counter()
        for space in (self._sandbox.server, *spaces):
            kept.update(space.kept_bytes())
        yield _family(metrics.KEPT, [((sort,), kept[sort]) for sort in bounds_of(self._sandbox.settings)])
        if self._sandbox.lasting is not None:
            yield from _saved(self._sandbox.lasting)
            yield _family(metrics.PASSED_ON, sorted(self._sandbox.counts.of(metrics.PASSED_ON).items()))


def _saved(store: LastingStore) -> Iterator[Metric]:
    saver, row = store.saver, metrics.COMMITS
    yield _family(metrics.LOADED, [((), len(store.here()))])
    yield _family(metrics.UNSAVED, [((), saver.unsaved)])
    family = HistogramMetricFamily(row.name, row.about)
    buckets = [(end, float(count)) for end, count in zip(_ENDS, accumulate(saver.took), strict=True)]
    family.add_metric([], buckets, saver.took_s)
    yield family
    yield _family(metrics.FAILED, [((), saver.failed)])
    if saver.lease is not None:
        yield _family(metrics.OWNED, [((), saver.lease.owned)])
        yield _family(metrics.LEASE, [((), saver.lease.left_s)])


def _family(row: metrics.Metric, samples: Iterable[tuple[tuple[object, ...], float]]) -> Metric:
    kind = CounterMetricFamily if row.sort == "counter" else GaugeMetricFamily
    family = kind(row.name, row.about, labels=row.labels)
    for labels, count in samples:
        family.add_metric([str(label) for label in labels], count)
    return family
