from __future__ import annotations

from mock_server.testing import Sandbox


def test_an_order_is_charged_once(payment_sandbox: Sandbox) -> None:
    with payment_sandbox.scenario("lost_response"):
        try:
            payment_sandbox.client.pay(merchant_order_reference_id="order-1")
        except ConnectionError:
            payment_sandbox.client.pay(merchant_order_reference_id="order-1")
