"""3-D Secure: the customer goes to the bank and comes back."""

from __future__ import annotations

import pytest

from conftest import Customer
from payment_sandbox import Sandbox


def test_the_customer_is_sent_to_the_bank(shop: Customer) -> None:
    result = shop.pay(shop.order(), "3ds_required")
    assert result["state"] == "waiting"
    assert result["go_to"].startswith(f"{shop.sandbox.url}/payments/redirect/")
    assert shop.parcels == []


def test_a_passed_challenge_pays_the_order(shop: Customer, payment_sandbox: Sandbox) -> None:
    order = shop.order()
    shop.pay(order, "3ds_required")
    payment_sandbox.trigger.authenticate(_payment(payment_sandbox), "approved")
    assert _come_back(shop, order)["state"] == "paid"
    assert shop.parcels == [order]


@pytest.mark.parametrize("result", ["declined", "cancelled", "expired"])
def test_the_return_url_is_not_trusted(shop: Customer, payment_sandbox: Sandbox, result: str) -> None:
    order = shop.order()
    shop.pay(order, "3ds_required")
    payment_sandbox.trigger.authenticate(_payment(payment_sandbox), result)
    assert _come_back(shop, order, status="succeeded")["state"] == "declined"
    assert shop.parcels == []


def test_returning_too_early_does_not_pay(shop: Customer) -> None:
    order = shop.order()
    shop.pay(order, "3ds_required")
    assert _come_back(shop, order, status="succeeded")["state"] == "waiting"


def _payment(sandbox: Sandbox) -> str:
    (call,) = sandbox.journal.assert_called("payments.create", times=1)
    return str(call.payment_id)


def _come_back(shop: Customer, order: str, **said: str) -> dict[str, object]:
    return dict(shop.client.get(f"/orders/{order}/return", query_string=said).get_json())
