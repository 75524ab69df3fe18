"""Whoever captures, refunds or cancels a payment whose status it knows to forbid that is told so, whatever the status.

A cancellation is a mistake only if money was taken, or still can be, and nothing gives it back later.
"""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.statuses import PaymentStatus as S
from mock_server.verdict.evidence import of_workspace, read
from mock_server.verdict.rules import State, Verdict, judge
from tests.api.places import PLACES, workspace
from tests.clocks import ManualClock
from tests.wire import Reply, Wire, wire

RULES: Final = {
    "capture": {
        **dict.fromkeys((S.SUCCEEDED, S.PARTIALLY_CAPTURED, S.CANCELLED_POST_CAPTURE), "captured-twice"),
        S.FAILED: "failed-captured",
        S.CANCELLED: "captured-after-cancel",
    },
    "refund": dict.fromkeys((S.FAILED, S.CANCELLED, S.CANCELLED_POST_CAPTURE), "failed-refunded"),
    "cancel": {},
}
"""The rules about payments that have ended."""
TOO_EARLY: Final = {"capture": "captured-too-early", "refund": "refunded-too-early"}
TAKES_MONEY: Final = (S.PENDING, S.REQUIRES_MERCHANT_ACTION, S.SUCCEEDED, S.PARTIALLY_CAPTURED)
CELLS: Final = [
    pytest.param(operation, status, dialect, id=f"{operation}-{status}-{dialect.name}")
    for operation, status, dialect in product(RULES, PLACES, (INTERFACE, HYPERSWITCH))
    if status is not S.EXPIRED  # it comes by itself, and no call tells the client of it
]


def acted(api: Wire, operation: str, payment_id: str) -> Reply:
    if operation == "refund":
        return api.post("/refunds", {"payment_id": payment_id, "amount": 1})
    return api.post(f"/payments/{payment_id}/{operation}", {"amount_to_capture": 1} if operation == "capture" else {})


def told(api: Wire) -> Verdict:
    return judge(of_workspace(workspace(api)))


def found(api: Wire) -> list[str]:
    """What is found, but that an authorization was left open."""
    return [one.rule.id for one in told(api).found() if one.rule.id != "authorization-open"]


def expected(operation: str, status: S) -> list[str]:
    if operation == "cancel":
        return ["cancelled-in-vain"] if status in TAKES_MONEY else []
    return [RULES[operation].get(status) or TOO_EARLY[operation]]


@pytest.mark.parametrize(("operation", "status", "dialect"), CELLS)
def test_a_forbidden_call_is_found(operation: str, status: S, dialect: Dialect) -> None:
    clock = ManualClock()
    api = wire(clock=clock, dialect=dialect)
    payment = PLACES[status](api)
    clock.advance(1_000)
    reply = acted(api, operation, payment)
    assert found(api) == (expected(operation, status) if reply.status >= 400 else []), reply.raw


@pytest.mark.parametrize("status", TAKES_MONEY)
def test_a_cancelled_payment_whose_money_comes_back_is_none(status: S) -> None:
    """Who tries to cancel first, and gives the money back if that is too late, is right."""
    clock = ManualClock()
    api = wire(clock=clock)
    payment = PLACES[status](api)
    clock.advance(1_000)
    assert acted(api, "cancel", payment).status == 400
    clock.advance(1_000)
    if status is S.REQUIRES_MERCHANT_ACTION:
        assert api.post(f"/payments/{payment}/reject").status == 200
    elif status is S.PENDING:
        api.post(f"/_sandbox/payments/{payment}/fail", {"decline": "insufficient_funds"})
        api.get(f"/payments/{payment}")
    else:
        assert api.post("/refunds", {"payment_id": payment}).status == 200
    assert found(api) == []


def test_without_events_it_is_not_known_that_a_payment_failed() -> None:
    clock = ManualClock()
    api = wire(clock=clock)
    payment = api.pay("visa_pending_fails")["payment_id"]
    clock.advance(60_000)
    assert acted(api, "cancel", payment).status == 400
    assert found(api) == ["pending-never-looked"]
    alone = judge(read(api.get("/_sandbox/journal?limit=100").json)).results
    assert [one.state for one in alone if one.rule.id == "cancelled-in-vain"] == [State.NOT_JUDGED]
