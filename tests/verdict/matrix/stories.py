"""What the shop has to do, and what goes wrong meanwhile: the same for the correct shop and for every mistaken one."""

from __future__ import annotations

from contextlib import suppress
from threading import Event

from tests.verdict.matrix.shop import SETTLE_S, GaveUp, Json, Shop, Told


def rule(shop: Shop, on: str, **then: object) -> None:
    """What the sandbox does to each webhook of a kind, from now on."""
    rules = [{"on": on, "then": then}]
    shop.sandbox.scenario({"version": 1, "name": f"on_{on[8:].replace('*', 'any')}", "summary": "ours", "rules": rules})


def settled(shop: Shop) -> None:
    shop.sandbox.webhooks.settle(timeout=60)


# answers that are lost


def loses_a_payment(shop: Shop) -> None:
    is_separate = shop.cell.flow == "separate"
    shop.lose("payments.confirm" if is_separate else "payments.create", "/confirm" if is_separate else "/payments")
    shop.pay(shop.order())


def loses_a_part_of_a_capture(shop: Shop) -> None:
    held = shop.hold(capture_method="manual_multiple")
    shop.lose("payments.capture", "/capture")
    shop.capture(held, 1000)


def loses_a_refund(shop: Shop) -> None:
    paid = shop.pay(shop.order())["payment_id"]
    shop.lose("refunds.create", "/refunds")
    shop.refund(paid)


def sells_the_same_thing_twice(shop: Shop) -> None:
    """The customer wants it three times; the answer to the second sale is lost."""
    shop.pay(shop.order())
    loses_a_payment(shop)
    settled(shop)
    shop.pay(shop.order())


def waits_long_for_an_answer(shop: Shop) -> None:
    shop.sandbox.next("payments.create", delay="1s")
    shop.losing = "/payments"
    with suppress(GaveUp):
        shop.pay(shop.order(confirm=True))


# the API says no, or not now


def is_over_the_limit(shop: Shop) -> None:
    said = {"status": 429, "headers": {"Retry-After": "30"}, "body": {}}
    shop.sandbox.next("payments.create", respond=said)
    shop.pay(shop.order())


def meets_a_broken_server(shop: Shop) -> None:
    shop.sandbox.next("payments.create", error="HE_00", times=100)
    with suppress(GaveUp):
        shop.pay(shop.order())


def is_declined_for_good(shop: Shop) -> None:
    """The customer has another card."""
    shop.buys("lost_card")


def offers_a_declined_payment_for_capture(shop: Shop) -> None:
    shop.card = "insufficient_funds"
    shop.ship(shop.move("/payments", shop.order(capture_method="manual", confirm=True), "declined"))


def gives_back_a_declined_payment(shop: Shop) -> None:
    shop.card = "insufficient_funds"
    shop.give_back(shop.move("/payments", shop.order(confirm=True, capture_method="automatic"), "declined"))


# what takes its time


def challenges_the_customer(shop: Shop) -> None:
    shop.sandbox.next("charge", challenge="approved")
    order = shop.order(confirm=True, capture_method="automatic", return_url="https://shop.example/back")
    shop.needs_action(shop.move("/payments", order, "challenged"))
    shop.let_pass(2 * 86_400)


def _pays_slowly(shop: Shop, capture_method: str) -> Told:
    shop.sandbox.next("charge", settles={"after": "5m", "as": "succeeded"})
    return shop.move("/payments", shop.order(confirm=True, capture_method=capture_method), "slow")


def waits_for_a_settlement(shop: Shop) -> None:
    paid = _pays_slowly(shop, "automatic")
    shop.state[paid["payment_id"]] = "pending"
    shop.follow(paid)
    shop.let_pass(600)


def offers_a_pending_payment_for_capture(shop: Shop) -> None:
    paid = _pays_slowly(shop, "manual")
    shop.ship(paid)
    shop.let_pass(600)
    shop.ship(shop.read(paid["payment_id"]))


def gives_back_a_pending_payment(shop: Shop) -> None:
    paid = _pays_slowly(shop, "automatic")
    shop.give_back(paid)
    shop.let_pass(600)
    shop.give_back(shop.read(paid["payment_id"]))


def charges_each_month(shop: Shop) -> None:
    """The customer revokes the mandate after the first month."""
    limit = {"multi_use": {"amount": 10_000, "currency": "EUR"}}
    mandate = {"mandate_type": limit, "customer_acceptance": {"acceptance_type": "offline"}}
    order = shop.order(confirm=True, capture_method="automatic", setup_future_usage="off_session", mandate_data=mandate)
    first = shop.move("/payments", order, "first")
    shop.move(f"/mandates/revoke/{first['mandate_id']}", {}, "revoke")
    shop.let_pass(30 * 86_400)
    shop.renew(first)


def lets_an_authorization_expire(shop: Shop) -> None:
    held = shop.hold()
    shop.let_pass(30 * 86_400)
    shop.capture_late(held)


def holds_more_than_it_needs(shop: Shop) -> None:
    shop.capture_goods(shop.hold(4200), 4000)


def sells_what_is_sold_out(shop: Shop) -> None:
    shop.sold_out(shop.hold())


def captures_once(shop: Shop) -> None:
    held = shop.hold()
    shop.capture(held)
    shop.close_the_day(held)


def gives_money_back(shop: Shop) -> None:
    shop.returned(shop.pay(shop.order())["payment_id"])


# webhooks


def takes_forged_events(shop: Shop) -> None:
    rule(shop, "webhook.payment_succeeded", signature="wrong")
    shop.pay(shop.order())
    settled(shop)


def takes_events_twice(shop: Shop) -> None:
    """The handler captures a part of what is held, for the goods that are in the warehouse."""
    rule(shop, "webhook.payment_authorized", copies=2)

    def ship(event: Json) -> None:
        if event["event_type"] == "payment_authorized":
            shop.capture(event["content"]["object"]["payment_id"], 1000)

    shop.on_event = ship
    held = shop.hold(capture_method="manual_multiple")
    settled(shop)
    if not shop.cell.receiver:
        shop.capture(held, 1000)


def is_told_twice(shop: Shop) -> None:
    """The goods leave the warehouse when an event says so, and no call does."""
    rule(shop, "webhook.payment_succeeded", copies=2)
    shop.pay(shop.order())
    settled(shop)


def takes_events_late(shop: Shop) -> None:
    """The event of the authorization comes after that of the capture."""
    rule(shop, "webhook.payment_authorized", deliver={"following": "payment_succeeded"})
    held, answered = shop.hold(), Event()

    def after_the_answer(event: Json) -> None:
        """Both events can come before the shop has read what the capture answered: they wait for it."""
        if event["event_type"] == "payment_succeeded":
            assert answered.wait(SETTLE_S)

    shop.on_event = after_the_answer
    shop.capture(held)
    answered.set()
    settled(shop)
    if shop.state.get(held) == "requires_capture":
        shop.capture(held, part=2)


def takes_stale_events(shop: Shop) -> None:
    rule(shop, "webhook.payment_succeeded", body="stale")
    shop.pay(shop.order())
    settled(shop)


def takes_events(shop: Shop) -> None:
    paid = shop.pay(shop.order())["payment_id"]
    shop.refund(paid)
    settled(shop)
    shop.let_pass(4 * 86_400)


# what is in a call


def sells_for_an_odd_price(shop: Shop) -> None:
    shop.pay(shop.order(1999))


def sells_two_things_of_one_price(shop: Shop) -> None:
    for _ in range(2):
        shop.pay(shop.order())


def shows_a_page(shop: Shop) -> None:
    shop.page(shop.pay(shop.order())["payment_id"])


def makes_up_its_accounts(shop: Shop) -> None:
    for number in range(11):
        shop.move("/payments", shop.order(capture_method="automatic", confirm=True), f"sale {number}")
    shop.listed()


def makes_many_calls(shop: Shop) -> None:
    paid = shop.pay(shop.order())["payment_id"]
    for _ in range(25):
        shop.let_pass(60)
        shop.call("GET", "/health")
    shop.read(paid)
