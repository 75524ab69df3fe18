from __future__ import annotations

from mock_server.testing import Sandbox


def test_a_mug_can_be_bought(payment_sandbox: Sandbox) -> None:
    price = 19.90
    paid = payment_sandbox.client.pay(amount=price * 100, idempotency_key="order-1")
    assert paid.status == 200
