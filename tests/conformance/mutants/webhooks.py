"""Mutants of webhooks."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

import hmac
import json
from collections.abc import Callable
from typing import Any, Final

from tests.conformance.mutants.calls import RETRIEVE, Ask, Next, Said, answering, at, body, drops, refusal, shown
from tests.conformance.mutants.mutant import Delivery, Mutant, Out, Send

SIGNATURE: Final = "X-Webhook-Signature-512"
PROFILE: Final = at("POST", "/account/*/business_profile")


def envelope(change: Callable[[dict[str, Any]], object]) -> Delivery:
    """Changes what is told; the signature stays that of what was meant."""

    def delivery(out: Out, send: Send) -> int:
        value = json.loads(out.body)
        change(value)
        out.body = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
        return send(out)

    return delivery


def headers(change: Callable[[dict[str, str]], object]) -> Delivery:
    def delivery(out: Out, send: Send) -> int:
        change(out.headers)
        return send(out)

    return delivery


def lost(*kinds: str) -> Delivery:
    """Events of these types are not sent, and count as taken."""

    def delivery(out: Out, send: Send) -> int:
        return 200 if json.loads(out.body)["event_type"] in kinds else send(out)

    return delivery


def reserialised(out: Out, send: Send) -> int:
    out.body = json.dumps(json.loads(out.body)).encode()
    return send(out)


def twice(out: Out, send: Send) -> int:
    send(out)
    return send(out)


def another_signature(found: dict[str, str]) -> None:
    found[SIGNATURE] = hmac.digest(b"another key", b"another body", "sha512").hex()


class BeforeCommit:
    """A webhook is sent before what it tells of is there."""

    def __init__(self) -> None:
        self.on_their_way: set[str] = set()

    def calls(self, ask: Ask, proceed: Next) -> Said:
        if RETRIEVE(ask) and ask.path.split("/")[2] in self.on_their_way:
            return refusal(404, "HE_02")
        return proceed(ask)

    def webhooks(self, out: Out, send: Send) -> int:
        payment_id = json.loads(out.body)["content"]["object"]["payment_id"]
        self.on_their_way.add(payment_id)
        try:
            return send(out)
        finally:
            self.on_their_way.discard(payment_id)


class Again:
    """Changes what is sent once more."""

    def __init__(self, change: Callable[[Out], object]) -> None:
        self.change = change
        self.seen: set[bytes] = set()

    def __call__(self, out: Out, send: Send) -> int:
        body = out.body
        if body in self.seen:
            self.change(out)
        self.seen.add(body)
        return send(out)


def new_event(out: Out) -> None:
    value = json.loads(out.body)
    out.body = json.dumps({**value, "event_id": "evt_another"}, separators=(",", ":"), ensure_ascii=False).encode()


def new_bytes(out: Out) -> None:
    out.body += b"\n"


def always_taken(out: Out, send: Send) -> int:
    send(out)
    return 200


def never_taken(out: Out, send: Send) -> int:
    send(out)
    return 503


def stale(value: dict[str, Any]) -> None:
    found = value["content"]["object"]
    found["amount_received" if "amount_received" in found else "reason"] = 0


def tells_card(value: dict[str, Any]) -> None:
    found = value["content"]["object"].get("payment_method_data")
    if found:
        found["card"]["card_number"] = "4242424242424242"


def empty_inbox(said: Said, ask: Ask) -> None:
    if said.status == 200:
        said.put({"data": [], "total_count": 0})


BEFORE_COMMIT: Final = BeforeCommit()
SIGNED: Final = ("webhooks.signed", "webhooks.own_key")
ROWS: Final = (
    Mutant("nothing_told", "No webhook is sent.", ("webhooks.delivered",), webhooks=lambda out, send: 200),
    Mutant("signed_over_other_bytes", "The signature is over re-serialised bytes.", SIGNED, webhooks=reserialised),
    Mutant("unsigned", "Webhooks are not signed.", SIGNED, webhooks=headers(lambda found: found.pop(SIGNATURE, None))),
    Mutant("signature_cut", "The signature has the length of SHA-256.", SIGNED, webhooks=headers(lambda found: found.update({SIGNATURE: found[SIGNATURE][:64]}))),
    Mutant("signature_in_capitals", "The signature is in upper case.", SIGNED, webhooks=headers(lambda found: found.update({SIGNATURE: found[SIGNATURE].upper()}))),
    Mutant("signed_with_another_key", "Webhooks are signed with another key.", SIGNED, webhooks=headers(another_signature)),
    Mutant("own_key_ignored", "The merchant's own signing key is not used.", ("webhooks.own_key",), body(PROFILE, drops("payment_response_hash_key"))),
    Mutant("told_before_commit", "A webhook is sent before the change is visible.", ("webhooks.after_commit",), BEFORE_COMMIT.calls, BEFORE_COMMIT.webhooks),
    Mutant("told_stale", "A webhook contains the object before the change.", ("webhooks.delivered", "webhooks.refunded", "webhooks.signed"), webhooks=envelope(stale)),
    Mutant("told_without_id", "A webhook has no event_id.", ("webhooks.delivered",), webhooks=envelope(drops("event_id"))),
    Mutant("told_as_text", "A webhook has the content type text/plain.", ("webhooks.delivered",), webhooks=headers(lambda found: found.update({"Content-Type": "text/plain"}))),
    Mutant("authorized_not_told", "There is no event for an authorization.", ("webhooks.each_status",), webhooks=lost("payment_authorized")),
    Mutant("cancelled_not_told", "There is no event for a cancellation.", ("webhooks.each_status",), webhooks=lost("payment_cancelled")),
    Mutant("declines_not_told", "There is no event for a decline.", ("webhooks.declined", "webhooks.told_once"), webhooks=lost("payment_failed")),
    Mutant("refunds_not_told", "There is no event for a refund.", ("webhooks.refunded",), webhooks=lost("refund_succeeded")),
    Mutant("told_twice", "Every event is sent twice.", ("webhooks.told_once", "webhooks.not_sent_again"), webhooks=twice),
    Mutant("one_event_id", "All events have the same id.", ("webhooks.events_differ",), webhooks=envelope(lambda value: value.update(event_id="evt_1"))),
    Mutant("card_number_told", "A webhook contains the card number.", ("webhooks.no_card_number",), webhooks=envelope(tells_card)),
    Mutant("never_sent_again", "An event that was not accepted is not retried.", ("webhooks.sent_again",), webhooks=always_taken),
    Mutant("sent_again_as_new", "A retry is another event.", ("webhooks.sent_again",), webhooks=Again(new_event)),
    Mutant("sent_again_with_other_bytes", "A retry has other bytes.", ("webhooks.sent_again",), webhooks=Again(new_bytes)),
    Mutant("always_sent_again", "An accepted event is sent again.", ("webhooks.not_sent_again",), webhooks=never_taken),
    Mutant("inbox_empty", "The inbox is empty.", ("webhooks.inbox",), answering(at("GET", "/_sandbox/webhooks"), empty_inbox)),
    Mutant("inbox_in_other_words", "The inbox shows a success as a failure.", ("webhooks.inbox",), shown(at("GET", "/_sandbox/webhooks"), lambda value: [row.update(event_type="payment_failed") for row in value["data"]])),
)  # fmt: skip
