"""A scenario's own answer is sent as it was written, and of what holds keys or files the journal keeps no answer."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

import pytest

from mock_server.app import create_app
from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.dialects import DIALECTS, get
from mock_server.domain.errors import Cause
from mock_server.domain.faults import LineFault
from tests.causes.by_calls import BY_CALLS
from tests.clocks import ManualClock
from tests.routes.good import caller, good
from tests.wire import Reply, Wire, card_payment, wire


def ruled(then: dict[str, Any], **more: Any) -> Wire:
    api = wire(clock=ManualClock())
    rules = [{"on": "payments.create", "then": then}]
    assert api.put("/_sandbox/scenarios/own", {"name": "own", "rules": rules, **more}).status < 300
    assert api.post("/_sandbox/scenarios/own/activate").status < 300
    return api


@pytest.mark.parametrize(
    ("body", "sent"), [("<p>down</p>", b"<p>down</p>"), ({"a": [1]}, b'{"a":[1]}'), (None, b""), ([], b"[]")]
)
def test_a_text_is_sent_as_it_is_and_a_value_as_json(body: Any, sent: bytes) -> None:
    reply = ruled({"respond": {"status": 503, "body": body}}).post("/payments", card_payment())
    assert (reply.status, reply.raw) == (503, sent)


LOST: Final[tuple[dict[str, Any], ...]] = (
    {"error": "HE_00"},
    {"error": {"code": "RL_01", "status": 429}},
    {"respond": {"status": 502, "body": "<html>"}},
    {"respond": {"status": 503, "body": {"payment_id": "pay_another"}}},
    *({"fault": str(fault)} for fault in LineFault if fault is not LineFault.HANG),
)
"""Answers that replace those of the operation, and failures of the connection."""


@pytest.mark.parametrize("then", [{**one, **kept} for one in LOST for kept in ({}, {"effect": "kept"})], ids=str)
def test_a_call_is_counted_by_its_payment_whatever_the_client_got(then: dict[str, Any]) -> None:
    paths = {"payment.metadata.order": "42", "payment.status": "succeeded", "card.brand": "visa", "payment.amount": 7}
    expect = [{"calls": {"on": "payments.create", path: value}, "exactly": 0} for path, value in paths.items()]
    api = ruled(then, expect=expect)
    with suppress(ConnectionError, ValueError):  # as a client sees it
        api.pay(amount=7, metadata={"order": "42"})
    made = api.get("/_sandbox/records/payments")["total_count"]
    found = api.post("/_sandbox/scenarios/own/check")["expect"]
    assert [one["because"] for one in found] == [f"{made} since activation"] * len(paths)


@pytest.mark.parametrize(("fault", "seen"), [("connection_reset", 0), ("slow_body", 1), (None, 1)])
def test_a_status_is_counted_only_if_the_client_got_it(fault: str | None, seen: int) -> None:
    then = {"fault": fault, "effect": "kept"} if fault else {"headers": {"X-Own": "1"}}
    api = ruled(then, expect=[{"calls": {"on": "payments.create", "http": 200}, "exactly": seen}])
    api = Wire(create_app(api.sandbox, sleep=lambda _: None), api.sandbox)
    with suppress(ConnectionResetError):  # as a client sees it
        api.post("/payments", card_payment())
    assert api.post("/_sandbox/scenarios/own/check").json["holds"]


@pytest.mark.parametrize("row", [row for row in OPERATIONS if row.holds_keys], ids=lambda row: row.name)
def test_the_journal_keeps_no_answer_that_holds_keys(row: Operation) -> None:
    api = wire(clock=ManualClock())
    call = good(api, row)
    assert call.sent(caller(api, row), row).status < 300
    kept = [one for one in api.get("/_sandbox/journal?limit=100").json["data"] if one["operation"] == row.name]
    assert [one["response"] for one in kept] == [None] * len(kept)


OWN: dict[str, dict[str, Any]] = {
    "error": {"error": "HE_00", "effect": "kept"},
    "respond": {"respond": {"status": 502, "body": "x"}, "effect": "kept"},
    "headers": {"headers": {"X-Extra": "1"}},
}


@pytest.mark.parametrize("key", ["", "k"])
@pytest.mark.parametrize("body", [card_payment(), {**card_payment(), "amount": -1}, card_payment(payment_id="taken")])
@pytest.mark.parametrize("then", OWN)
def test_what_a_scenario_answers_is_answered_instead_of_a_refusal_too(then: str, body: Any, key: str) -> None:
    """Whether the call has an idempotency key or not."""
    plain, api = ruled({"delay": "0s"}), ruled(OWN[then])
    assert plain.post("/payments", card_payment(payment_id="taken")).status == 200
    assert api.post("/_sandbox/scenarios/own/deactivate").status == 200
    assert api.post("/payments", card_payment(payment_id="taken")).status == 200
    assert api.post("/_sandbox/scenarios/own/activate").status == 200
    sent = {"X_Idempotency_Key": key} if key else {}
    real, reply = (one.post("/payments", body, **sent) for one in (plain, api))
    if then == "headers":
        assert (reply.status, reply.headers.get("X-Extra")) == (real.status, "1")
    else:
        assert (reply.status, "after the operation" in reply.headers["X-Sandbox-Because"]) == (
            {"error": 500, "respond": 502}[then],
            True,
        )


WAITS: Final = (Cause.RATE_LIMITED, Cause.NOT_SAVED)
"""Refusals of any call that say when to come again; `tests/test_front.py` has the third, SB_01."""


def says(reply: Reply) -> tuple[bool, bool]:
    """Whether an answer says when to come again, and that the limit is used up."""
    return "Retry-After" in reply.headers, reply.headers["X-RateLimit-Remaining"] == "0"


def test_an_error_of_a_scenario_says_when_to_come_again_where_the_real_refusal_does() -> None:
    said = {"SB_01": (True, False)}
    for cause, raising in BY_CALLS:
        if cause in WAITS:
            clock = ManualClock()
            reply = raising(wire(clock=clock), clock)
            said[reply.error["code"]] = says(reply)
    differs = []
    for dialect in map(get, DIALECTS):
        api = wire(dialect=dialect, rate_limit=100_000)
        for code in dialect.codes:
            assert api.post("/_sandbox/next", {"on": "payments.list", "then": {"error": code}}).status < 300
            reply = api.get("/payments/list")
            assert reply.error["code"] == code
            assert reply.headers.get("Retry-After", "1") == "1", "no test waits for a minute"
            if says(reply) != said.get(code, (False, False)):
                differs.append((dialect.name, code, says(reply)))
    assert said.keys() == {"RL_01", "SB_01", "SB_02"}
    assert differs == []


@pytest.mark.parametrize("then", [{"code": "RL_01", "status": 400}, {"code": "HE_00", "status": 503}], ids=str)
def test_an_error_with_another_status_is_not_that_refusal(then: dict[str, Any]) -> None:
    assert says(ruled({"error": then}).post("/payments", card_payment())) == (False, False)
