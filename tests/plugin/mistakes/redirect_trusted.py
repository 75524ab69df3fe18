from __future__ import annotations

from flask import Flask, request

from mock_server.testing import Sandbox


def test_only_who_has_paid_gets_a_parcel(payment_sandbox: Sandbox) -> None:
    shop = Flask("shop")
    shop.get("/thanks")(lambda: "parcel sent" if request.args["status"] == "succeeded" else "not paid")
    payment_sandbox.next("charge", challenge="approved")
    paid = payment_sandbox.client.pay(return_url="http://shop.test/thanks", idempotency_key="order-1")
    payment_sandbox.trigger.authenticate(paid.json(), "declined")
    assert shop.test_client().get("/thanks?status=succeeded").text == "not paid"
