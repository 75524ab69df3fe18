"""One broken client for each rule: what it does is wrong in just this way. Its name is the rule's, with underscores."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from typing import Any

from mock_server.connections import Http
from mock_server.testing import Sandbox
from mock_server.testing.client import Client

ANSWERED_200 = "200 OK"


def rule(sandbox: Sandbox, on: str, **then: Any) -> None:
    """What the sandbox does to the next call, or to each webhook."""
    rules = [{"on": on, "then": then, **({} if on.startswith("webhook.") else {"times": 1})}]
    name = f"on_{on.replace('.', '_').replace('*', 'any')}"
    sandbox.scenario({"version": 1, "name": name, "summary": "made for a client", "rules": rules})


def receiver(status: str) -> Callable[..., Iterable[bytes]]:
    """An app that answers every event so."""

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        environ["wsgi.input"].read()
        start_response(status, [])
        return [b""]

    return app


def takes_events(sandbox: Sandbox, handle: Callable[[dict[str, Any]], object]) -> None:
    """Connects a receiver that hands each event to a function, and accepts it."""

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        handle(json.loads(environ["wsgi.input"].read()))
        start_response(ANSWERED_200, [])
        return [b""]

    sandbox.webhooks.connect(app)


def double_charge(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    with suppress(ConnectionError, HTTPException):
        sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key="order-1-first")
    sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key="order-1-second")


def repeated_without_key(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
    with suppress(ConnectionError, HTTPException):
        sandbox.client.pay(idempotency_key="first")
    sandbox.client.pay(idempotency_key="second")


def key_for_another_body(sandbox: Sandbox) -> None:
    sandbox.client.pay(amount=1000, idempotency_key="order-1")
    sandbox.client.pay(amount=2000, idempotency_key="order-1")


def captured_twice(sandbox: Sandbox) -> None:
    held = authorized(sandbox)
    sandbox.client.post(f"/payments/{held}/capture", {})
    sandbox.client.post(f"/payments/{held}/capture", {})


def authorized(sandbox: Sandbox, **fields: Any) -> str:
    payment = sandbox.client.pay(**{"capture_method": "manual", **fields})
    assert payment["status"] == "requires_capture", payment.text
    return str(payment["payment_id"])


def refunded_twice(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay()["payment_id"]
    sandbox.client.post("/refunds", {"payment_id": paid, "amount": 4200})
    sandbox.client.post("/refunds", {"payment_id": paid, "amount": 4200})


def webhook_acted_twice(sandbox: Sandbox) -> None:
    """Its receiver gives a discount back whenever it hears of a payment."""
    rule(sandbox, "webhook.payment_succeeded", copies=2)

    def handle(event: dict[str, Any]) -> None:
        if event["event_type"] == "payment_succeeded":
            paid = event["content"]["object"]["payment_id"]
            sandbox.client.post("/refunds", {"payment_id": paid, "amount": 100})

    takes_events(sandbox, handle)
    sandbox.client.pay()
    sandbox.webhooks.settle(timeout=30)


def failed_captured(sandbox: Sandbox) -> None:
    failed = sandbox.client.pay("insufficient_funds", capture_method="manual")["payment_id"]
    sandbox.client.post(f"/payments/{failed}/capture", {})


def failed_refunded(sandbox: Sandbox) -> None:
    failed = sandbox.client.pay("insufficient_funds")["payment_id"]
    sandbox.client.post("/refunds", {"payment_id": failed, "amount": 4200})


def captured_after_expiry(sandbox: Sandbox) -> None:
    held = authorized(sandbox)
    sandbox.clock.advance(days=30)
    sandbox.client.post(f"/payments/{held}/capture", {})


def captured_after_cancel(sandbox: Sandbox) -> None:
    held = authorized(sandbox)
    sandbox.client.post(f"/payments/{held}/cancel", {})
    sandbox.client.post(f"/payments/{held}/capture", {})


def captured_too_early(sandbox: Sandbox) -> None:
    pending = sandbox.client.pay("visa_pending", capture_method="manual")["payment_id"]
    sandbox.client.post(f"/payments/{pending}/capture", {})


def refunded_too_early(sandbox: Sandbox) -> None:
    sandbox.client.post("/refunds", {"payment_id": sandbox.client.pay("visa_pending")["payment_id"], "amount": 4200})


def subscribed(sandbox: Sandbox, kind: str = "multi_use", **limits: Any) -> str:
    """A mandate."""
    agreed = {kind: {"amount": 10_000, "currency": "EUR", **limits}}
    data = {"mandate_type": agreed, "customer_acceptance": {"acceptance_type": "offline"}}
    first = sandbox.client.pay(customer_id="cus_ada", setup_future_usage="off_session", mandate_data=data)
    return str(first["mandate_id"])


def renews(sandbox: Sandbox, mandate: str, amount: int = 4200, **more: Any) -> str:
    """Charges by a mandate; the payment."""
    order = {"amount": amount, "currency": "EUR", "profile_id": sandbox.client.payment()["profile_id"], "confirm": True}
    order |= {"customer_id": "cus_ada", "mandate_id": mandate, "off_session": True, **more}
    made = sandbox.client.post("/payments", {name: value for name, value in order.items() if value is not None})
    return str(made.json().get("payment_id"))


def mandate_overstepped(sandbox: Sandbox) -> None:
    mandate = subscribed(sandbox)
    sandbox.client.post(f"/mandates/revoke/{mandate}", {})
    renews(sandbox, mandate)


def captured_too_much(sandbox: Sandbox) -> None:
    held = authorized(sandbox)
    sandbox.client.post(f"/payments/{held}/capture", {"amount_to_capture": 5000})
    sandbox.client.post(f"/payments/{held}/capture", {})


def refunded_too_much(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay()["payment_id"]
    sandbox.client.post("/refunds", {"payment_id": paid, "amount": 5000})


def pending_never_looked(sandbox: Sandbox) -> None:
    rule(sandbox, "charge", settles={"after": "30s", "as": "succeeded"})
    assert sandbox.client.pay()["status"] == "pending"
    sandbox.clock.advance(minutes=1)


def challenge_not_followed(sandbox: Sandbox) -> None:
    rule(sandbox, "charge", challenge="approved")
    assert sandbox.client.pay(return_url="https://shop.example/back")["status"] == "requires_action"
    sandbox.clock.advance(days=2)


def challenge_never_read(sandbox: Sandbox) -> None:
    rule(sandbox, "charge", challenge="approved")
    paid = sandbox.client.pay(return_url="https://shop.example/back")["payment_id"]
    sandbox.trigger.authenticate(paid, "approved")


def left_too_early(sandbox: Sandbox) -> None:
    leaves_early(sandbox)


def leaves_early(sandbox: Sandbox, *, idempotency_key: str = "") -> None:
    rule(sandbox, "payments.create", delay="30s")
    connection = HTTPConnection(sandbox.url.removeprefix("http://"))
    headers = {"api-key": sandbox.api_key, "Content-Type": "application/json"}
    headers |= {"X-Idempotency-Key": idempotency_key} if idempotency_key else {}
    connection.request("POST", "/payments", json.dumps(sandbox.client.payment()), headers)
    sandbox.journal.wait_for("payments.create", timeout=30)
    connection.close()
    while not sandbox.control.get("/journal?operation=payments.create")["data"][-1]["left_first"]:
        time.sleep(0.01)


def authorization_open(sandbox: Sandbox) -> None:
    authorized(sandbox)


def retried_too_soon(sandbox: Sandbox) -> None:
    rule(sandbox, "payments.create", respond={"status": 429, "headers": {"Retry-After": "30"}, "body": {}})
    sandbox.client.pay(idempotency_key="order-1")
    sandbox.client.pay(idempotency_key="order-1")


def retried_without_end(sandbox: Sandbox) -> None:
    sandbox.next("payments.create", error="HE_00", times=20)
    for _ in range(12):
        sandbox.client.pay(idempotency_key="order-1")
        sandbox.clock.advance(seconds=5)


def retried_decline(sandbox: Sandbox) -> None:
    for number in range(2):
        sandbox.client.pay("lost_card", merchant_order_reference_id="order-1", idempotency_key=f"try-{number}")


def polled_past_end(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay()["payment_id"]
    for _ in range(6):
        sandbox.client.get(f"/payments/{paid}")


def polled_too_fast(sandbox: Sandbox) -> None:
    rule(sandbox, "charge", settles={"after": "1h", "as": "succeeded"})
    paid = sandbox.client.pay()["payment_id"]
    for _ in range(15):  # a busy machine takes a second now and then
        sandbox.client.get(f"/payments/{paid}")


def polled_steadily(sandbox: Sandbox) -> None:
    rule(sandbox, "charge", settles={"after": "1h", "as": "succeeded"})
    paid = sandbox.client.pay()["payment_id"]
    for _ in range(7):
        sandbox.client.get(f"/payments/{paid}")
        sandbox.clock.advance(seconds=20)


def connection_for_each_call(sandbox: Sandbox) -> None:
    for _ in range(20):
        Client(Http(sandbox.url, keeps=False), sandbox.api_key, sandbox.cards).get("/health")


def webhook_refused(sandbox: Sandbox) -> None:
    sandbox.webhooks.connect(receiver("401 Unauthorized"))
    sandbox.client.pay()
    sandbox.webhooks.settle(timeout=30)


def webhook_late(sandbox: Sandbox) -> None:
    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        time.sleep(0.2)
        return receiver(ANSWERED_200)(environ, start_response)

    sandbox.webhooks.connect(app)
    sandbox.client.pay()
    sandbox.webhooks.settle(timeout=30)


def forged_webhook_taken(sandbox: Sandbox) -> None:
    rule(sandbox, "webhook.payment_succeeded", signature="wrong")
    sandbox.webhooks.connect(receiver(ANSWERED_200))
    sandbox.client.pay()
    sandbox.webhooks.settle(timeout=30)


def card_data_misplaced(sandbox: Sandbox) -> None:
    sandbox.client.pay(metadata={"card": sandbox.cards["success"].number})


def key_misplaced(sandbox: Sandbox) -> None:
    sandbox.client.pay(metadata={"paid_with": sandbox.api_key})


def secret_key_in_browser(sandbox: Sandbox) -> None:
    sandbox.client.get("/payments/list", headers={"Origin": "https://shop.example", "Sec-Fetch-Site": "cross-site"})


def first_page_only(sandbox: Sandbox) -> None:
    for number in range(11):
        sandbox.client.pay(idempotency_key=f"order-{number}")
    sandbox.client.get("/payments/list")


def amount_not_whole(sandbox: Sandbox) -> None:
    sandbox.client.pay(amount=42.0 + 0.5)


def unknown_fields(sandbox: Sandbox) -> None:
    sandbox.client.pay(capture_methode="manual")
