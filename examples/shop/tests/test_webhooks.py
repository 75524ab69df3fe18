"""Events: forged, repeated, early and outdated ones."""

from __future__ import annotations

import pytest

from conftest import Customer
from payment_sandbox import Sandbox


@pytest.fixture
def shop(shop: Customer, payment_sandbox: Sandbox) -> Customer:
    """The shop receives events."""
    payment_sandbox.webhooks.connect(shop.app)
    return shop


def test_a_genuine_event_settles_a_pending_payment(shop: Customer, payment_sandbox: Sandbox) -> None:
    order = shop.order()
    assert shop.pay(order, "pending_succeeds")["state"] == "waiting"
    payment_sandbox.clock.advance(seconds=10)
    assert shop.look(order)["state"] == "paid"
    assert shop.parcels == [order]


def test_a_forged_event_is_refused(shop: Customer, payment_sandbox: Sandbox) -> None:
    with payment_sandbox.scenario("webhook_bad_signature"):  # refuse the first delivery, accept the genuine retry
        shop.pay(shop.order())
        payment_sandbox.webhooks.wait_for("payment_succeeded")
        payment_sandbox.clock.advance(minutes=1)


def test_an_event_that_arrives_three_times_ships_once(shop: Customer, payment_sandbox: Sandbox) -> None:
    with payment_sandbox.scenario("duplicate_webhooks"):
        order = shop.order()
        shop.pay(order)
        payment_sandbox.webhooks.wait_for("payment_succeeded")
    assert shop.parcels == [order]


def test_an_event_may_arrive_before_the_answer(shop: Customer, payment_sandbox: Sandbox) -> None:
    payment_sandbox.next("payments.create", fault="connection_reset", effect="kept", times=4)
    with payment_sandbox.scenario("webhook_before_response"):
        order = shop.order()
        shop.pay(order)
    assert shop.look(order)["state"] == "paid"
    assert shop.parcels == [order]


def test_an_outdated_event_is_not_trusted(shop: Customer, payment_sandbox: Sandbox) -> None:
    with payment_sandbox.scenario("stale_webhook"):
        order = shop.order()
        shop.pay(order)
        payment_sandbox.webhooks.wait_for("payment_succeeded")
    assert shop.look(order)["state"] == "paid"


def test_events_in_the_wrong_order_are_handled(shop: Customer, payment_sandbox: Sandbox) -> None:
    with payment_sandbox.scenario("webhooks_out_of_order"):
        order = shop.order()
        shop.pay(order)
        payment_sandbox.clock.advance(seconds=30)
    assert shop.look(order)["state"] == "paid"
    assert shop.parcels == [order]


def test_a_late_event_of_a_declined_try_changes_nothing(shop: Customer, payment_sandbox: Sandbox) -> None:
    order = shop.order()
    shop.pay(order, "insufficient_funds")
    late = payment_sandbox.webhooks.wait_for("payment_failed")
    payment_sandbox.next("payments.create", fault="connection_reset", effect="kept", times=4)
    payment_sandbox.next("webhook.payment_succeeded", drop=True)
    shop.pay(order)  # it is charged, but the shop does not know that yet
    payment_sandbox.webhooks.resend(late)
    assert shop.look(order)["state"] == "waiting"
    assert shop.pay(order)["state"] == "paid"
    assert [paid["status"] for paid in payment_sandbox.client.get("/payments/list")["data"]] == ["succeeded", "failed"]
