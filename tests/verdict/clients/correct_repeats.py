"""Correct clients whose calls look like repeated ones, or that repeat a call in the right way."""

from __future__ import annotations

from contextlib import suppress
from http.client import HTTPException
from typing import Any

from mock_server.testing import Sandbox
from tests.verdict.clients import broken
from tests.verdict.clients.broken import rule, takes_events
from tests.verdict.clients.correct import AT_ONCE


def sells_the_same_thing_twice(sandbox: Sandbox) -> None:
    """To one customer, without any name for an order; the answer to the first sale is lost."""
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    for key in ("first", "first", "second"):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.pay(customer_id="cus_anna", idempotency_key=key)


def sells_another_thing_for_the_same_price(sandbox: Sandbox) -> None:
    """And never hears of the first sale."""
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    for number in range(2):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.pay(merchant_order_reference_id=f"order-{number}", idempotency_key=f"order-{number}")


def sells_to_another_customer(sandbox: Sandbox) -> None:
    """Its metadata says only which till it is."""
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    for name in ("anna", "bert"):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.pay(metadata={"till": "7"}, customer_id=f"cus_{name}", idempotency_key=name)


def has_ids_of_its_own(sandbox: Sandbox) -> None:
    for on in ("payments.create", "refunds.create"):
        rule(sandbox, on, fault="connection_reset", effect="kept")
    for path, body in (
        ("/payments", {**sandbox.client.payment(), "payment_id": "pay_order_1"}),
        ("/refunds", {"payment_id": "pay_order_1", "refund_id": "ref_order_1", "amount": 100}),
    ):
        for _ in range(2):
            with suppress(ConnectionError, HTTPException):
                sandbox.client.post(path, body)


def cancels_a_lost_charge_before_it_charges_again(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    for key in ("order-1", "order-1-again"):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.pay(capture_method="manual", merchant_order_reference_id="order-1", idempotency_key=key)
        for call in sandbox.journal.calls("payments.create")[:1]:
            sandbox.client.post(f"/payments/{call.payment_id}/cancel", {})


def gives_up_on_a_broken_server(sandbox: Sandbox) -> None:
    sandbox.next("payments.create", error="HE_00", times=20)
    for number in range(12):
        sandbox.client.pay(idempotency_key="order-1")
        sandbox.clock.advance(seconds=2**number)


def asks_for_another_card(sandbox: Sandbox) -> None:
    for card in ("lost_card", "mastercard_success", "lost_card"):
        reference = "order-2" if card == "lost_card" and sandbox.journal.last > 1 else "order-1"
        sandbox.client.pay(card, merchant_order_reference_id=reference, idempotency_key=f"{card} {reference}")


def takes_the_next_card_at_once(sandbox: Sandbox) -> None:
    for card in ("lost_card", "mastercard_success"):
        sandbox.client.pay(card, merchant_order_reference_id="order-1", idempotency_key=card)


def reads_every_page(sandbox: Sandbox) -> None:
    for number in range(11):
        sandbox.client.pay(idempotency_key=f"order-{number}")
    for asked in ({}, {"offset": 10}, {"limit": 3}, {"customer_id": "cus_anna"}):
        sandbox.client.get("/payments/list", asked)


def retrieves_the_payment_of_each_event(sandbox: Sandbox) -> None:
    """It does not poll: it reads what is true when an event comes."""

    def handle(event: dict[str, Any]) -> None:
        sandbox.client.get(f"/payments/{event['content']['object']['payment_id']}")

    takes_events(sandbox, handle)
    paid = sandbox.client.pay()["payment_id"]
    sandbox.webhooks.settle(timeout=AT_ONCE)
    for told in [sandbox.webhooks.all("payment_succeeded", payment_id=paid)[0]] * 6:
        sandbox.webhooks.resend(told)


def notes_something_about_an_earlier_parcel(sandbox: Sandbox) -> None:
    """Two parcels of one order cost the same."""
    first = sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key="a")["payment_id"]
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    with suppress(ConnectionError, HTTPException):
        sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key="b")
    sandbox.client.post(f"/payments/{first}/update_metadata", {"metadata": {"parcel": "sent"}})


def confirms_another_order_after_a_lost_confirmation(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.confirm", fault="connection_reset", effect="kept")
    for amount in (1000, 2000):
        payment = sandbox.client.pay(confirm=False, amount=amount)["payment_id"]
        with suppress(ConnectionError, HTTPException):
            sandbox.client.post(f"/payments/{payment}/confirm", {})


def lists_what_it_has_sold_so_far(sandbox: Sandbox) -> None:
    for number in range(11):
        if number == 10:
            sandbox.client.get("/payments/list")
        sandbox.client.pay(idempotency_key=f"order-{number}")


def prepares_two_payments(sandbox: Sandbox) -> None:
    """Which it does not confirm."""
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    for _ in range(2):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.post("/payments", {"amount": 4200, "currency": "EUR", "profile_id": "pro_tests"})


def polls_at_growing_intervals(sandbox: Sandbox) -> None:
    """Up to a longest one, each a little longer or shorter."""
    rule(sandbox, "charge", settles={"after": "1h", "as": "succeeded"})
    paid = sandbox.client.pay()["payment_id"]
    for seconds in (2, 5, 9, 17, 31, 29, 32, 28):
        sandbox.client.get(f"/payments/{paid}")
        sandbox.clock.advance(seconds=seconds)
    sandbox.clock.advance(hours=1)
    sandbox.client.get(f"/payments/{paid}")


def cancels_or_gives_back(sandbox: Sandbox) -> None:
    """It was too late to cancel, so that it refunds."""
    paid = sandbox.client.pay()["payment_id"]
    if sandbox.client.post(f"/payments/{paid}/cancel", {}).status == 400:
        sandbox.client.post("/refunds", {"payment_id": paid})


def renews_within_the_mandate(sandbox: Sandbox) -> None:
    mandate = broken.subscribed(sandbox)
    broken.renews(sandbox, mandate)
    broken.renews(sandbox, mandate)
    sandbox.client.post(f"/mandates/revoke/{mandate}", {})


def waits_before_it_captures_and_refunds(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay("visa_pending_succeeds", capture_method="manual")["payment_id"]
    sandbox.clock.advance(minutes=1)
    if sandbox.client.get(f"/payments/{paid}")["status"] == "requires_capture":
        sandbox.client.post(f"/payments/{paid}/capture", {})
        sandbox.client.post("/refunds", {"payment_id": paid, "amount": 100})


def revokes_again_after_a_lost_answer(sandbox: Sandbox) -> None:
    mandate = broken.subscribed(sandbox)
    rule(sandbox, "mandates.revoke", fault="empty_response", effect="kept")
    for _ in range(2):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.post(f"/mandates/revoke/{mandate}", {})


def charges_a_mandate_that_ended_by_hand(sandbox: Sandbox) -> None:
    """It could not know that."""
    mandate = broken.subscribed(sandbox)
    by_hand = {"User-Agent": "payment-sandbox-command"}
    sandbox.client.request("POST", f"/mandates/revoke/{mandate}", {}, headers=by_hand)
    broken.renews(sandbox, mandate)


def cancels_what_it_could_not_refund(sandbox: Sandbox) -> None:
    held = broken.authorized(sandbox)
    if sandbox.client.post("/refunds", {"payment_id": held}).status >= 400:
        sandbox.client.post(f"/payments/{held}/cancel", {})


def refunds_a_part_once_the_rest_is_released(sandbox: Sandbox) -> None:
    held = broken.authorized(sandbox, capture_method="manual_multiple")
    sandbox.client.post(f"/payments/{held}/capture", {"amount_to_capture": 2100})
    for _ in range(2):
        sandbox.client.post("/refunds", {"payment_id": held, "amount": 100})
        sandbox.client.post(f"/payments/{held}/cancel", {})


def refunds_again_once_the_money_has_come(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay("visa_pending_succeeds")["payment_id"]
    for number in range(2):
        sandbox.client.post("/refunds", {"payment_id": paid, "amount": 100}, idempotency_key=f"try-{number}")
        sandbox.clock.advance(minutes=1)
        sandbox.client.get(f"/payments/{paid}")


def refunds_what_failed_by_hand(sandbox: Sandbox) -> None:
    """It could not know that."""
    paid = sandbox.client.pay("visa_pending")["payment_id"]
    sandbox.trigger.fail(paid, "insufficient_funds")
    sandbox.client.post("/refunds", {"payment_id": paid})
    sandbox.client.get(f"/payments/{paid}")


def shows_an_order_now_and_then(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay()["payment_id"]
    for _ in range(8):
        sandbox.clock.advance(hours=3)
        sandbox.client.get(f"/payments/{paid}")
