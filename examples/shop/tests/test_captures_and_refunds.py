"""Later and partial captures, and refunds."""

from __future__ import annotations

from conftest import Customer
from payment_sandbox import Sandbox


def test_a_pre_order_is_authorized_and_not_paid(shop: Customer) -> None:
    order = shop.order(pre_order=True)
    result = shop.pay(order)
    assert (result["state"], result["booked"]) == ("reserved", 0)
    assert shop.parcels == []


def test_only_shipped_items_are_captured(shop: Customer, payment_sandbox: Sandbox) -> None:
    order = shop.order(pre_order=True, mug=2)
    shop.pay(order)
    result = shop.post(f"/orders/{order}/ship", {"items": {"mug": 1}})
    assert (result["state"], result["booked"]) == ("paid", 1990)
    payment_sandbox.journal.assert_called("payments.capture", times=1, body={"amount_to_capture": 1990})


def test_a_capture_whose_answer_is_lost_happens_once(shop: Customer, payment_sandbox: Sandbox) -> None:
    order = shop.order(pre_order=True)
    shop.pay(order)
    payment_sandbox.next("payments.capture", fault="connection_reset", effect="kept")
    assert shop.post(f"/orders/{order}/ship", {"items": {"mug": 1}})["booked"] == 1990


def test_a_refund_whose_answer_is_lost_happens_once(shop: Customer, payment_sandbox: Sandbox) -> None:
    order = shop.order(gift_card=1)
    shop.pay(order)
    payment_sandbox.next("refunds.create", fault="connection_reset", effect="kept")
    assert shop.post(f"/orders/{order}/refund", {"amount": 2000})["refunded"] == 2000
    assert shop.post(f"/orders/{order}/refund", {"amount": 3000})["refunded"] == 5000


def test_a_pending_refund_is_not_refunded_yet(shop: Customer, payment_sandbox: Sandbox) -> None:
    order = shop.order()
    shop.pay(order)
    with payment_sandbox.scenario("refund_pending_then_fails"):
        result = shop.post(f"/orders/{order}/refund", {"amount": 1990})
        assert (result["refund"], result["refunded"]) == ("pending", 0)
        payment_sandbox.clock.advance(hours=1)
        payment_sandbox.webhooks.deliver("refund_failed", to=shop.client)
    assert shop.look(order)["refunded"] == 0
