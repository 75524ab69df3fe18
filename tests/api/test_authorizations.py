"""When an authorization ends, whatever happens to it in between (decisions "Clock")."""

from __future__ import annotations

import pytest

from tests.clocks import ManualClock
from tests.wire import Wire

DAY_MS = 24 * 60 * 60 * 1000


@pytest.mark.parametrize("held_for", [1, 6, 8, 30])
@pytest.mark.parametrize("method", ["manual", "manual_multiple"])
def test_a_hold_does_not_move_the_end(api: Wire, clock: ManualClock, method: str, held_for: int) -> None:
    made = api.pay(capture_method=method)
    payment, end = made["payment_id"], made["capture_before"]
    held = api.post(f"/_sandbox/payments/{payment}/hold")
    assert (held["status"], held["capture_before"]) == ("requires_merchant_action", end)
    clock.advance(held_for * DAY_MS)
    approved = api.post(f"/payments/{payment}/approve")
    assert approved["status"] == ("requires_capture" if held_for < 7 else "expired")
    assert (approved["capture_before"], approved["amount_capturable"]) == (end, 6540 if held_for < 7 else 0)
    clock.advance(7 * DAY_MS)
    assert api.get(f"/payments/{payment}")["status"] == "expired"


def test_a_review_after_a_retry_begins_a_new_authorization(api: Wire, clock: ManualClock) -> None:
    made = api.pay(capture_method="manual")
    payment = made["payment_id"]
    profile = f"/account/{made['merchant_id']}/business_profile/{made['profile_id']}"
    assert api.post(profile, {"is_manual_retry_enabled": True}).status == 200
    assert api.post(f"/_sandbox/payments/{payment}/hold").status == 200
    clock.advance(1000)
    assert api.post(f"/payments/{payment}/reject")["status"] == "failed"
    again = api.post(f"/payments/{payment}/confirm", X_Sandbox_Outcome="requires_merchant_action")
    assert (again["status"], again["capture_before"]) == ("requires_merchant_action", None)
    assert api.post(f"/payments/{payment}/approve")["capture_before"] == "2026-01-08T00:00:01.000Z"
