"""Correct clients: each does what one has to do in a place where another one goes wrong."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from typing import Any

from mock_server.testing import Sandbox
from tests.verdict.clients.broken import ANSWERED_200, authorized, leaves_early, receiver, rule, takes_events

AT_ONCE = 30


def repeats_with_the_same_key(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    for _ in range(2):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key="order-1")


def pays_a_second_order_after_a_lost_answer(sandbox: Sandbox) -> None:
    repeats_with_the_same_key(sandbox)
    sandbox.client.pay(merchant_order_reference_id="order-2", idempotency_key="order-2")


def tries_another_card_after_a_lost_decline(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.create", fault="truncated_body", effect="kept")
    with suppress(ConnectionError, HTTPException, ValueError):
        sandbox.client.pay("insufficient_funds", merchant_order_reference_id="order-1", idempotency_key="a")
    sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key="b")


def captures_in_parts_and_refunds_in_parts(sandbox: Sandbox) -> None:
    held = authorized(sandbox, capture_method="manual_multiple")
    for number in range(2):
        sandbox.client.post(f"/payments/{held}/capture", {"amount_to_capture": 2100}, idempotency_key=f"c{number}")
    for number in range(2):
        sandbox.client.post("/refunds", {"payment_id": held, "amount": 2100}, idempotency_key=f"r{number}")


def refunds_once_more_what_is_disputed(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay(amount=2000)["payment_id"]
    sandbox.client.post("/refunds", {"payment_id": paid, "amount": 100}, idempotency_key="r1")
    sandbox.control.post(f"/payments/{paid}/dispute", {})
    sandbox.client.post("/refunds", {"payment_id": paid, "amount": 100}, idempotency_key="r2")


def looks_after_a_pending_payment(sandbox: Sandbox) -> None:
    rule(sandbox, "charge", settles={"after": "30s", "as": "succeeded"})
    paid = sandbox.client.pay()["payment_id"]
    pause = 1
    while sandbox.client.get(f"/payments/{paid}")["status"] == "pending":
        sandbox.clock.advance(seconds=pause)
        pause *= 2


def takes_each_event_once(sandbox: Sandbox) -> None:
    """Its receiver refuses what is not signed, and acts on an event once, with a key that follows from the event."""
    seen: set[str] = set()
    secret = sandbox.webhook_secret.encode()

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        body = environ["wsgi.input"].read()
        own = hmac.new(secret, body, hashlib.sha512).hexdigest()
        if not hmac.compare_digest(own, environ.get("HTTP_X_WEBHOOK_SIGNATURE_512", "")):
            start_response("401 Unauthorized", [])
            return [b""]
        event = json.loads(body)
        if event["event_id"] not in seen and event["event_type"] == "payment_succeeded":
            seen.add(event["event_id"])
            paid = {"payment_id": event["content"]["object"]["payment_id"], "amount": 100}
            sandbox.client.post("/refunds", paid, idempotency_key=event["event_id"])
        start_response(ANSWERED_200, [])
        return [b""]

    sandbox.webhooks.connect(app)
    sandbox.scenario("duplicate_webhooks")
    sandbox.client.pay()
    sandbox.webhooks.settle(timeout=AT_ONCE)
    sandbox.scenarios.turn_off("duplicate_webhooks")
    sandbox.scenario("webhook_bad_signature")
    sandbox.client.pay()
    sandbox.webhooks.settle(timeout=AT_ONCE)
    sandbox.clock.advance(minutes=1)
    sandbox.scenarios.turn_off("webhook_bad_signature")


def opens_a_connection_for_each_call(sandbox: Sandbox) -> None:
    for number in range(25):
        sandbox.client.pay(idempotency_key=f"order-{number}", metadata={"order": f"order-{number}"})


def waits_as_it_is_told(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.create", respond={"status": 429, "headers": {"Retry-After": "30"}, "body": {}})
    sandbox.client.pay(idempotency_key="order-1")
    sandbox.clock.advance(seconds=30)
    sandbox.client.pay(idempotency_key="order-1")


def waits_for_a_slow_answer(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.create", delay="100ms")
    sandbox.client.pay(idempotency_key="order-1")


def cancels_what_it_does_not_want(sandbox: Sandbox) -> None:
    held = authorized(sandbox)
    sandbox.client.post(f"/payments/{held}/cancel", {})


def tells_an_order_by_sixteen_digits(sandbox: Sandbox) -> None:
    """Digits that pass a card's check are no card: one order number in ten does."""
    sandbox.client.pay(metadata={"order": "4929000000006", "card_issuer": "a bank"}, description="order 4929000000006")


def hears_of_a_pending_payment_by_webhook(sandbox: Sandbox) -> None:
    asked = []

    def handle(event: dict[str, Any]) -> None:
        asked.append(event["content"]["object"]["payment_id"])

    takes_events(sandbox, handle)
    rule(sandbox, "charge", settles={"after": "30s", "as": "succeeded"})
    sandbox.client.pay()
    sandbox.clock.advance(minutes=1)
    assert asked


def asks_at_the_very_instant_of_the_end(sandbox: Sandbox) -> None:
    sandbox.clock.freeze()
    rule(sandbox, "charge", settles={"after": "30s", "as": "succeeded"})
    paid = sandbox.client.pay()["payment_id"]
    sandbox.clock.advance(seconds=30)
    assert sandbox.client.get(f"/payments/{paid}")["status"] == "succeeded"


def goes_on_while_a_payment_is_pending(sandbox: Sandbox) -> None:
    rule(sandbox, "charge", settles={"after": "30s", "as": "succeeded"})
    sandbox.client.pay()
    sandbox.client.pay()


def leads_the_customer_to_the_challenge(sandbox: Sandbox) -> None:
    rule(sandbox, "charge", challenge="approved")
    paid = sandbox.client.pay(return_url="https://shop.example/back")
    sandbox.control.post(f"/payments/{paid['payment_id']}/authenticate", {"result": "approved"})
    assert sandbox.client.get(f"/payments/{paid['payment_id']}")["status"] == "succeeded"


def keeps_its_connection(sandbox: Sandbox) -> None:
    connection = HTTPConnection(sandbox.url.removeprefix("http://"))
    for _ in range(25):
        connection.request("GET", "/health", headers={"api-key": sandbox.api_key, "User-Agent": "shop/1"})
        connection.getresponse().read()
    connection.close()


def gives_back_a_lost_charge_before_it_charges_again(sandbox: Sandbox) -> None:
    repeats_with_the_same_key(sandbox)
    lost = sandbox.journal.calls("payments.create")[0].payment_id
    sandbox.client.post("/refunds", {"payment_id": lost})
    sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key="order-1-again")


def captures_another_payment_after_a_lost_capture(sandbox: Sandbox) -> None:
    one, two = (authorized(sandbox) for _ in range(2))
    rule(sandbox, "payments.capture", fault="connection_reset", effect="kept")
    with suppress(ConnectionError, HTTPException):
        sandbox.client.post(f"/payments/{one}/capture", {}, idempotency_key="one")
    sandbox.client.post(f"/payments/{two}/capture", {}, idempotency_key="two")


def refunds_the_same_sum_of_two_payments(sandbox: Sandbox) -> None:
    for number in range(2):
        paid = sandbox.client.pay()["payment_id"]
        rule(sandbox, "refunds.create", fault="connection_reset", effect="kept")
        for _ in range(2):
            with suppress(ConnectionError, HTTPException):
                sandbox.client.post("/refunds", {"payment_id": paid, "amount": 100}, idempotency_key=f"refund-{number}")


def comes_back_after_it_had_left(sandbox: Sandbox) -> None:
    leaves_early(sandbox, idempotency_key="order-1")
    sandbox.client.post("/payments", sandbox.client.payment(), idempotency_key="order-1")


def asks_after_it_had_left(sandbox: Sandbox) -> None:
    leaves_early(sandbox)
    sandbox.client.get(f"/payments/{sandbox.journal.calls('payments.create')[0].payment_id}")


def confirms_and_captures(sandbox: Sandbox) -> None:
    payment = sandbox.client.pay(confirm=False, capture_method="manual")["payment_id"]
    sandbox.client.post(f"/payments/{payment}/confirm", {})
    sandbox.client.get(f"/payments/{payment}")
    sandbox.client.post(f"/payments/{payment}/capture", {})


def opens_the_page_of_a_challenge(sandbox: Sandbox) -> None:
    """And its customer walks away from there."""
    rule(sandbox, "charge", challenge="approved")
    paid = sandbox.client.pay(return_url="https://shop.example/back")
    page = paid["next_action"]["redirect_to_url"].removeprefix(sandbox.url)
    sandbox.client.get(page)
    sandbox.clock.advance(days=2)


def does_something_else_while_it_waits(sandbox: Sandbox) -> None:
    rule(sandbox, "customers.list", respond={"status": 429, "headers": {"Retry-After": "30"}, "body": {}})
    sandbox.client.get("/customers/list")
    sandbox.client.get("/health")


def is_told_to_wait_until_a_day(sandbox: Sandbox) -> None:
    day = "Wed, 21 Oct 2026 07:28:00 GMT"
    rule(sandbox, "customers.list", respond={"status": 429, "headers": {"Retry-After": day}, "body": {}})
    sandbox.client.get("/customers/list")


def does_two_things_about_an_event(sandbox: Sandbox) -> None:
    """Once: the second delivery finds that they are done."""
    rule(sandbox, "webhook.payment_succeeded", copies=2)
    seen: set[str] = set()

    def handle(event: dict[str, Any]) -> None:
        paid = event["content"]["object"]["payment_id"]
        if event["event_type"] == "payment_succeeded" and event["event_id"] not in seen:
            seen.add(event["event_id"])
        elif event["event_type"] == "payment_succeeded":
            sandbox.client.post(f"/payments/{paid}/update_metadata", {"metadata": {"again": "seen"}})
            sandbox.client.post("/refunds", {"payment_id": paid, "amount": 100})

    takes_events(sandbox, handle)
    sandbox.client.pay()
    sandbox.webhooks.settle(timeout=AT_ONCE)


def looks_after_a_lost_capture_and_captures_the_rest(sandbox: Sandbox) -> None:
    held = authorized(sandbox, capture_method="manual_multiple")
    rule(sandbox, "payments.capture", fault="empty_response", effect="kept")
    with suppress(ConnectionError, HTTPException):
        sandbox.client.post(f"/payments/{held}/capture", {"amount_to_capture": 2100}, idempotency_key="one")
    assert sandbox.client.get(f"/payments/{held}")["amount_received"] == 2100
    sandbox.client.post(f"/payments/{held}/capture", {"amount_to_capture": 2100}, idempotency_key="two")


def has_two_parcels_for_one_order(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    for amount, tries in ((1000, 2), (2000, 1)):
        for _ in range(tries):
            with suppress(ConnectionError, HTTPException):
                sandbox.client.pay(
                    amount=amount, merchant_order_reference_id="order-1", idempotency_key=f"order-1-{amount}"
                )


def gives_back_in_parts_after_an_event_that_came_twice(sandbox: Sandbox) -> None:
    sandbox.webhooks.connect(receiver(ANSWERED_200))
    rule(sandbox, "webhook.payment_succeeded", copies=2)
    paid = sandbox.client.pay()["payment_id"]
    sandbox.webhooks.settle(timeout=AT_ONCE)
    for number in range(2):
        sandbox.client.post("/refunds", {"payment_id": paid, "amount": 100}, idempotency_key=f"part-{number}")


def has_nobody_who_listens(sandbox: Sandbox) -> None:
    sandbox.webhooks.send_to("http://127.0.0.1:9/")
    sandbox.client.pay()
    sandbox.webhooks.settle(timeout=AT_ONCE)


def takes_an_event_at_the_second_try(sandbox: Sandbox) -> None:
    answers = ["503 Busy", ANSWERED_200]

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        return receiver(answers.pop(0))(environ, start_response)

    sandbox.webhooks.connect(app)
    sandbox.client.pay()
    sandbox.webhooks.settle(timeout=AT_ONCE)
    sandbox.clock.advance(minutes=1)


def is_down_when_an_event_comes(sandbox: Sandbox) -> None:
    """It comes again, and is taken then: after the test."""
    sandbox.webhooks.connect(receiver("503 Busy"))
    sandbox.client.pay()
    sandbox.webhooks.settle(timeout=AT_ONCE)


def begins_again_what_was_not_confirmed(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    with suppress(ConnectionError, HTTPException):
        sandbox.client.pay(merchant_order_reference_id="order-1", confirm=False)
    sandbox.client.pay(merchant_order_reference_id="order-1")


def prepares_another_payment_after_a_lost_answer(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    with suppress(ConnectionError, HTTPException):
        sandbox.client.pay(merchant_order_reference_id="order-1")
    sandbox.client.pay(merchant_order_reference_id="order-1", confirm=False)


def refunds_two_things_of_one_price_and_repeats_the_first(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay()["payment_id"]
    rule(sandbox, "refunds.create", fault="connection_reset", effect="kept")
    for key in ("one", "one", "two"):
        with suppress(ConnectionError, HTTPException):
            sandbox.client.post("/refunds", {"payment_id": paid, "amount": 100}, idempotency_key=key)


def captures_what_somebody_ended_by_hand(sandbox: Sandbox) -> None:
    held = authorized(sandbox)
    sandbox.control.post(f"/payments/{held}/expire", {"what": "authorization"})
    sandbox.client.post(f"/payments/{held}/capture", {})


def hears_by_an_event_what_it_did_not_wait_for(sandbox: Sandbox) -> None:
    sandbox.webhooks.connect(receiver(ANSWERED_200))
    leaves_early(sandbox)
    sandbox.webhooks.settle(timeout=AT_ONCE)


def puts_its_key_in_behind_a_page(sandbox: Sandbox) -> None:
    """A proxy of the shop's own, which sends on what the browser sent."""
    sandbox.client.get("/payments/list", headers={"Origin": "https://shop.example", "X-Forwarded-For": "192.0.2.1"})


def is_tried_by_hand(sandbox: Sandbox) -> None:
    """Somebody presses a button of the dashboard that is refused."""
    held = authorized(sandbox)
    sandbox.client.post(f"/payments/{held}/capture", {})
    sandbox.client.request("POST", f"/payments/{held}/capture", {}, headers={"User-Agent": "payment-sandbox-dashboard"})


def notes_twice_that_an_event_came(sandbox: Sandbox) -> None:
    """What moves no money may be done again."""
    rule(sandbox, "webhook.payment_succeeded", copies=2)

    def handle(event: dict[str, Any]) -> None:
        if event["event_type"] == "payment_succeeded":
            paid = event["content"]["object"]["payment_id"]
            sandbox.client.post(f"/payments/{paid}/update_metadata", {"metadata": {"event": "came"}})

    takes_events(sandbox, handle)
    sandbox.client.pay()
    sandbox.webhooks.settle(timeout=AT_ONCE)


def refunds_again_after_a_failure_what_is_disputed_by_then(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay(idempotency_key="o1")["payment_id"]
    sandbox.next("refunds.create", outcome="failed")
    sandbox.client.post("/refunds", {"payment_id": paid, "amount": 4000}, idempotency_key="r1")
    sandbox.control.post(f"/payments/{paid}/dispute", {"amount": 1000})
    for amount in (4000, 4100):
        sandbox.client.post("/refunds", {"payment_id": paid, "amount": amount}, idempotency_key=f"r{amount}")


def sells_again_after_refunds_of_the_whole(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    with suppress(ConnectionError, HTTPException):
        sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key="a")
    (first,) = sandbox.client.post("/payments/list", {}).json()["data"]
    for amount in (1200, 3000):
        sandbox.client.post(
            "/refunds", {"payment_id": first["payment_id"], "amount": amount}, idempotency_key=f"{amount}"
        )
    sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key="b")
