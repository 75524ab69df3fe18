"""The path `attempt` is the payment's for every call about it, in a rule for the connection and in an assertion."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.clocks import ManualClock
from tests.wire import Wire, card_data, wire

METHOD: Final[dict[str, Any]] = {"payment_method": "card", "payment_method_data": {"card": card_data()}}
CALLS: Final[dict[str, tuple[str, str]]] = {
    "payments.retrieve": ("GET", "/payments/pay_1"),
    "payments.update": ("POST", "/payments/pay_1"),
    "payments.capture": ("POST", "/payments/pay_1/capture"),
    "payments.cancel": ("POST", "/payments/pay_1/cancel"),
}


@pytest.fixture(scope="module")
def tried() -> Wire:
    """A payment that failed twice, and is authorized at the third attempt."""
    api = wire(clock=ManualClock())
    merchant = api.post("/payments", {"amount": 1, "currency": "USD", "profile_id": "pro_shop"})["merchant_id"]
    api.post(f"/account/{merchant}/business_profile/pro_shop", {"is_manual_retry_enabled": True})
    body = {
        "amount": 900,
        "currency": "EUR",
        "profile_id": "pro_shop",
        "payment_id": "pay_1",
        "confirm": True,
        **METHOD,
    }
    wishes = [
        ("/payments", {**body, "confirm": True, "capture_method": "manual"}),
        *[("/payments/pay_1/confirm", METHOD)] * 2,
    ]
    for (path, sent), wish in zip(wishes, ("failed", "failed", "succeeded"), strict=True):
        reply = api.call("POST", path, sent, headers={"X-Sandbox-Outcome": wish})
        assert reply.status == 200
    assert (reply["status"], reply["attempt_count"]) == ("requires_capture", 3)
    return api


@pytest.mark.parametrize("operation", CALLS)
def test_the_attempt_is_that_of_the_payment(tried: Wire, operation: str) -> None:
    method, path = CALLS[operation]
    for attempt in (1, 2, 3, 4):
        rule = {"on": operation, "when": {"attempt": attempt}, "then": {"error": "HE_00"}}
        other = {"on": operation, "then": {"error": "HE_02"}}
        expect = {"calls": {"on": operation, "attempt": attempt}, "exactly": int(attempt == 3)}
        assert tried.put("/_sandbox/scenarios/tries", {"rules": [rule, other], "expect": [expect]}).status == 200
        tried.post("/_sandbox/scenarios/tries/activate")
        code = tried.call(method, path, None if method == "GET" else {}).error["code"]
        assert (code == "HE_00") is (attempt == 3)
        assert tried.post("/_sandbox/scenarios/tries/check")["holds"] is True
