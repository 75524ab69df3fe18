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


@pytest.mark.parametrize("waited", [0, 5])
@pytest.mark.parametrize("expires", [1, 7, 9, 30])
@pytest.mark.parametrize("method", ["manual", "manual_multiple"])
def test_an_extension_never_brings_the_end_nearer(
    api: Wire, clock: ManualClock, method: str, expires: int, waited: int
) -> None:
    then = {"outcome": "succeeded", "expires": f"{expires}d"}
    assert api.post("/_sandbox/next", {"on": "charge", "then": then}).status == 200
    made = api.pay(capture_method=method)
    clock.advance(waited * DAY_MS)
    extended = api.post(f"/payments/{made['payment_id']}/extend_authorization")
    if waited >= expires:
        assert extended.status == 400
        return
    end = max(expires, waited + 7)
    assert extended["capture_before"] == f"2026-01-{1 + end:02}T00:00:00.000Z"
    for passed, status in ((end * DAY_MS - 1, "requires_capture"), (end * DAY_MS, "expired")):
        clock.advance(passed - (waited * DAY_MS if status == "requires_capture" else end * DAY_MS - 1))
        assert api.get(f"/payments/{made['payment_id']}")["status"] == status


@pytest.mark.parametrize("captured", [0, 1000])
@pytest.mark.parametrize("word", ["failed", "pending:failed:1h", "pending:succeeded:1h", None])
def test_only_a_release_that_took_place_has_a_reason(
    api: Wire, clock: ManualClock, word: str | None, captured: int
) -> None:
    payment = api.pay(capture_method="manual_multiple")["payment_id"]
    if captured:
        api.post(f"/payments/{payment}/capture", {"amount_to_capture": captured})
    how = {"X_Sandbox_Outcome": word} if word else {}
    asked = api.post(f"/payments/{payment}/cancel", {"cancellation_reason": "out of stock"}, **how)
    assert asked["cancellation_reason"] == (None if word == "failed" else "out of stock")
    clock.advance(DAY_MS)
    ended = api.get(f"/payments/{payment}?expand_attempts=true")
    wanted = "out of stock" if word in (None, "pending:succeeded:1h") else None
    assert (ended["cancellation_reason"], ended["attempts"][0]["cancellation_reason"]) == (wanted, wanted)


@pytest.mark.parametrize(("word", "received"), [("succeeded", 1500), ("failed", 500)])
def test_a_capture_leaves_another_one_open(api: Wire, clock: ManualClock, word: str, received: int) -> None:
    payment = api.pay(capture_method="manual_multiple")["payment_id"]
    path = f"/payments/{payment}/capture"
    api.post(path, {"amount_to_capture": 1000}, X_Sandbox_Outcome=f"pending:{word}:1h")
    done = api.post(path, {"amount_to_capture": 500})
    assert (done["status"], done["amount_received"]) == ("pending", 500)
    clock.advance(DAY_MS)
    assert api.get(f"/payments/{payment}")["amount_received"] == received


@pytest.mark.parametrize(("word", "ends"), [("succeeded", "partially_captured"), ("failed", "failed")])
def test_nothing_is_left_beside_an_open_capture_once_the_authorization_ended(
    api: Wire, clock: ManualClock, word: str, ends: str
) -> None:
    payment = api.pay(capture_method="manual_multiple")["payment_id"]
    captures = f"/payments/{payment}/capture"
    assert api.post(captures, {"amount_to_capture": 1000}, X_Sandbox_Outcome="pending")["amount_capturable"] == 5540
    clock.advance(7 * DAY_MS)
    shown = api.get(f"/payments/{payment}")
    assert (shown["status"], shown["amount_capturable"]) == ("pending", 0)
    assert api.post(captures, {"amount_to_capture": 1}).status == 422
    assert api.post(f"/_sandbox/payments/{payment}/settle", {"as": word}).status == 200
    over = api.get(f"/payments/{payment}")
    assert (over["status"], over["amount_capturable"]) == (ends, 0)
