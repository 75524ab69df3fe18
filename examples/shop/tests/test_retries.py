"""Broken connections, and a busy API."""

from __future__ import annotations

import pytest

from conftest import Customer
from payment_sandbox import Sandbox


def test_a_lost_answer_is_retried_with_the_same_key(shop: Customer, payment_sandbox: Sandbox) -> None:
    with payment_sandbox.scenario("lost_response"):  # its assertions: two calls and one payment
        order = shop.order()
        assert shop.pay(order)["state"] == "paid"
    first, second = payment_sandbox.journal.assert_called("payments.create", times=2)
    assert second.replayed and second.response["payment_id"] == first.payment_id
    assert shop.parcels == [order]


def test_a_call_that_hangs_times_out_and_is_retried(shop: Customer, payment_sandbox: Sandbox) -> None:
    with payment_sandbox.scenario("retry_after_timeout"):
        assert shop.pay(shop.order())["state"] == "paid"


@pytest.mark.payment_sandbox("rate_limited")  # three calls per minute, and at most one 429
def test_retry_after_is_respected(shop: Customer) -> None:
    states = [shop.pay(shop.order())["state"] for _ in range(5)]
    assert states == ["paid"] * 5


def test_without_any_answer_the_order_waits_for_the_event(shop: Customer, payment_sandbox: Sandbox) -> None:
    payment_sandbox.next("payments.create", fault="connection_reset", effect="kept", times=4)
    order = shop.order()
    assert shop.pay(order) == {"message": "we will know soon"}
    assert shop.look(order)["state"] == "waiting"

    payment_sandbox.webhooks.deliver("payment_succeeded", to=shop.client)
    assert shop.look(order)["state"] == "paid"
    assert shop.parcels == [order]
