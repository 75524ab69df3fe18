"""The bodies of reporting, with the names of the public API (facts §1.7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from ipaddress import ip_address
from typing import Any, Final, TypeVar

from msgspec import structs

from mock_server.addresses import split
from mock_server.contract.dialect import AS_WRITTEN, Dialect
from mock_server.contract.kinds.base import FieldKind, Loaded
from mock_server.contract.kinds.objects import Body, Items, ObjectOf, OneOrMany
from mock_server.contract.kinds.rules import Cross, ValueRule
from mock_server.contract.kinds.texts import Choice, Text, currency_code, email_address, web_url
from mock_server.contract.kinds.values import Flag, Free, Instant
from mock_server.contract.requests.payments.methods import authentication_type, brand, category, method_type
from mock_server.contract.requests.shapes import Many, Shape
from mock_server.domain import figures
from mock_server.domain.errors import Cause, FieldError, Refusal
from mock_server.domain.figures import GRANULARITIES, AskFigures, Dimension, FigureSubject
from mock_server.domain.refund import INSTANT, SCHEDULED
from mock_server.domain.report import AskReport, ReportKind, end_of

_F: Final = "facts §1.7"
_NAMES_ONE: Final = ValueRule(bool, "must name at least one", {"minItems": 1})


class TimeRange(Body, source=_F):
    """A time range, both ends included."""

    startTime = Instant("Created at or after this time.", required=True, example="2026-01-31T00:00:00.000Z")  # noqa: N815 — the wire's spelling
    endTime = Instant("Created at or before this time. Defaults to now.")  # noqa: N815 — the wire's spelling


class TimeSeries(Body, source=_F):
    """Size of the time buckets."""

    granularity = Text("`G_ONEMIN` to `G_ONEDAY`.", required=True, example="G_ONEDAY")


class FiltersBody(Body, source=_F):
    """Dimensions whose filter values to list."""

    timeRange = ObjectOf(lambda: TimeRange, "Time range.", required=True)  # noqa: N815 — the wire's spelling
    groupByNames = Items(Text(), "Dimensions. Defaults to all.")  # noqa: N815 — the wire's spelling
    filters = Free("Values by dimension: one, or an array of them.")


class MetricsBody(FiltersBody, source=_F):
    """Metrics to compute, with filters and time buckets."""

    timeSeries = ObjectOf(lambda: TimeSeries, "Size of the time buckets.")  # noqa: N815 — the wire's spelling
    metrics = Items(Text(), "Metrics to compute.", required=True, rules=[_NAMES_ONE], example=["payment_count"])
    delta = Flag("Not computed by the sandbox: must be false or omitted.")


def _is_reachable(url: str) -> bool:
    """Whether it is https, as the public API requires; in private networks, where tests listen, http too (ours)."""
    parts = split(url)
    if parts.scheme == "https":
        return True
    host = parts.hostname or ""
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".localhost", ".test", ".internal"))


class ReportBody(Body, source=_F):
    """A CSV report."""

    timeRange = ObjectOf(lambda: TimeRange, "Time range.", required=True)  # noqa: N815 — the wire's spelling
    emails = Items(email_address(), "Recipients. The sandbox sends no email.", required=True, rules=[_NAMES_ONE])
    returnUrl = web_url("URL that is notified.", example="https://shop.example.com/reports")  # noqa: N815 — the wire's spelling

    crosses = (
        Cross(("returnUrl",), lambda body: _is_reachable(body["returnUrl"]), "must be an https URL", "returnUrl"),
    )


MOST_REQUESTS: Final = 10


def _report(loaded: Loaded) -> AskReport:
    time = loaded["timeRange"]
    return AskReport(start_at=time["startTime"], end_at=time.get("endTime"), return_url=loaded.get("returnUrl"))


METRICS: Final[Many[Loaded]] = Many(Shape(MetricsBody, dict), MOST_REQUESTS)
FILTERS: Final[Shape[Loaded]] = Shape(FiltersBody, dict)
REPORT: Final[Shape[AskReport]] = Shape(ReportBody, _report)


E = TypeVar("E", FigureSubject, ReportKind)


def named(kind: type[E], what: str, word: str) -> E:
    """The member of an enum that a path names. Refused as `not_computed`."""
    try:
        return kind(word)
    except ValueError:
        raise _not_computed(what, word, tuple(kind), what) from None


def resolved(asked: Loaded, subject: FigureSubject, dialect: Dialect, now: int, index: str = "") -> AskFigures:
    """A request in the engine's words, for values to filter by unless it has metrics; `index` is its place in an array.

    Refused as `not_computed`, and as `value_invalid` for a word that the dialect does not have.
    """
    dimensions = {name: dialect.dimensions.get(name, row) for name, row in figures.dimensions(subject).items()}
    metrics = figures.metrics(subject)
    at = f"{index}." if index else ""
    if asked.get("delta"):
        raise _not_computed("option", "delta", (), f"{at}delta")
    time, series, filters = asked["timeRange"], asked.get("timeSeries"), asked.get("filters") or {}
    end_at = end_of(time["startTime"], time.get("endTime"), now, at)
    length = series and _known("granularity", series["granularity"], GRANULARITIES, f"{at}timeSeries.granularity")
    groups, wanted = (dict.fromkeys(asked.get(name) or ()) for name in ("groupByNames", "metrics"))
    groups = groups or (dict.fromkeys(dimensions) if not wanted else {})
    chosen = {_known("filter", name, dimensions, f"{at}filters.{name}"): name for name in filters}
    try:
        filters = _filters(subject, dialect).load(filters, now)
    except Refusal as wrong:
        there = [structs.replace(one, field=f"{at}filters.{one.field}") for one in wrong.fields]
        raise Refusal.of_fields(there) from None
    return AskFigures(
        subject=subject,
        start_at=time["startTime"],
        end_at=end_at,
        granularity_ms=length,
        group_by=tuple(_known("dimension", name, dimensions, f"{at}groupByNames") for name in groups),
        filters=tuple((row, _meant(row, filters[name], dialect)) for row, name in chosen.items() if filters[name]),
        metrics=tuple(_known("metric", name, metrics, f"{at}metrics") for name in wanted),
    )


def of_profile(asked: AskFigures, profile_id: str) -> AskFigures:
    """The same for one profile."""
    row = figures.dimensions(asked.subject)["profile_id"]
    return asked._replace(filters=(*asked.filters, (row, frozenset((profile_id,)))))


def _known(kind: str, name: str, table: Mapping[str, Any], field: str) -> Any:
    row = table.get(name)
    if row is None:
        raise _not_computed(kind, name, table, field)
    return row


_CLOSED: Final[Mapping[str, Choice]] = {
    "payment_method": category("", _F, narrows=True),
    "payment_method_type": method_type("", _F, narrows=True),
    "currency": currency_code(narrows=True),
    "authentication_type": authentication_type(),
    "card_network": brand(),
    "refund_type": Choice((INSTANT, SCHEDULED)),
}
"""The words of dimensions without an enum of their own."""


@cache
def _filters(subject: FigureSubject, dialect: Dialect) -> Shape[Loaded]:
    fields: dict[str, Any] = {}
    for name, row in figures.dimensions(subject).items():
        one: FieldKind = _CLOSED.get(name) or Text()
        if row.words is not None:
            one = Choice(tuple(dialect.readings[row.words]), named=row.words.__name__, narrows=True)
        fields[name] = OneOrMany(one, rules=[_NAMES_ONE])
    return Shape(type("Filters", (Body,), fields), dict, rules=dialect.bodies.get("", AS_WRITTEN))


def _meant(row: Dimension, words: tuple[str, ...], dialect: Dialect) -> frozenset[str]:
    known = {} if row.words is None else dialect.readings[row.words]
    return frozenset(str(known.get(word) or row.meant(word)) for word in words)


def _not_computed(kind: str, name: str, offered: Iterable[str], field: str) -> Refusal:
    wrong = FieldError(field, "is not computed by the sandbox", Cause.NOT_COMPUTED)
    return Refusal(Cause.NOT_COMPUTED, kind=kind, name=name, offered=tuple(offered), fields=(wrong,))
