"""One key, one operation (interface §8.3)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from mock_server.conformance.answer import CheckedAnswer, Phrase
from mock_server.conformance.client import Check, MerchantClient, card
from mock_server.conformance.target import CLOCK, OTHER

AT_ONCE: Final = 8


def keyed(api: MerchantClient, key: str, path: str = "/payments", body: Any = None) -> CheckedAnswer:
    """A call under an idempotency key; by default a card payment."""
    sent = api.body(confirm=True, **card()) if body is None else body
    return api.call("POST", path, sent, headers={"X-Idempotency-Key": key})


def is_replay(first: CheckedAnswer, again: CheckedAnswer) -> None:
    """The second answer is the first one, byte for byte."""
    again.expect("the HTTP status of the repeat", first.status, again.status)
    again.expect("the body of the repeat", first.json, again.json)
    again.expect("the bytes of the repeat", first.body, again.body, first.body == again.body)


def replay(api: MerchantClient) -> None:
    key = api.name("key")
    first = keyed(api, key).is_(200)
    for _ in range(2):
        is_replay(first, keyed(api, key))


def once(api: MerchantClient) -> None:
    key, customer = api.name("key"), api.name("cus")
    body = api.body(confirm=True, customer_id=customer, **card())
    for _ in range(3):
        keyed(api, key, body=body).is_(200)
    api.post("/payments/list", {"customer_id": customer}).has(total_count=1)


def refund_once(api: MerchantClient) -> None:
    paid, key = api.pay(amount=1000).id, api.name("key")
    first = keyed(api, key, "/refunds", {"payment_id": paid, "amount": 400}).has(amount=400)
    is_replay(first, keyed(api, key, "/refunds", {"payment_id": paid, "amount": 400}))
    found = api.payment(paid).is_(200)
    found.expect("the refunds of the payment", 1, len(found["refunds"] or []))


def capture_once(api: MerchantClient) -> None:
    held, key = api.pay(capture_method="manual_multiple", amount=3000).id, api.name("key")
    first = keyed(api, key, f"/payments/{held}/capture", {"amount_to_capture": 1000}).is_(200)
    is_replay(first, keyed(api, key, f"/payments/{held}/capture", {"amount_to_capture": 1000}))
    api.payment(held).has(amount_received=1000)


def order_of_keys(api: MerchantClient) -> None:
    key, body = api.name("key"), api.body(confirm=True, **card())
    is_replay(keyed(api, key, body=body).is_(200), keyed(api, key, body=dict(reversed(body.items()))))


def other_body(api: MerchantClient) -> None:
    key = api.name("key")
    first = keyed(api, key).is_(200)
    keyed(api, key, body=api.body(amount=1, confirm=True, **card())).refused(422, "IR_06")
    is_replay(first, keyed(api, key))


def by_path(api: MerchantClient) -> None:
    key = api.name("key")
    paid = keyed(api, key, body=api.body(amount=1000, confirm=True, **card())).id
    keyed(api, key, "/refunds", {"payment_id": paid}).has(payment_id=paid, amount=1000).is_text("refund_id")


def by_merchant(api: MerchantClient) -> None:
    key = api.name("key")
    mine, theirs = keyed(api, key).is_(200), keyed(api.other, key).is_(200)
    theirs.expect("payments of two merchants under one key", Phrase("to differ"), theirs.id, mine.id != theirs.id)


def refusal_kept(api: MerchantClient) -> None:
    key, wanted = api.name("key"), api.name("pay")
    first = keyed(api, key, f"/payments/{wanted}/cancel", {}).refused(404, "HE_02")
    api.create(payment_id=wanted).is_(200)
    is_replay(first, keyed(api, key, f"/payments/{wanted}/cancel", {}))
    api.payment(wanted).has(status="requires_payment_method")


def mistake_gives_back(api: MerchantClient) -> None:
    key = api.name("key")
    keyed(api, key, body=api.body(amount=None)).refused(400, "IR_04")
    keyed(api, key).has(status="succeeded")


def decline_kept(api: MerchantClient) -> None:
    key = api.name("key")
    body = api.body(confirm=True, **card("4000000000000002"))
    is_replay(keyed(api, key, body=body).has(status="failed"), keyed(api, key, body=body))


def at_once(api: MerchantClient) -> None:
    key, customer = api.name("key"), api.name("cus")
    body = api.body(confirm=True, customer_id=customer, **card())
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(lambda _: keyed(api, key, body=body), range(AT_ONCE)))
    for answer in answers:
        # A call that comes during the first one may be refused.
        answer.expect("the HTTP status", Phrase("200 or 409"), answer.status, answer.status in (200, 409))
    api.post("/payments/list", {"customer_id": customer}).has(total_count=1)
    seen = {answer.id for answer in answers if answer.status == 200}
    api.get("/health").expect("the payments that were answered with", 1, len(seen))


def form_of_key(api: MerchantClient) -> None:
    for key in ("", "k" * 256):
        keyed(api, key).refused(400, "IR_04")
    keyed(api, "k" * 200 + api.name("key")).is_(200)


def reads(api: MerchantClient) -> None:
    key, customer = api.name("key"), api.name("cus")
    body = {"customer_id": customer}
    keyed(api, key, "/payments/list", body).has(total_count=0)
    api.create(customer_id=customer).is_(200)
    keyed(api, key, "/payments/list", body).has(total_count=1)


def kept_for_a_day(api: MerchantClient) -> None:
    key = api.name("key")
    first = keyed(api, key).is_(200)
    api.advance("23h")
    is_replay(first, keyed(api, key))


def free_after_a_day(api: MerchantClient) -> None:
    key = api.name("key")
    first = keyed(api, key).is_(200)
    api.advance("25h")
    later = keyed(api, key).is_(200)
    later.expect("the payment of a day later", Phrase("another one"), later.id, first.id != later.id)


ROWS: Final = (
    Check("idempotency.replay", "A repeated call gets the answer of the first, byte for byte.", "interface §8.3", replay),
    Check("idempotency.once", "Repeating a call any number of times creates one payment.", "interface §8.3", once),
    Check("idempotency.refund_once", "Repeating a refund refunds once.", "interface §8.3", refund_once),
    Check("idempotency.capture_once", "Repeating a capture captures once.", "interface §8.3", capture_once),
    Check("idempotency.order_of_keys", "The order of keys in the body does not matter.", "ours", order_of_keys),
    Check("idempotency.other_body", "Another body with a used key is 422 IR_06.", "ours", other_body),
    Check("idempotency.by_path", "The same key on another path is another operation.", "ours", by_path),
    Check("idempotency.by_merchant", "The same key from another merchant is another operation.", "ours", by_merchant, OTHER),
    Check("idempotency.refusal_kept", "An error caused by the status is stored: repeating the call returns it again.", "ours", refusal_kept),
    Check("idempotency.decline_kept", "A decline is stored: repeating the call does not charge again.", "ours", decline_kept),
    Check("idempotency.mistake_gives_back", "An invalid body does not use up the key.", "ours", mistake_gives_back),
    Check("idempotency.at_once", "Simultaneous calls with one key create one payment.", "ours", at_once),
    Check("idempotency.form_of_key", "A key has 1 to 255 characters: 400 IR_04.", "ours", form_of_key),
    Check("idempotency.reads", "Lists are never answered from stored answers.", "ours", reads),
    Check("idempotency.kept_for_a_day", "A key is stored for 24 hours.", "interface §8.3", kept_for_a_day, CLOCK),
    Check("idempotency.free_after_a_day", "After 24 hours a key can be used again.", "interface §8.3", free_after_a_day, CLOCK),
)  # fmt: skip
