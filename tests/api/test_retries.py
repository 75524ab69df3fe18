"""What a payment says about a retry is what a confirmation then does (facts §2.1, §3.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mock_server.domain.statuses import PaymentStatus as S
from tests.api.places import PLACES
from tests.clocks import ManualClock
from tests.wire import Wire, card_data

METHOD = {"payment_method": "card", "payment_method_data": {"card": card_data()}}
HALF_A_SESSION_MS = 450_000


def _after(path: str, card: str) -> Callable[[Wire], str]:
    def make(api: Wire) -> str:
        payment = api.pay(card, capture_method="manual")["payment_id"]
        assert api.post(f"/payments/{payment}/{path}")["status"] == "failed"
        return str(payment)

    return make


MADE: dict[str, Callable[[Wire], str]] = {
    **{str(status): make for status, make in PLACES.items()},
    "a failed capture": _after("capture", "visa_capture_fails"),
    "a failed void": _after("cancel", "visa_cancel_fails"),
    "a rejection": lambda api: api.post(f"/payments/{api.pay('visa_review')['payment_id']}/reject")["payment_id"],
}


@pytest.mark.parametrize("passed_ms", [0, HALF_A_SESSION_MS + 1])
@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("early", [True, False], ids=["set before", "set after"])
@pytest.mark.parametrize("made", MADE)
def test_it_says_what_a_confirmation_does(
    api: Wire, clock: ManualClock, made: str, early: bool, enabled: bool, passed_ms: int
) -> None:
    merchant = api.post("/payments", {"amount": 1, "currency": "USD", "profile_id": "pro_shop"})["merchant_id"]
    path = f"/account/{merchant}/business_profile/pro_shop"
    if early:
        api.post(path, {"is_manual_retry_enabled": enabled})
    payment = MADE[made](api)
    api.post(path, {"is_manual_retry_enabled": enabled})
    clock.advance(passed_ms)
    shown = api.get(f"/payments/{payment}")
    listed: Any = next(one for one in api.get("/payments/list")["data"] if one["payment_id"] == payment)
    told = shown["manual_retry_allowed"]
    assert listed["manual_retry_allowed"] is told
    if shown["status"] != S.FAILED:
        assert told is None
        return
    reply = api.post(f"/payments/{payment}/confirm", METHOD)
    assert (reply.status == 200) is told
    assert told or ("set is_manual_retry_enabled" in reply.error["message"]) is not enabled
