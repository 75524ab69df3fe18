from __future__ import annotations

from flask import Flask, request

from mock_server.testing import Sandbox


def test_the_rest_is_charged_once(payment_sandbox: Sandbox) -> None:
    shop = Flask("shop")

    @shop.post("/webhooks")
    def hear() -> str:
        if request.get_json()["content"]["object"]["merchant_order_reference_id"] == "deposit":
            payment_sandbox.client.pay(amount=15000, merchant_order_reference_id="rest")
        return ""

    payment_sandbox.webhooks.connect(shop)
    once = {"on": "webhook.payment_succeeded", "when": {"payment.amount": 15000}, "then": {"drop": True}}
    payment_sandbox.scenario({"rules": [once, {"on": "webhook.payment_succeeded", "then": {"copies": 3}}]})
    payment_sandbox.client.pay(amount=5000, merchant_order_reference_id="deposit", idempotency_key="order-1")
    payment_sandbox.webhooks.settle(10)
    payment_sandbox.journal.assert_called("payments.create", times=1, body={"amount": 15000})
