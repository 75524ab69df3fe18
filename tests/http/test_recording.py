"""What is recorded of a call never changes what is answered: each one fails, and only the log knows."""

from __future__ import annotations

import json
from collections.abc import Callable
from threading import Event
from typing import Any, Final

import pytest
from msgspec import structs
from werkzeug.test import EnvironBuilder

from mock_server.app import create_app
from mock_server.domain.faults import CARRIED_OUT, LEFT_FIRST, PARKED
from mock_server.http.recording import RECORDERS, Recorders
from mock_server.metrics import NOT_RECORDED, Counts, Metric
from mock_server.sandbox import build
from mock_server.settings import Settings
from mock_server.webhooks.transport import Response
from tests.clocks import ManualClock
from tests.wire import KEY, PUBLISHABLE, Reply, Wire, card_payment

SECRET_TEXT: Final = "what the caller wrote"
VOLATILE: Final = frozenset({"Date"})


class Hostile:
    """A server one of whose recorders fails, and what the log said of it."""

    def __init__(self, what: str | None, caplog: pytest.LogCaptureFixture) -> None:
        def fails(*given: Any) -> object:
            raise RuntimeError(SECRET_TEXT)

        recorders = RECORDERS if what is None else structs.replace(RECORDERS, **{what: fails})
        sandbox = build(Settings(seed="tests", rate_limit=0), clock=ManualClock())
        self.api = Wire(create_app(sandbox, sleep=lambda seconds: None), sandbox)
        sandbox.recorders = recorders
        self.caplog = caplog

    @property
    def failed(self) -> dict[str, int]:
        return {str(labels[0]): count for labels, count in self.api.sandbox.counts.of(NOT_RECORDED).items()}

    @property
    def logged(self) -> list[str]:
        return [line.getMessage() for line in self.caplog.records if "could not be recorded" in line.getMessage()]


def plain(reply: Reply) -> tuple[int, bytes, dict[str, str]]:
    return reply.status, reply.raw, {name: text for name, text in reply.headers.items() if name not in VOLATILE}


def answered(url: str, body: bytes, headers: Any, timeout_s: float, line: Any) -> Response:
    """A receiver that accepts everything."""
    line.sent()
    return Response(200, (), b"ok")


class Accepts:
    send = staticmethod(answered)


def told(api: Wire) -> list[Any]:
    """A client's calls of every sort, and what it finds afterwards: answers, repeats, lists, pages, events."""
    api.sandbox.post.routing.connect("http://shop.test", Accepts())
    api.put("/_sandbox/webhooks/target", {"url": "http://shop.test/hooks"})
    body = card_payment(confirm=True)
    made = api.post("/payments", body, X_Idempotency_Key="once", X_Sandbox_Label="a label")
    again = api.post("/payments", body, X_Idempotency_Key="once", X_Sandbox_Label="a label")
    payment = made["payment_id"]
    refund = {"payment_id": payment, "amount": 5}
    found = [
        made, again, api.get(f"/payments/{payment}"), api.get("/payments/list"), api.post("/payments", {"amount": -1}),
        *(api.post("/refunds", refund, X_Idempotency_Key="refund") for _ in range(2)),
        api.as_key(None).get("/health"), api.as_key(None).get(f"/checkout/frame?key={PUBLISHABLE}"),
        api.post(f"/_sandbox/payments/{payment}/dispute", {}), api.post("/_sandbox/clock/advance", {"by": "1h"}),
        api.get("/_sandbox/clock"), api.get("/nowhere"),
    ]  # fmt: skip
    merchant = api.get("/_sandbox/workspaces")["data"][0]["merchant_id"]
    events = api.get("/_sandbox/webhooks")["data"]
    found.append(api.post(f"/events/{merchant}/{events[0]['event_id']}/retry"))
    challenged = api.pay("visa_3ds_required", return_url="https://shop.test/back")
    page = challenged["next_action"]["redirect_to_url"].partition("//")[2].partition("/")[2]
    found += [challenged, api.as_key(None).get(f"/{page}")]
    api.post("/_sandbox/scenarios/slow_network/activate")
    found += [api.get(f"/payments/{payment}") for _ in range(3)]
    found.append(api.post("/_sandbox/scenarios/slow_network/deactivate"))
    return [*map(plain, found), [[event["event_id"], event["event_type"]] for event in events]]


def waited(api: Wire) -> list[Any]:
    """An answer that is sent without its webhook, and one whose client leaves first, as our own server has them."""
    api.post("/_sandbox/scenarios/webhook_before_response/activate")
    api.put("/_sandbox/webhooks/target", {"url": "http://hangs.test/hooks"})
    done = Event()

    class Hangs:
        @staticmethod
        def send(*given: Any) -> Response:
            done.wait()
            return Response(200, (), b"")

    api.sandbox.post.routing.connect("http://hangs.test", Hangs())
    raw = json.dumps(card_payment(confirm=True)).encode()
    environ = EnvironBuilder(path="/payments", method="POST", data=raw, headers=[("api-key", KEY)]).get_environ()
    environ.update({"CONTENT_TYPE": "application/json", CARRIED_OUT: True})
    b"".join(api.app.wsgi_app(environ, lambda *_: lambda data: None))
    late = environ[PARKED].late()
    environ[LEFT_FIRST]()
    done.set()
    api.post("/_sandbox/scenarios/webhook_before_response/deactivate")
    return [late.status, late.body, late.headers]


FLOWS: Final[dict[str, Callable[[Wire], list[Any]]]] = {
    **dict.fromkeys(Recorders.__struct_fields__, told), "note": waited, "left_first": waited,
}  # fmt: skip
"""The calls in which each recorder has something to record."""


@pytest.mark.parametrize("what", [name for name in FLOWS if name != "marker"])
def test_a_recorder_that_fails_changes_no_answer(what: str, caplog: pytest.LogCaptureFixture) -> None:
    whole, broken = Hostile(None, caplog), Hostile(what, caplog)
    expected = FLOWS[what](whole.api)
    assert not whole.logged
    assert FLOWS[what](broken.api) == expected
    counted_as = "journal" if what == "evidence" else what
    assert set(broken.failed) == {counted_as}
    assert broken.failed[counted_as] == len(broken.logged) > 0
    assert all("req_" in line and SECRET_TEXT not in line for line in broken.logged)


def test_in_the_journal_a_marker_stands_where_the_entry_would(caplog: pytest.LogCaptureFixture) -> None:
    broken = Hostile("journal", caplog)
    made = broken.api.post("/payments", card_payment(confirm=True))
    (line,) = broken.api.get("/_sandbox/journal")["data"]
    assert (line["operation"], line["status"]) == ("payments.create", 200)
    assert line["because"][0]["text"].startswith("this call could not be recorded; the log says more with req_")
    assert line["request_id"] == made.headers["X-Request-Id"]
    scraped = broken.api.get("/_sandbox/metrics").raw.decode()
    assert 'payment_sandbox_not_recorded_total{recorder="journal"} 1.0' in scraped


LEFT_OUT: Final = frozenset({
    "request", "response", "headers", "query", "path", "misplaced", "because", "idempotency",
    "payment_status", "delay_ms", "idempotent",
})  # fmt: skip
"""What a marker does not repeat: it was sent by the caller, or follows from what may just have failed."""


@pytest.mark.parametrize("flow", [told, waited])
def test_a_marker_says_the_rest_as_the_entry_would(
    flow: Callable[[Wire], object], caplog: pytest.LogCaptureFixture
) -> None:
    whole, broken = Hostile(None, caplog), Hostile("journal", caplog)
    told_by = []
    for one in (whole, broken):
        flow(one.api)
        lines = one.api.get("/_sandbox/journal")["data"]
        told_by.append([{name: value for name, value in line.items() if name not in LEFT_OUT} for line in lines])
    assert told_by[0] == told_by[1]
    assert len(told_by[0]) > 0


class NoFigures(Counts):
    """Figures that nothing can be added to."""

    def call(self, operation: str, status: int, took_s: float) -> None:
        raise OSError

    def add(self, row: Metric, *labels: object, count: int = 1) -> int:
        raise OSError


def test_even_journal_and_figures_together_may_fail(caplog: pytest.LogCaptureFixture) -> None:
    whole, broken = Hostile(None, caplog), Hostile("journal", caplog)
    broken.api.sandbox.recorders = structs.replace(broken.api.sandbox.recorders, marker=RECORDERS.faults)
    broken.api.sandbox.counts = NoFigures()
    body = card_payment(confirm=True)
    calls = [plain(one.api.post("/payments", body, X_Idempotency_Key="a")) for one in (whole, broken)]
    repeats = [plain(one.api.post("/payments", body, X_Idempotency_Key="a")) for one in (whole, broken)]
    assert calls[0] == calls[1]
    assert repeats[0] == repeats[1]
    assert {line.split(" of call")[0] for line in broken.logged} == {"the journal", "the marker", "the figures"}
