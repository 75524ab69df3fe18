"""Whoever captures or refunds a payment whose status it knows to forbid that is told so, whatever the status.

A cancellation is no mistake: who tries it first and gives the money back if it is too late is right. Nor is a refund of
what was captured so far, before the rest is.
"""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.statuses import PaymentStatus as S
from mock_server.verdict.evidence import of_workspace
from mock_server.verdict.rules import State, judge
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
CELLS: Final = [
    pytest.param(operation, status, dialect, id=f"{operation}-{status}-{dialect.name}")
    for operation, status, dialect in product(RULES, PLACES, (INTERFACE, HYPERSWITCH))
    if status is not S.EXPIRED  # it comes by itself, and no call tells the client of it
]


def acted(api: Wire, operation: str, payment_id: str) -> Reply:
    if operation == "refund":
        return api.post("/refunds", {"payment_id": payment_id, "amount": 1})
    return api.post(f"/payments/{payment_id}/{operation}", {"amount_to_capture": 1} if operation == "capture" else {})


def found(api: Wire) -> list[str]:
    """What is found, but that an authorization was left open."""
    told = judge(of_workspace(workspace(api)))
    return [one.rule.id for one in told.found() if one.rule.id != "authorization-open"]


def expected(operation: str, status: S) -> list[str]:
    if operation == "cancel" or (operation == "refund" and status is S.PARTIALLY_CAPTURED_AND_CAPTURABLE):
        return []
    return [RULES[operation].get(status) or TOO_EARLY[operation]]


@pytest.mark.parametrize(("operation", "status", "dialect"), CELLS)
def test_a_forbidden_call_is_found(operation: str, status: S, dialect: Dialect) -> None:
    clock = ManualClock()
    api = wire(clock=clock, dialect=dialect)
    payment = PLACES[status](api)
    clock.advance(1_000)
    reply = acted(api, operation, payment)
    assert found(api) == (expected(operation, status) if reply.status >= 400 else []), reply.raw


@pytest.mark.parametrize("form", ["mandate_id", "recurring_details"])
@pytest.mark.parametrize("amount", [1_000, 20_000])
def test_a_charge_by_a_mandate_is_judged_however_it_is_named(form: str, amount: int) -> None:
    api = wire()
    limit = {"multi_use": {"amount": 10_000, "currency": "USD"}}
    agreed = {"mandate_type": limit, "customer_acceptance": {"acceptance_type": "offline"}}
    mandate = api.pay(customer_id="cus_a", setup_future_usage="off_session", mandate_data=agreed)["mandate_id"]
    named = mandate if form == "mandate_id" else {"type": "mandate_id", "data": mandate}
    order = {"amount": amount, "currency": "USD", "profile_id": "pro_shop", "customer_id": "cus_a", "confirm": True}
    api.post("/payments", {**order, "off_session": True, form: named})
    (told,) = (one for one in judge(of_workspace(workspace(api))).results if one.rule.id == "mandate-overstepped")
    assert told.state == (State.WELL if amount == 1_000 else State.FOUND)
    assert all(mandate in one.what for one in told.seen)
