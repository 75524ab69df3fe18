"""Clients whose calls do not show whether a mistake was made: a name begins with the rule that must not pass."""

from __future__ import annotations

import time
from contextlib import suppress
from http.client import HTTPException
from typing import Any, Final

from mock_server.testing import Sandbox
from tests.verdict.clients.broken import ANSWERED_200, authorized, receiver, rule, takes_events

LINES: Final = [{"product_name": "p" * 40, "quantity": 1, "amount": 10}]
ORDER: Final = {"merchant_order_reference_id": "order-1"}


def pays(sandbox: Sandbox, key: str | None = None, **fields: Any) -> None:
    with suppress(ConnectionError, HTTPException):
        sandbox.client.pay(idempotency_key=key, **fields)


def loses_a_sale(sandbox: Sandbox, **fields: Any) -> None:
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    pays(sandbox, "a", **fields)


def double_charge__with_a_number_for_each_attempt(sandbox: Sandbox) -> None:
    loses_a_sale(sandbox, metadata={"order": "1", "attempt": "1"})
    pays(sandbox, "b", metadata={"order": "1", "attempt": "2"})


def double_charge__though_it_had_looked(sandbox: Sandbox) -> None:
    loses_a_sale(sandbox, payment_id="pay_order_1", **ORDER)
    sandbox.client.get("/payments/pay_order_1")
    pays(sandbox, "b", **ORDER)


def double_charge__though_it_had_read_a_list(sandbox: Sandbox) -> None:
    loses_a_sale(sandbox, **ORDER)
    sandbox.client.get("/payments/list")
    pays(sandbox, "b", **ORDER)


def double_charge__by_a_sale_after_a_capture(sandbox: Sandbox) -> None:
    held = authorized(sandbox, **ORDER)
    rule(sandbox, "payments.capture", fault="empty_response", effect="kept")
    with suppress(ConnectionError, HTTPException):
        sandbox.client.post(f"/payments/{held}/capture", {}, idempotency_key="c")
    pays(sandbox, "b", **ORDER)


def double_charge__of_a_part_that_it_may_have_seen(sandbox: Sandbox) -> None:
    held = authorized(sandbox, capture_method="manual_multiple", **ORDER)
    rule(sandbox, "payments.capture", fault="empty_response", effect="kept")
    for amount in (1000, 2000, 1000):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.post(f"/payments/{held}/capture", {"amount_to_capture": amount})
    sandbox.client.post(f"/payments/{held}/cancel", {})


def double_charge__of_one_of_two_customers(sandbox: Sandbox) -> None:
    """The metadata of both is the same, and the first answer comes at last."""
    loses_a_sale(sandbox, metadata={"channel": "web"})
    for key in "ba":
        pays(sandbox, key, metadata={"channel": "web"})


def double_charge__whose_metadata_may_be_of_another_order(sandbox: Sandbox) -> None:
    loses_a_sale(sandbox, payment_id="pay_order_1", metadata={"channel": "web"})
    pays(sandbox, "b", metadata={"channel": "web"})
    sandbox.client.get("/payments/pay_order_1")


def double_charge__in_long_bodies(sandbox: Sandbox) -> None:
    order = {"order_details": LINES * 250, "metadata": {"order": "1"}}
    loses_a_sale(sandbox, **order)
    pays(sandbox, "b", **order)


def double_charge__of_what_was_pending(sandbox: Sandbox) -> None:
    sandbox.next("charge", settles={"after": "30s", "as": "succeeded"}, times=2)
    for key in "ab":
        pays(sandbox, key, **ORDER)
    sandbox.clock.advance(minutes=1)
    for call in sandbox.journal.calls("payments.create"):
        sandbox.client.get(f"/payments/{call.payment_id}")


def repeated_without_key__in_long_bodies(sandbox: Sandbox) -> None:
    for _ in range(2):
        rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
        pays(sandbox, order_details=LINES * 250)


def repeated_without_key__though_it_had_looked(sandbox: Sandbox) -> None:
    loses_a_sale(sandbox)
    sandbox.client.post("/payments/list", {})
    pays(sandbox, "b")


def refunded_twice__by_two_names_of_its_own(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay(amount=1000)["payment_id"]
    rule(sandbox, "refunds.create", fault="connection_reset", effect="kept")
    for name in ("ref_a", "ref_b", "ref_a"):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.post("/refunds", {"payment_id": paid, "amount": 100, "refund_id": name})


def refunded_twice__though_it_had_read_a_list(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay()["payment_id"]
    rule(sandbox, "refunds.create", fault="connection_reset", effect="kept")
    for key in "ab":
        with suppress(ConnectionError, HTTPException):
            sandbox.client.post("/refunds", {"payment_id": paid, "amount": 100}, idempotency_key=key)
        sandbox.client.post("/refunds/list", {})


def captured_after_expiry__as_a_long_answer_told(sandbox: Sandbox) -> None:
    held = authorized(sandbox, order_details=LINES * 60)
    sandbox.clock.advance(days=30)
    sandbox.client.post(f"/payments/{held}/capture", {})


def retried_decline__of_an_order_without_a_reference(sandbox: Sandbox) -> None:
    for key in "ab":
        pays(sandbox, key, card="lost_card", metadata={"order": "1"})


def retried_decline__in_long_answers(sandbox: Sandbox) -> None:
    for key in "ab":
        pays(sandbox, key, card="lost_card", order_details=LINES * 60, **ORDER)


def retried_too_soon__or_another_order(sandbox: Sandbox) -> None:
    sandbox.scenario("settings: {rate_limit: 1}\n")
    for key in "abc":
        pays(sandbox, key)


def retried_too_soon__without_a_key(sandbox: Sandbox) -> None:
    sandbox.scenario("settings: {rate_limit: 1}\n")
    for _ in range(3):
        pays(sandbox)


def amount_not_whole__after_many_lines(sandbox: Sandbox) -> None:
    order = {"order_details": LINES * 250, **sandbox.client.payment(), "amount": 42.5}
    order["amount_to_capture"] = order.pop("amount")
    sandbox.client.post("/payments", {**order, "amount": "4200"})


def webhook_acted_twice__with_another_payment(sandbox: Sandbox) -> None:
    """Its receiver sells something else for each copy of an event."""
    rule(sandbox, "webhook.payment_succeeded", copies=2)
    left = [True, True]

    def handle(event: dict[str, Any]) -> None:
        if event["event_type"] == "payment_succeeded" and left:
            left.pop()
            sandbox.client.pay()

    takes_events(sandbox, handle)
    sandbox.client.pay()
    sandbox.webhooks.settle(timeout=30)


def webhook_acted_twice__the_second_time_when_it_has_answered(sandbox: Sandbox) -> None:
    rule(sandbox, "webhook.payment_succeeded", copies=2)
    refunds: list[str] = []

    def handle(event: dict[str, Any]) -> None:
        if event["event_type"] == "payment_succeeded":
            refunds.append(event["content"]["object"]["payment_id"])
            if len(refunds) == 1:
                refund(refunds[0])

    def refund(paid: str) -> None:
        sandbox.client.post("/refunds", {"payment_id": paid, "amount": 100})

    takes_events(sandbox, handle)
    sandbox.client.pay()
    sandbox.webhooks.settle(timeout=30)
    time.sleep(0.01)  # past the last millisecond of its answer
    refund(refunds[1])


def first_page_only__of_a_period(sandbox: Sandbox) -> None:
    for number in range(11):
        pays(sandbox, f"order-{number}")
    sandbox.client.get("/payments/list", {"created_gte": "2020-01-01T00:00:00Z", "status": "failed"})
    sandbox.client.get("/payments/list", {"created_gte": "2020-01-01T00:00:00Z"})


def retried_decline__of_a_wallet(sandbox: Sandbox) -> None:
    wallet = {"google_pay": {"type": "CARD", "description": "Visa", "info": {}, "tokenization_data": {}}}
    paid = {"payment_method": "wallet", "payment_method_type": "google_pay", "payment_method_data": {"wallet": wallet}}
    sandbox.next("charge", decline="lost_card", times=2)
    for key in "ab":
        pays(sandbox, key, **paid, **ORDER)


def polled_steadily__with_a_jitter(sandbox: Sandbox) -> None:
    rule(sandbox, "charge", settles={"after": "1h", "as": "succeeded"})
    paid = sandbox.client.pay()["payment_id"]
    for seconds in (20, 27, 21, 26, 20, 27, 21):
        sandbox.client.get(f"/payments/{paid}")
        sandbox.clock.advance(seconds=seconds)


def double_charge__of_a_subscription_by_events(sandbox: Sandbox) -> None:
    """Its receiver hears of the first month, whose answer was lost."""
    sandbox.webhooks.connect(receiver(ANSWERED_200))
    loses_a_sale(sandbox, **ORDER)
    sandbox.webhooks.settle(timeout=30)
    sandbox.clock.advance(days=30)
    pays(sandbox, "b", **ORDER)
