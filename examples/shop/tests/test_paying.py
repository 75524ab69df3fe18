"""Charging a card: amounts, declines, and other results."""

from __future__ import annotations

from conftest import Customer
from payment_sandbox import Sandbox


def test_a_paid_order_is_sent(shop: Customer) -> None:
    order = shop.order(mug=2, poster=1)
    assert shop.pay(order)["state"] == "paid"
    assert shop.look(order)["booked"] == 2 * 1990 + 2450
    assert shop.parcels == [order]


def test_the_amount_is_an_integer_in_cents(shop: Customer, payment_sandbox: Sandbox) -> None:
    shop.pay(shop.order(mug=1))
    payment_sandbox.journal.assert_called("payments.create", times=1, body={"amount": 1990, "currency": "EUR"})


def test_a_decline_is_an_answer_and_not_an_error(shop: Customer) -> None:
    order = shop.order()
    result = shop.pay(order, "insufficient_funds")
    assert (result["state"], result["message"]) == ("declined", "Payment declined: insufficient funds")
    assert shop.parcels == []


def test_after_a_decline_another_card_is_another_payment(shop: Customer, payment_sandbox: Sandbox) -> None:
    order = shop.order()
    shop.pay(order, "expired_card")
    assert shop.pay(order)["state"] == "paid"
    payment_sandbox.journal.assert_called("payments.create", times=2, status=200)
    assert shop.parcels == [order]


def test_a_double_click_pays_once(shop: Customer, payment_sandbox: Sandbox) -> None:
    order = shop.order()
    assert [shop.pay(order)["state"], shop.pay(order)["state"]] == ["paid", "paid"]
    payment_sandbox.journal.assert_called("payments.create", times=1)
    assert shop.parcels == [order]


def test_pending_is_not_paid(shop: Customer, payment_sandbox: Sandbox) -> None:
    order = shop.order()
    assert shop.pay(order, "pending_fails")["state"] == "waiting"
    assert shop.parcels == []
