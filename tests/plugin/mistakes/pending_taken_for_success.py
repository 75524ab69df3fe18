from __future__ import annotations

from mock_server.testing import Sandbox


def test_only_what_is_paid_is_shipped(payment_sandbox: Sandbox) -> None:
    shipped = []
    for order in ("order-1", "order-2"):
        paid = payment_sandbox.client.pay("pending_fails", merchant_order_reference_id=order, idempotency_key=order)
        if paid.status == 200 and not paid["error_code"]:
            shipped.append(order)
    payment_sandbox.clock.advance(minutes=1)
    assert shipped == []
