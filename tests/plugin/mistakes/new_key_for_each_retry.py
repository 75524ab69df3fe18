from __future__ import annotations

from mock_server.testing import Sandbox


def test_an_order_is_charged_once(payment_sandbox: Sandbox) -> None:
    payment_sandbox.next("payments.create", fault="connection_reset", effect="kept")
    try:
        payment_sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key="4c3c-first")
    except ConnectionError:
        payment_sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key="90ab-second")
    assert payment_sandbox.client.get("/payments/list")["total_count"] == 1
