"""The scrape, read by Prometheus's own parser and held against a count of one's own."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any

import pytest
from prometheus_client import parser
from prometheus_client.openmetrics import parser as modern_parser

from mock_server import __version__
from mock_server.domain.statuses import PaymentStatus
from mock_server.metrics import LOADED, METRICS
from tests.clocks import ManualClock
from tests.control.journals import answered, parked
from tests.webhooks.shops import Mall, mall
from tests.wire import Reply, Wire, wire

as_text: Callable[[str], Iterable[Any]] = parser.text_string_to_metric_families
as_openmetrics: Callable[[str], Iterable[Any]] = modern_parser.text_string_to_metric_families
Samples = dict[tuple[str, tuple[str, ...]], float]


WITHOUT_DATA = METRICS[: METRICS.index(LOADED)]


def read(families: Iterable[Any]) -> Samples:
    """Every sample, by its name and the values of its labels in the order of the table."""
    labels = {row.name: row.labels for row in METRICS if row.labels and row.sort != "info"}
    found: Samples = {}
    for family in families:
        for sample in family.samples:
            names = (*labels.get(family.name, sorted(sample.labels)), *(["le"] if "le" in sample.labels else []))
            found[sample.name, tuple(sample.labels[name] for name in names if name in sample.labels)] = sample.value
    return found


def scrape(api: Wire) -> Samples:
    reply = api.as_key(None).get("/_sandbox/metrics")
    assert reply.status == 200
    return read(as_text(reply.raw.decode()))


def of(samples: Samples, name: str) -> dict[tuple[str, ...], float]:
    return {labels: value for (there, labels), value in samples.items() if there == f"payment_sandbox_{name}"}


class Counting(Wire):
    """A client that keeps count of what it sent and what came back."""

    def __init__(self, api: Wire, seen: Counter[tuple[str, str]]) -> None:
        super().__init__(api.app, api.sandbox, api.key)
        self.seen = seen

    def as_key(self, key: str | None) -> Counting:
        return Counting(Wire(self.app, self.sandbox, key), self.seen)

    def counted(self, operation: str, reply: Reply) -> Reply:
        self.seen[operation, str(reply.status)] += 1
        return reply


def mixed_run(api: Counting) -> None:
    """Calls of every sort: good, refused, unknown, replayed, by another key, of the control API, on a page."""
    for card in ("success", "visa_generic_decline", "visa_pending_succeeds"):
        made = api.counted("payments.create", api.pay(card))
        api.counted("payments.retrieve", api.get(f"/payments/{made['payment_id']}"))
    challenged = api.counted("payments.create", api.pay("visa_3ds_required", return_url="https://shop.test/back"))
    link = challenged["next_action"]["redirect_to_url"].partition("localhost")[2]
    api.counted("page.challenge", api.as_key(None).get(link))
    api.counted("payments.create", api.post("/payments", {"amount": -1}))
    api.counted("payments.create", api.as_key(None).pay())
    api.counted("payments.create", api.as_key("snd_another_0123456789").pay())
    api.counted("payments.retrieve", api.get("/payments/pay_none"))
    for _ in range(2):
        api.counted("payments.create", api.call("POST", "/payments", raw=b"{", headers={"X-Idempotency-Key": "one"}))
    api.counted("none", api.get("/nothing"))
    api.counted("none", api.call("PATCH", "/payments"))
    api.counted("none", api.get("/_sandbox/nothing"))
    api.counted("control.clock", api.get("/_sandbox/clock"))
    api.counted("control.clock", api.as_key(None).get("/_sandbox/clock"))


@pytest.fixture(scope="module")
def run() -> Counting:
    api = Counting(wire(), Counter())
    mixed_run(api)
    return api


def test_calls_are_those_that_were_made(run: Counting) -> None:
    samples = scrape(run)
    scraped = {pair: count for pair, count in of(samples, "requests_total").items() if pair[0] != "control.metrics"}
    assert scraped == dict(run.seen)
    timed = of(samples, "request_duration_seconds_count")
    for operation in {operation for operation, _ in run.seen} - {"none"}:
        assert timed[(operation,)] == sum(count for (name, _), count in run.seen.items() if name == operation)
        assert of(samples, "request_duration_seconds_bucket")[operation, "+Inf"] == timed[(operation,)]


def test_payments_and_workspaces_are_those_that_there_are(run: Counting) -> None:
    samples = scrape(run)
    statuses = {"succeeded": 2, "failed": 1, "pending": 1, "requires_action": 1}
    assert of(samples, "payments") == {(status,): statuses.get(status, 0) for status in PaymentStatus}
    assert of(samples, "workspaces") == {(): 2}
    due = sum(len(workspace.space.transact(lambda tx: tx.all_due())) for workspace in run.sandbox.workspaces())
    assert of(samples, "due_work") == {(): due}
    assert due > 0


def test_both_forms_are_read_by_the_library(run: Counting) -> None:
    text = run.as_key(None).get("/_sandbox/metrics")
    assert text.headers["Content-Type"].startswith("text/plain; version=")
    accept = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"
    modern = run.as_key(None).get("/_sandbox/metrics", Accept=accept)
    assert modern.headers["Content-Type"].startswith("application/openmetrics-text")
    ours = {row.name for row in WITHOUT_DATA}
    assert ours <= {family.name for family in as_text(text.raw.decode())} | {"payment_sandbox_build"}
    assert ours <= {family.name for family in as_openmetrics(modern.raw.decode())}
    assert of(read(as_text(text.raw.decode())), "build_info") == {("interface", __version__): 1}


MODERN, PLAIN = "application/openmetrics-text", "text/plain"


@pytest.mark.parametrize("modern", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("plain", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("word", [PLAIN, "text/*", "*/*"])
def test_the_form_is_what_the_scraper_likes_most(run: Counting, modern: float, plain: float, word: str) -> None:
    for accept in (f"{MODERN};q={modern},{word};q={plain}", f"{word};q={plain}, {MODERN};version=1.0.0;q={modern}"):
        kind = run.as_key(None).get("/_sandbox/metrics", Accept=accept).headers["Content-Type"]
        assert kind.startswith(PLAIN if plain > modern else MODERN), accept


def test_families_stand_as_the_table_says(run: Counting) -> None:
    accept = "application/openmetrics-text;version=1.0.0"
    modern = run.as_key(None).get("/_sandbox/metrics", Accept=accept).raw.decode()
    families = {family.name: family for family in as_openmetrics(modern)}
    for row in WITHOUT_DATA:
        family = families[row.name]
        assert (family.type, family.documentation) == (row.sort, row.about)
        for sample in family.samples:
            assert set(sample.labels) - {"le"} == set(row.labels)


FAULTS = [
    ({"fault": "connection_reset"}, ["connection_reset"]),
    ({"fault": "truncated_body", "delay": "1ms"}, ["truncated_body", "delay"]),
    ({"error": "HE_00"}, ["error"]),
    ({"respond": {"status": 503}}, ["respond"]),
    ({"headers": {"X-A": "b"}}, []),
]


@pytest.mark.parametrize(("what", "counted"), FAULTS)
def test_faults_are_counted_by_what_they_do(what: dict[str, Any], counted: list[str]) -> None:
    api = wire()
    put = api.put(
        "/_sandbox/scenarios/bad", {"version": 1, "name": "bad", "rules": [{"on": "payments.list", "then": what}]}
    )
    assert put.status == 200, put.json
    api.post("/_sandbox/scenarios/bad/activate")
    with pytest.raises(ConnectionError) if "fault" in what else nullcontext():
        api.get("/payments/list")
    assert of(scrape(api), "faults_total") == {(name,): 1 for name in counted}


@pytest.fixture
def street() -> Mall:
    return mall()


def test_deliveries_are_counted_by_what_came_back(street: Mall) -> None:
    street.shop.answers = [500, "nobody is there", 302]
    street.api.pay()
    street.advance("1h")
    street.api.post(f"/_sandbox/webhooks/{street.events()[0].event_id}/resend")
    results = {"initial_attempt 5xx": 1, "automatic_retry no_answer": 1, "automatic_retry 3xx": 1}
    results |= {"automatic_retry 2xx": 1, "manual_retry 2xx": 1}
    scraped = {" ".join(labels): count for labels, count in of(scrape(street.api), "webhook_attempts_total").items()}
    assert scraped == results
    assert len(street.shop.got) == sum(results.values())


def test_what_fell_out_of_the_journal_is_said() -> None:
    api = wire(journal=3)
    for _ in range(5):
        api.get("/health")
    assert of(scrape(api), "dropped") == {("journal",): 2, ("inbox",): 0, ("idempotency",): 0}


def test_a_workspace_that_made_room_is_counted() -> None:
    api = wire(workspaces=1)
    api.get("/health")
    api.as_key("snd_another_0123456789").get("/health")
    samples = scrape(api)
    assert (of(samples, "workspaces"), of(samples, "workspaces_evicted_total")) == ({(): 1}, {(): 1})


def test_a_long_poll_is_counted_when_it_is_answered() -> None:
    api = wire()
    api.get("/health")
    poll = parked(api, "/_sandbox/journal?wait=5s&count=1&operation=payments.create")
    before = of(scrape(api), "requests_total")
    api.pay()
    assert answered(poll)["total_count"] == 1
    after = of(scrape(api), "requests_total")
    assert ("control.journal", "200") not in before
    assert after["control.journal", "200"] == 1


def test_a_long_poll_that_ends_with_its_workspace_is_counted_so() -> None:
    api = wire()
    poll = parked(api, "/_sandbox/journal?wait=5s&count=1&operation=payments.create")
    api.post("/_sandbox/reset")
    assert answered(poll).status == 410
    assert of(scrape(api), "requests_total")["control.journal", "410"] == 1


def test_a_long_poll_whose_time_is_over_is_counted() -> None:
    api = wire()
    api.get("/_sandbox/journal?wait=1ms&count=1")
    assert of(scrape(api), "requests_total")["control.journal", "200"] == 1


def test_the_time_is_real_time_whatever_the_workspaces_clock_does() -> None:
    api = wire(clock=ManualClock())
    api.pay("visa_pending_succeeds")
    api.post("/_sandbox/clock/advance", {"by": "24h"})
    assert set(of(scrape(api), "request_duration_seconds_sum").values()) == {0}


def test_a_token_guards_the_figures_too() -> None:
    api = wire(control_token="sesame")
    assert api.get("/_sandbox/metrics").status == 401
    assert api.get("/_sandbox/metrics", X_Sandbox_Token="sesame").status == 200


def test_the_library_is_imported_with_the_first_scrape() -> None:
    program = (
        "import sys; from mock_server.app import create_app; from mock_server.sandbox import build\n"
        "from mock_server.settings import Settings\n"
        "app = create_app(build(Settings())); assert 'prometheus_client' not in sys.modules\n"
        "assert app.test_client().get('/_sandbox/metrics').status_code == 200\n"
        "assert 'prometheus_client' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
