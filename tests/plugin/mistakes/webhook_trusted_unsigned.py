from __future__ import annotations

from flask import Flask

from mock_server.testing import Sandbox


def test_a_forged_event_is_refused(payment_sandbox: Sandbox) -> None:
    shop = Flask("shop")
    shop.post("/webhooks")(lambda: "thank you")
    payment_sandbox.webhooks.connect(shop)
    with payment_sandbox.scenario("webhook_bad_signature"):
        payment_sandbox.client.pay(idempotency_key="order-1")
        payment_sandbox.webhooks.wait_for("payment_succeeded")
