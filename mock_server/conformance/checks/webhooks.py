"""Webhooks: their content, their order, and their signatures."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any, Final

from mock_server.conformance.answer import CheckedAnswer, Phrase
from mock_server.conformance.answer import compare as expect
from mock_server.conformance.client import CVC, DECLINED, SUCCESS, Check, MerchantClient, card
from mock_server.conformance.target import CLOCK, CONTROL, LISTENER, Delivery

SIGNATURE: Final = "x-webhook-signature-512"
ENVELOPE: Final = ("content", "event_id", "event_type", "merchant_id", "timestamp")


def told(api: MerchantClient, number: str = SUCCESS, **fields: Any) -> tuple[CheckedAnswer, Delivery, str]:
    """A payment by card, its delivery, and the key of the signature."""
    with api.listening() as (listener, profile, key):
        paid = api.pay(number, profile_id=profile, **fields).is_(200)
        return paid, listener.wait_for("payment_failed" if number == DECLINED else "payment_succeeded"), key


def delivered(api: MerchantClient) -> None:
    paid, came, _ = told(api)
    expect("the webhook's content type", "application/json", came.headers.get("content-type"))
    expect("what is missing in the envelope", [], [name for name in ENVELOPE if name not in came.envelope])
    expect("merchant_id", paid["merchant_id"], came.envelope["merchant_id"])
    expect("content.type", "payment_details", came.envelope["content"]["type"])
    event_id = str(came.envelope["event_id"])
    expect("event_id", Phrase("to begin with evt_"), event_id, event_id.startswith("evt_"))
    expect("content.object", api.payment(paid.id).json, came.object)


def signed(api: MerchantClient) -> None:
    # With other than ASCII characters, and with spaces, only a signature of the bytes is right.
    _, came, key = told(api, description="Zwölf Äpfel — “twelve apples”", metadata={"b": 1, "a": [1.5, None]})
    expected = hmac.new(key.encode(), came.body, hashlib.sha512).hexdigest()
    expect("the signature over the raw bytes", expected, came.headers.get(SIGNATURE, Phrase("none")))


def own_key(api: MerchantClient) -> None:
    key = api.name("signing")
    with api.listening(payment_response_hash_key=key) as (listener, profile, _):
        api.pay(profile_id=profile)
        came = listener.wait_for("payment_succeeded")
    expected = hmac.new(key.encode(), came.body, hashlib.sha512).hexdigest()
    expect("the signature under the key that was set", expected, came.headers.get(SIGNATURE, Phrase("none")))


def after_commit(api: MerchantClient) -> None:
    seen: list[Any] = []

    def look(delivery: Delivery) -> int:
        answer = api.payment(delivery.object["payment_id"])
        seen.append(answer.json.get("status") if answer.status == 200 else answer.json)
        return 200

    with api.listening() as (listener, profile, _):
        listener.behave = look
        api.pay(profile_id=profile).is_(200)
        listener.wait_for("payment_succeeded")
    expect("the payment, asked for while its webhook is taken", ["succeeded"], seen)


def each_status(api: MerchantClient) -> None:
    with api.listening() as (listener, profile, _):
        held = api.hold(profile_id=profile)
        expect("the authorized payment", "requires_capture", listener.wait_for("payment_authorized").object["status"])
        api.on(held, "capture").is_(200)
        expect("the captured payment", "succeeded", listener.wait_for("payment_succeeded").object["status"])
        api.on(api.hold(profile_id=profile), "cancel").is_(200)
        expect("the cancelled payment", "cancelled", listener.wait_for("payment_cancelled").object["status"])


def refunded(api: MerchantClient) -> None:
    with api.listening() as (listener, profile, _):
        made = api.refund(api.pay(profile_id=profile).id, amount=100).is_(200)
        came = listener.wait_for("refund_succeeded")
    expect("content.type", "refund_details", came.envelope["content"]["type"])
    expect("content.object", api.get(f"/refunds/{made['refund_id']}").json, came.object)


def told_once(api: MerchantClient) -> None:
    headers = {"X-Idempotency-Key": api.name("key")}
    with api.listening() as (listener, profile, _):
        body = api.body(profile_id=profile, confirm=True, **card())
        for _ in range(3):
            api.call("POST", "/payments", body, headers=headers).is_(200)
        listener.wait_for("payment_succeeded")
        # The webhook of a later payment comes after any others of the first one.
        api.pay(DECLINED, profile_id=profile).is_(200)
        listener.wait_for("payment_failed")
        more = [*listener.passed_over, *(delivery.kind for delivery in listener.came())]
    expect("webhooks beside the one of each payment", [], more)


def events_differ(api: MerchantClient) -> None:
    with api.listening() as (listener, profile, _):
        seen = []
        for _ in range(2):
            api.pay(profile_id=profile).is_(200)
            seen.append(listener.wait_for("payment_succeeded").envelope["event_id"])
    expect("event ids of two events", Phrase("to differ"), seen, seen[0] != seen[1])


def no_card_number(api: MerchantClient) -> None:
    text = told(api)[1].body.decode()
    is_hidden = SUCCESS[:12] not in text and f'"{CVC}"' not in text
    expect("the card's number and CVC", Phrase("to be nowhere"), Phrase("there"), is_hidden)


def sent_again(api: MerchantClient) -> None:
    with api.listening() as (listener, profile, _):
        listener.behave = lambda delivery: 500
        api.pay(profile_id=profile).is_(200)
        first = listener.wait_for("payment_succeeded")
        listener.behave = lambda delivery: 200
        api.advance("2m")
        again = listener.wait_for("payment_succeeded")
    expect("event_id of the repeat", first.envelope["event_id"], again.envelope["event_id"])
    expect("the bytes of the repeat", json.loads(first.body), again.envelope, first.body == again.body)


def not_sent_again(api: MerchantClient) -> None:
    with api.listening() as (listener, profile, _):
        api.pay(profile_id=profile).is_(200)
        listener.wait_for("payment_succeeded")
        api.advance("2m")
        rest = [delivery.kind for delivery in listener.came()]
    expect("webhooks after one was taken", [], rest)


def inbox(api: MerchantClient) -> None:
    found = api.control("GET", f"webhooks?payment_id={api.pay().id}")
    found.has(total_count=1).shows("data.0.event_type", "payment_succeeded")
    found.shows("data.0.body.content.object.status", "succeeded")


ROWS: Final = (
    Check("webhooks.delivered", "A webhook contains the payment as it is when retrieved.", "facts §6", delivered, LISTENER),
    Check("webhooks.signed", "A webhook is signed over its raw body with the profile's key.", "facts §6.2", signed, LISTENER),
    Check("webhooks.own_key", "Webhooks are signed with the key that the merchant set.", "facts §2.7", own_key, LISTENER),
    Check("webhooks.after_commit", "When a webhook arrives, the change is already visible.", "facts §6.1", after_commit, LISTENER),
    Check("webhooks.each_status", "Authorization, capture and cancellation each send a webhook.", "facts §6.1", each_status, LISTENER),
    Check("webhooks.declined", "A decline sends a webhook too.", "facts §6.1", lambda api: expect("the failed payment", "failed", told(api, DECLINED)[1].object["status"]), LISTENER),
    Check("webhooks.refunded", "A webhook contains the refund as it is when retrieved.", "facts §6.1", refunded, LISTENER),
    Check("webhooks.told_once", "A repeated call does not send its webhook again.", "facts §6.2", told_once, LISTENER),
    Check("webhooks.events_differ", "Each event has its own id.", "facts §2.9", events_differ, LISTENER),
    Check("webhooks.no_card_number", "Webhooks never contain the card number or CVC.", "interface §2.1", no_card_number, LISTENER),
    Check("webhooks.sent_again", "An event that is not accepted is sent again with the same body.", "facts §6.2", sent_again, CLOCK | LISTENER),
    Check("webhooks.not_sent_again", "An accepted event is not sent again.", "facts §6.2", not_sent_again, CLOCK | LISTENER),
    Check("webhooks.inbox", "The inbox has every event.", "ours", inbox, CONTROL),
)  # fmt: skip
