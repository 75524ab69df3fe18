"""One error at a time, in its order: what forbids the call by the payment's status comes before its amount.

Every operation with an amount, on a payment in every status that a shop brings about, or on none at all: an amount that
is wrong is answered as one that is not, as long as something else is wrong.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.wire import Wire, card_payment, wire

AMOUNTS: Final = (0, -1, 1_000_000_000, 2**53 - 1)
CALLS: Final[dict[str, tuple[str, str, dict[str, Any]]]] = {
    "capture": ("/payments/{}/capture", "amount_to_capture", {}),
    "increment": ("/payments/{}/incremental_authorization", "amount", {}),
    "update": ("/payments/{}", "amount", {}),
    "refund": ("/refunds", "amount", {"payment_id": "{}"}),
}
STANDINGS: Final[dict[str, dict[str, Any]]] = {
    "requires_payment_method": {"amount": 6540, "currency": "USD"},
    "requires_confirmation": card_payment(),
    "requires_customer_action": {**card_payment("visa_3ds"), "confirm": True},
    "requires_capture": {**card_payment(), "confirm": True, "capture_method": "manual"},
    "succeeded": {**card_payment(), "confirm": True},
    "failed": {**card_payment("generic_decline"), "confirm": True},
    "cancelled": {**card_payment(), "confirm": True, "capture_method": "manual"},
}


MAY: Final = (
    *(("capture", "requires_capture"), ("refund", "succeeded")),
    *(("update", status) for status in ("requires_payment_method", "requires_confirmation")),
)
"""What the status permits, so that the amount is looked at."""


@pytest.fixture(scope="module")
def api() -> Wire:
    return wire(dialect=HYPERSWITCH)


@pytest.fixture(scope="module")
def standing(api: Wire) -> dict[str, str]:
    """A payment in each status, and the id of none."""
    made = {status: str(api.post("/payments", body)["payment_id"]) for status, body in STANDINGS.items()}
    api.post(f"/payments/{made['cancelled']}/cancel")
    assert {name: api.get(f"/payments/{one}")["status"] for name, one in made.items()} == {name: name for name in made}
    return {**made, "unknown": "pay_nobody"}


@pytest.mark.parametrize("amount", AMOUNTS)
@pytest.mark.parametrize("status", [*STANDINGS, "unknown"])
@pytest.mark.parametrize("name", CALLS)
def test_the_status_comes_before_the_amount(
    api: Wire, standing: dict[str, str], name: str, status: str, amount: int
) -> None:
    path, field, body = CALLS[name]
    payment_id = standing[status]
    body = {key: value.format(payment_id) for key, value in body.items()}
    expected = api.post(path.format(payment_id), {**body, field: 9999})
    found = api.post(path.format(payment_id), {**body, field: amount})
    if (name, status) not in MAY and not (amount < 0 and name in ("update", "increment")):
        assert (found.status, found.error) == (expected.status, expected.error)
    elif amount < 1 and name in ("capture", "refund"):
        told = "amount contains invalid data. Expected format is a positive integer"
        assert (found.status, found.error["code"], found.error["message"]) == (422, "IR_05", told)
    elif amount:
        assert found.error["code"] in ("IR_06", "IR_13", "IR_16")
