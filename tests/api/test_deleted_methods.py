"""What a payment says of a saved method, and charges, after the method or its customer was deleted (facts §2.1, §8)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.api.saving import ACCEPTANCE, CHARGE, CUSTOMER, charge, refused, save, saved, token
from tests.clocks import ManualClock
from tests.wire import Reply, Wire

Begun = Callable[[Wire], Reply]
SAVING = {"customer_id": CUSTOMER, "setup_future_usage": "off_session", "customer_acceptance": ACCEPTANCE}


def _by_token(api: Wire, outcome: str | None = None, *, confirm: bool = True) -> Reply:
    saved(api)
    body = {**CHARGE, "confirm": confirm, "payment_token": token(api)}
    return api.post("/payments", body, **({"X_Sandbox_Outcome": outcome} if outcome else {}))


BEGUN: dict[str, tuple[Begun, str]] = {
    "saved": (save, "succeeded"),
    "charged": (_by_token, "succeeded"),
    "not confirmed": (lambda api: _by_token(api, confirm=False), "requires_confirmation"),
    "charge pending": (lambda api: _by_token(api, "pending:succeeded:10s"), "pending"),
    "charge failed": (lambda api: _by_token(api, "failed"), "failed"),
    "challenged": (lambda api: api.pay("visa_3ds_required", **SAVING), "requires_action"),
    "saving pending": (lambda api: api.pay("visa_pending_succeeds", **SAVING), "pending"),
}


@pytest.mark.parametrize("gone", ["method", "customer"])
@pytest.mark.parametrize("begun", BEGUN)
def test_what_was_deleted_is_not_active(api: Wire, clock: ManualClock, begun: str, gone: str) -> None:
    make, status = BEGUN[begun]
    made = make(api)
    payment, method = made["payment_id"], made["payment_method_id"]
    assert made["status"] == status, made.raw
    path = f"/account/{made['merchant_id']}/business_profile/{made['profile_id']}"
    assert api.post(path, {"is_manual_retry_enabled": True}).status == 200
    if gone == "customer":
        assert api.delete(f"/customers/{CUSTOMER}").status == 200
    elif method is not None:
        assert api.delete(f"/payment_methods/{method}").status == 200
    if status in ("requires_confirmation", "failed"):
        why = (400, "IR_11") if gone == "customer" else (404, "HE_02")
        assert refused(api.post(f"/payments/{payment}/confirm")) == why
    elif status == "requires_action":
        assert api.post(f"/_sandbox/payments/{payment}/authenticate", {"result": "approved"})["status"] == "succeeded"
    elif status == "pending":
        assert api.post(f"/_sandbox/payments/{payment}/settle", {"as": "succeeded"})["status"] == "succeeded"
    shown = api.get(f"/payments/{payment}")
    listed = next(one for one in api.get("/payments/list")["data"] if one["payment_id"] == payment)
    found = api.get(f"/payment_methods/{shown['payment_method_id']}")
    expected = None if shown["payment_method_id"] is None else "active" if found.status == 200 else "redacted"
    assert shown["payment_method_status"] == listed["payment_method_status"] == expected
    assert found.status == 404 or gone == "method"


def test_another_method_can_take_its_place(api: Wire) -> None:
    made = _by_token(api, confirm=False)
    assert api.delete(f"/payment_methods/{made['payment_method_id']}").status == 200
    again = {"payment_token": token(api)} if saved(api) else {}
    reply = api.post(f"/payments/{made['payment_id']}/confirm", again)
    assert (reply["status"], reply["payment_method_status"]) == ("succeeded", "active")
    assert charge(api, payment_token=token(api))["status"] == "succeeded"
