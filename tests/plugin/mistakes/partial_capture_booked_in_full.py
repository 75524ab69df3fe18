from __future__ import annotations

from mock_server.testing import Sandbox


def test_what_was_booked_can_be_refunded(payment_sandbox: Sandbox) -> None:
    client = payment_sandbox.client
    paid = client.pay(amount=5000, capture_method="manual", idempotency_key="order-1").json()
    client.post(f"/payments/{paid['payment_id']}/capture", {"amount_to_capture": 3000}, idempotency_key="ship-1")
    booked = paid["amount"]
    refunded = client.post("/refunds", {"payment_id": paid["payment_id"], "amount": booked}, idempotency_key="back-1")
    assert refunded.status == 200
