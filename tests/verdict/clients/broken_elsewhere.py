"""The same mistakes in other places: a name begins with that of the rule, then two underscores."""

from __future__ import annotations

import re
from contextlib import suppress
from http.client import HTTPException
from typing import Any

from mock_server.testing import Sandbox
from tests.verdict.clients import broken
from tests.verdict.clients.broken import (
    ANSWERED_200,
    authorized,
    leaves_early,
    receiver,
    rule,
    takes_events,
    webhook_acted_twice,
)


def captured_twice__though_it_had_looked(sandbox: Sandbox) -> None:
    held = authorized(sandbox)
    rule(sandbox, "payments.capture", fault="empty_response", effect="kept")
    with suppress(ConnectionError, HTTPException):
        sandbox.client.post(f"/payments/{held}/capture", {}, idempotency_key="capture")
    assert sandbox.client.get(f"/payments/{held}")["status"] == "succeeded"
    sandbox.client.post(f"/payments/{held}/capture", {"amount_to_capture": 4200})


def captured_after_cancel__though_its_answer_was_lost(sandbox: Sandbox) -> None:
    sandbox.webhooks.connect(receiver(ANSWERED_200))
    held = authorized(sandbox)
    rule(sandbox, "payments.cancel", fault="empty_response", effect="kept")
    with suppress(ConnectionError, HTTPException):
        sandbox.client.post(f"/payments/{held}/cancel", {})
    sandbox.webhooks.settle(timeout=30)
    sandbox.client.post(f"/payments/{held}/capture", {})


def card_data_misplaced__with_percents(sandbox: Sandbox) -> None:
    sandbox.client.pay(metadata={"card": "".join(f"%{ord(digit):x}" for digit in sandbox.cards["success"].number)})


def card_data_misplaced__in_an_address(sandbox: Sandbox) -> None:
    number = "%2D".join(re.findall("....", sandbox.cards["success"].number))
    sandbox.client.pay(return_url=f"https://shop.example/thanks?card={number}")


def double_charge__with_another_refund_between(sandbox: Sandbox) -> None:
    other = sandbox.client.pay()["payment_id"]
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    with suppress(ConnectionError, HTTPException):
        sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key="a")
    sandbox.client.post("/refunds", {"payment_id": other})
    sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key="b")


def webhook_refused__to_the_last_try(sandbox: Sandbox) -> None:
    sandbox.webhooks.connect(receiver("500 Oops"))
    sandbox.client.pay()
    sandbox.webhooks.settle(timeout=30)
    sandbox.clock.advance(days=4)


def captured_after_expiry__as_it_was_told(sandbox: Sandbox) -> None:
    held = authorized(sandbox)
    sandbox.control.post(f"/payments/{held}/expire", {"what": "authorization"})
    assert sandbox.client.get(f"/payments/{held}")["status"] == "expired"
    sandbox.client.post(f"/payments/{held}/capture", {})


def double_charge__by_a_capture(sandbox: Sandbox) -> None:
    held = authorized(sandbox, capture_method="manual_multiple")
    rule(sandbox, "payments.capture", fault="empty_response", effect="kept")
    with suppress(ConnectionError, HTTPException):
        sandbox.client.post(f"/payments/{held}/capture", {"amount_to_capture": 1000}, idempotency_key="a")
    sandbox.client.post(f"/payments/{held}/capture", {"amount_to_capture": 1000})
    sandbox.client.post(f"/payments/{held}/cancel", {})


def refunded_twice__after_a_lost_answer(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay()["payment_id"]
    rule(sandbox, "refunds.create", fault="connection_reset", effect="kept")
    for key in "ab":
        with suppress(ConnectionError, HTTPException):
            sandbox.client.post("/refunds", {"payment_id": paid, "amount": 100}, idempotency_key=key)


def left_too_early__and_pays_something_else(sandbox: Sandbox) -> None:
    leaves_early(sandbox, idempotency_key="order-1")
    sandbox.client.pay(amount=1999, idempotency_key="order-2")


def challenge_not_followed__of_one_of_two(sandbox: Sandbox) -> None:
    rule(sandbox, "charge", challenge="approved")
    paid = sandbox.client.pay(return_url="https://shop.example/back")
    sandbox.client.get(paid["next_action"]["redirect_to_url"].removeprefix(sandbox.url))
    sandbox.scenarios.turn_off("on_charge")
    rule(sandbox, "charge", challenge="approved")
    sandbox.client.pay(return_url="https://shop.example/back")
    sandbox.clock.advance(days=2)


def webhook_acted_twice__and_something_before(sandbox: Sandbox) -> None:
    other = sandbox.client.pay()["payment_id"]
    sandbox.client.post("/refunds", {"payment_id": other, "amount": 100})
    webhook_acted_twice(sandbox)


def refunded_too_much__after_that_sum_of_another(sandbox: Sandbox) -> None:
    for amount in (9000, 4200):
        paid = sandbox.client.pay(amount=amount)["payment_id"]
        sandbox.client.post("/refunds", {"payment_id": paid, "amount": 5000})


def retried_decline__of_one_payment(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay("lost_card").json()
    profile = f"/account/{paid['merchant_id']}/business_profile/{paid['profile_id']}"
    sandbox.client.post(profile, {"is_manual_retry_enabled": True})
    card = {"payment_method": "card", "payment_method_data": {"card": sandbox.cards["lost_card"].as_data()}}
    sandbox.client.post(f"/payments/{paid['payment_id']}/confirm", card)


def repeated_without_key__though_nothing_had_happened(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.create", fault="connection_reset", effect="none")
    with suppress(ConnectionError, HTTPException):
        sandbox.client.pay(merchant_order_reference_id="order-1")
    sandbox.client.pay(merchant_order_reference_id="order-1")


def repeated_without_key__and_refused(sandbox: Sandbox) -> None:
    held = authorized(sandbox)
    rule(sandbox, "payments.capture", fault="empty_response", effect="kept")
    for _ in range(2):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.post(f"/payments/{held}/capture", {})


def repeated_without_key__of_a_confirmation(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.confirm", fault="connection_reset", effect="kept")
    for _ in range(2):
        payment = sandbox.client.pay(confirm=False)["payment_id"]
        with suppress(ConnectionError, HTTPException):
            sandbox.client.post(f"/payments/{payment}/confirm", {})


def double_charge__by_a_new_confirmation(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.confirm", fault="connection_reset", effect="kept")
    for _ in range(2):
        payment = sandbox.client.pay(confirm=False, metadata={"order": "1"}, customer_id="cus_anna")["payment_id"]
        with suppress(ConnectionError, HTTPException):
            sandbox.client.post(f"/payments/{payment}/confirm", {})


def double_charge__that_settles_later(sandbox: Sandbox) -> None:
    rules = [
        {"on": "charge", "then": {"settles": {"after": "30s", "as": "succeeded"}}},
        {"on": "payments.create", "times": 1, "then": {"fault": "connection_reset", "effect": "kept"}},
    ]
    sandbox.scenario({"version": 1, "name": "slow", "summary": "made for a client", "rules": rules})
    for key in "ab":
        with suppress(ConnectionError, HTTPException):
            sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key=key)
    sandbox.clock.advance(minutes=1)
    for call in sandbox.journal.calls("payments.create"):
        sandbox.client.get(f"/payments/{call.payment_id}")


def double_charge__with_a_receiver(sandbox: Sandbox) -> None:
    """Its handler reads the payment, and tells the thread that waits for an answer nothing."""

    def handle(event: dict[str, Any]) -> None:
        sandbox.client.get(f"/payments/{event['content']['object']['payment_id']}")

    takes_events(sandbox, handle)
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    for _ in range(2):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.pay(merchant_order_reference_id="order-1")
        sandbox.webhooks.settle(timeout=30)


def double_charge__by_a_capture_that_an_event_told_of(sandbox: Sandbox) -> None:
    sandbox.webhooks.connect(receiver(ANSWERED_200))
    held = authorized(sandbox, capture_method="manual_multiple")
    rule(sandbox, "payments.capture", fault="empty_response", effect="kept")
    for _ in range(2):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.post(f"/payments/{held}/capture", {"amount_to_capture": 2100})
        sandbox.webhooks.settle(timeout=30)


def double_charge__after_a_repeat_that_was_lost_too(sandbox: Sandbox) -> None:
    sandbox.next("payments.create", fault="connection_reset", effect="kept", times=2)
    for key in "aab":
        with suppress(ConnectionError, HTTPException):
            sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key=key)


def double_charge__before_it_asks_for_the_answer(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    for key in "aba":
        with suppress(ConnectionError, HTTPException):
            sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key=key)


def captured_after_cancel__after_a_call_that_never_arrived(sandbox: Sandbox) -> None:
    held = authorized(sandbox)
    sandbox.client.post(f"/payments/{held}/cancel", {})
    rule(sandbox, "payments.capture", fault="connection_reset", effect="none")
    for _ in range(2):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.post(f"/payments/{held}/capture", {}, idempotency_key="capture")


def repeated_without_key__of_a_payment_that_failed_later(sandbox: Sandbox) -> None:
    sandbox.next("charge", settles={"after": "30s", "as": "failed"})
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    for key in "ab":
        with suppress(ConnectionError, HTTPException):
            sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key=key)
        sandbox.clock.advance(minutes=1)


def repeated_without_key__and_refused_though_an_event_told(sandbox: Sandbox) -> None:
    sandbox.webhooks.connect(receiver(ANSWERED_200))
    held = authorized(sandbox)
    rule(sandbox, "payments.capture", fault="empty_response", effect="kept")
    for _ in range(2):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.post(f"/payments/{held}/capture", {})
        sandbox.webhooks.settle(timeout=30)


def loses_its_first_sale(sandbox: Sandbox, card: str = "success") -> str:
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    with suppress(ConnectionError, HTTPException):
        sandbox.client.pay(card, merchant_order_reference_id="order-1", idempotency_key="a")
    return str(sandbox.journal.calls("payments.create")[0].payment_id)


def double_charge__after_a_refund_that_failed(sandbox: Sandbox) -> None:
    first = loses_its_first_sale(sandbox, "refund_fails")
    sandbox.client.post("/refunds", {"payment_id": first}, idempotency_key="r")
    sandbox.client.pay("refund_fails", merchant_order_reference_id="order-1", idempotency_key="b")


def double_charge__after_a_refund_of_a_part(sandbox: Sandbox) -> None:
    first = loses_its_first_sale(sandbox)
    for amount in (1, 4198):
        sandbox.client.post("/refunds", {"payment_id": first, "amount": amount})
    sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key="b")


def refunded_twice__without_an_amount(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay()["payment_id"]
    for _ in range(2):
        sandbox.client.post("/refunds", {"payment_id": paid})


def refunded_twice__the_second_without_an_amount(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay()["payment_id"]
    for said in ({"amount": 4200}, {}):
        sandbox.client.post("/refunds", {"payment_id": paid, **said})


def refunded_too_much__without_an_amount(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay()["payment_id"]
    for said in ({"amount": 1000}, {}):
        sandbox.client.post("/refunds", {"payment_id": paid, **said})


def authorization_open__after_a_challenge(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay("visa_3ds_required", capture_method="manual")["payment_id"]
    sandbox.trigger.authenticate(paid, "approved")
    assert sandbox.client.get(f"/payments/{paid}")["status"] == "requires_capture"


def repeated_without_key__of_a_capture_that_fits_no_more(sandbox: Sandbox) -> None:
    held = authorized(sandbox, capture_method="manual_multiple")
    rule(sandbox, "payments.capture", fault="connection_reset", effect="kept")
    for number in range(2):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.post(f"/payments/{held}/capture", {"amount_to_capture": 3000}, idempotency_key=f"c{number}")
    sandbox.client.post(f"/payments/{held}/cancel", {}, idempotency_key="end")


def double_charge__with_a_key_that_is_forgotten(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    for _ in range(2):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key="order-1")
        sandbox.clock.advance(hours=25)


def double_charge__with_one_key_for_two_paths(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.confirm", fault="connection_reset", effect="kept")
    for _ in range(2):
        payment = sandbox.client.pay(confirm=False, merchant_order_reference_id="order-1")["payment_id"]
        with suppress(ConnectionError, HTTPException):
            sandbox.client.post(f"/payments/{payment}/confirm", {}, idempotency_key="order-1")


def refunded_twice__with_a_key_that_is_forgotten(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay()["payment_id"]
    rule(sandbox, "refunds.create", fault="connection_reset", effect="kept")
    for _ in range(2):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.post("/refunds", {"payment_id": paid, "amount": 100}, idempotency_key="refund-1")
        sandbox.clock.advance(hours=25)


def double_charge__after_a_timeout_of_the_server(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.create", respond={"status": 408}, effect="kept")
    for key in "ab":
        sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key=key)


def refunded_twice__after_an_answer_that_says_nothing(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay()["payment_id"]
    rule(sandbox, "refunds.create", respond={"status": 200, "body": ""}, effect="kept")
    for key in "ab":
        sandbox.client.post("/refunds", {"payment_id": paid, "amount": 100}, idempotency_key=key)


def double_charge__with_a_key_that_is_forgotten_and_a_receiver(sandbox: Sandbox) -> None:
    """It repeats the call, and knows nothing of what its receiver heard."""
    sandbox.webhooks.connect(receiver(ANSWERED_200))
    double_charge__with_a_key_that_is_forgotten(sandbox)


def amount_not_whole__of_a_line(sandbox: Sandbox) -> None:
    sandbox.client.pay(order_details=[{"product_name": "p", "quantity": 1, "amount": 10.5}])


def retried_too_soon__as_its_body_shows(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.create", respond={"status": 429, "headers": {"Retry-After": "30"}, "body": {}})
    for _ in range(2):
        sandbox.client.pay()


def mandate_overstepped__by_a_second_use(sandbox: Sandbox) -> None:
    mandate = broken.subscribed(sandbox, "single_use")
    broken.renews(sandbox, mandate)
    broken.renews(sandbox, mandate)


def mandate_overstepped__by_its_amount(sandbox: Sandbox) -> None:
    broken.renews(sandbox, broken.subscribed(sandbox), 10_001)


def mandate_overstepped__by_its_end(sandbox: Sandbox) -> None:
    mandate = broken.subscribed(sandbox, end_date=sandbox.clock.state()["now"])
    sandbox.clock.advance(days=1)
    broken.renews(sandbox, mandate)


def mandate_overstepped__by_recurring_details(sandbox: Sandbox) -> None:
    stored = {"type": "mandate_id", "data": broken.subscribed(sandbox)}
    broken.renews(sandbox, "", amount=20_000, mandate_id=None, recurring_details=stored)


def mandate_overstepped__by_an_increment(sandbox: Sandbox) -> None:
    more: dict[str, Any] = {"capture_method": "manual", "request_incremental_authorization": True}
    held = broken.renews(sandbox, broken.subscribed(sandbox), **more)
    sandbox.client.post(f"/payments/{held}/incremental_authorization", {"amount": 20_000})
    sandbox.client.post(f"/payments/{held}/cancel", {})


def mandate_overstepped__by_a_second_use_after_it_had_looked(sandbox: Sandbox) -> None:
    mandate = broken.subscribed(sandbox, "single_use")
    rule(sandbox, "payments.create", fault="empty_response", effect="kept")
    with suppress(ConnectionError, HTTPException):
        broken.renews(sandbox, mandate)
    sandbox.client.get("/payments/list")
    broken.renews(sandbox, mandate, 4300)


def repeated_without_key__by_a_mandate_of_one_use(sandbox: Sandbox) -> None:
    mandate = broken.subscribed(sandbox, "single_use")
    rule(sandbox, "payments.create", fault="empty_response", effect="kept")
    for _ in range(2):
        with suppress(ConnectionError, HTTPException):
            broken.renews(sandbox, mandate, merchant_order_reference_id="order-1")


def captured_twice__while_the_first_capture_is_pending(sandbox: Sandbox) -> None:
    held = authorized(sandbox)
    rule(sandbox, "payments.capture", outcome="pending")
    for _ in range(2):
        sandbox.client.post(f"/payments/{held}/capture", {})
