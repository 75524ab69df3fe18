"""Payments from create to their first outcome, and their fields."""

from __future__ import annotations

import re
from typing import Any, Final

from mock_server.conformance.answer import INTERFACE, Phrase, shown
from mock_server.conformance.client import CVC, DECLINED, POOR, SUCCESS, Check, MerchantClient, card
from mock_server.conformance.target import CONTROL

ECHOED: Final[dict[str, Any]] = {
    "description": "Two seats, Row 7: “stalls”",
    "metadata": {"order": "4711", "seats": 2, "gift": False, "nested": {"a": [1, None]}},
    "return_url": "https://shop.example/back?order=4711",
    "email": "ada@example.com",
    "statement_descriptor_name": "Example Shop",
    "merchant_order_reference_id": "order-4711",
    "billing": {"address": {"city": "London", "country": "GB"}, "phone": {"number": "123456789", "country_code": "+44"}},
}  # fmt: skip
TIMESTAMP: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def without_method(api: MerchantClient) -> None:
    made = api.create(amount=4200, currency="EUR")
    made.has(status="requires_payment_method", amount=4200, currency="EUR", profile_id=api.target.profile_id)


def echoes(api: MerchantClient) -> None:
    customer = api.name("cus")
    made = api.create(**ECHOED, customer_id=customer)
    made.has(customer_id=customer, **{name: ECHOED[name] for name in ECHOED if name != "billing"})
    made.shows("billing.address.city", "London").shows("billing.phone.country_code", "+44")
    api.payment(made.id).has(description=ECHOED["description"], metadata=ECHOED["metadata"])


def empty_metadata(api: MerchantClient) -> None:
    api.create().has(metadata={})
    api.pay().has(metadata={})


def ids(api: MerchantClient) -> None:
    made, another = api.create(), api.create()
    made.begins("payment_id", "pay_").begins("merchant_id", "mer_")
    made.expect("ids of two payments", Phrase("to differ"), another.id, made.id != another.id)
    secret = str(made["client_secret"])
    is_sound = re.fullmatch(rf"{re.escape(made.id)}_secret_.+", secret) is not None
    made.expect("client_secret", Phrase("<payment_id>_secret_<random>"), secret, is_sound)


def own_id(api: MerchantClient) -> None:
    wanted = api.name("order")
    api.create(payment_id=wanted).has(payment_id=wanted)
    api.payment(wanted).has(payment_id=wanted, status="requires_payment_method")


def taken_id(api: MerchantClient) -> None:
    wanted = api.name("order")
    api.create(payment_id=wanted, amount=1000).is_(200)
    api.create(payment_id=wanted, amount=1000).refused(400, "HE_01")
    api.create(payment_id=wanted, amount=2000).refused(400, "HE_01")
    api.payment(wanted).has(amount=1000)


def created_in_utc(api: MerchantClient) -> None:
    made = api.create()
    seen = made["created"]
    made.expect("created", Phrase("an ISO 8601 instant in UTC"), seen, bool(TIMESTAMP.fullmatch(str(seen))))


def success(api: MerchantClient) -> None:
    paid = api.pay(amount=4200)
    paid.has(status="succeeded", amount=4200, amount_received=4200, amount_capturable=0, capture_method="automatic")
    paid.has(next_action=None, error_code=None, payment_method="card")


def card_shown(api: MerchantClient) -> None:
    paid = api.pay()
    for name, text in {"last4": "4242", "brand": "Visa", "exp_month": "03", "exp_year": "2035"}.items():
        paid.shows(f"payment_method_data.card.{name}", text)


def no_card_number(api: MerchantClient) -> None:
    paid = api.pay(metadata={"a": "b"})
    found = (paid, api.payment(paid.id), api.get("/payments/list?limit=1"), api.pay(SUCCESS[:-1] + "1"))
    for answer in found:
        text = answer.body.decode()
        answer.expect("the card's number", Phrase("to be nowhere"), Phrase(shown(text)), SUCCESS[:12] not in text)
        answer.expect("the card's CVC", Phrase("to be nowhere"), Phrase(shown(text)), f'"{CVC}"' not in text)


def decline(api: MerchantClient) -> None:
    for number in (DECLINED, POOR):
        api.pay(number).has(status="failed", next_action=None, amount_capturable=0)


def decline_reason(api: MerchantClient) -> None:
    failed = api.pay(POOR)
    for name in ("error_code", "error_message", "unified_code", "unified_message"):
        failed.is_text(name)
    code = str(failed["unified_code"])
    failed.expect("unified_code", Phrase("UE_ and four digits"), code, bool(re.fullmatch(r"UE_\d{4}", code)))
    api.payment(failed.id).has(error_code=failed["error_code"], error_message=failed["error_message"])


def retrieve(api: MerchantClient) -> None:
    for made in (api.create(**ECHOED), api.pay(), api.pay(DECLINED), api.pay(capture_method="manual")):
        found = api.payment(made.id).is_(200)
        for name, value in made.json.items():
            if name != "sdk_authorization":  # in the public API, only a create returns it
                found.shows(name, value)


def confirm_later(api: MerchantClient) -> None:
    made = api.create(**card(), amount=4200)
    made.has(status="requires_confirmation", amount_received=None)
    api.on(made.id, "confirm").has(status="succeeded", amount_received=4200, payment_id=made.id)


def confirm_with_method(api: MerchantClient) -> None:
    made = api.create()
    api.on(made.id, "confirm", card()).has(status="succeeded", payment_id=made.id)
    api.payment(made.id).has(status="succeeded").shows("payment_method_data.card.last4", "4242")


def confirm_twice(api: MerchantClient) -> None:
    paid = api.pay()
    api.on(paid.id, "confirm").refused(400, "IR_16")
    api.payment(paid.id).has(status="succeeded", attempt_count=1)


def failed_stays(api: MerchantClient) -> None:
    failed = api.pay(DECLINED)
    api.on(failed.id, "confirm", card()).refused(400, "IR_16")
    api.payment(failed.id).has(status="failed")


def update(api: MerchantClient) -> None:
    made = api.create(description="first", amount=1000)
    api.post(f"/payments/{made.id}", {"amount": 2500}).has(amount=2500, description="first")
    api.payment(made.id).has(amount=2500, description="first", currency="USD")


def update_late(api: MerchantClient) -> None:
    paid = api.pay(amount=1000)
    api.post(f"/payments/{paid.id}", {"amount": 2500}).refused(400, "IR_16")
    api.payment(paid.id).has(amount=1000)


def replace(api: MerchantClient) -> None:
    made = api.create(description="first", amount=1000)
    api.put(f"/payments/{made.id}", api.body(amount=2500)).has(amount=2500, description=None, payment_id=made.id)


def update_metadata(api: MerchantClient) -> None:
    paid = api.pay(metadata={"a": "1", "b": "2"})
    changed = api.on(paid.id, "update_metadata", {"metadata": {"b": "3", "c": "4"}}).is_(200)
    changed.shows("metadata", {"a": "1", "b": "3", "c": "4"})


def pending(api: MerchantClient) -> None:
    made = api.pay("4000990000002000").has(status="pending", amount_received=None)
    api.control("POST", f"payments/{made.id}/settle", {"as": "succeeded"})
    api.payment(made.id).has(status="succeeded", amount_received=6540)
    other = api.pay("4000990000002000").has(status="pending")
    api.control("POST", f"payments/{other.id}/settle", {"as": "failed"})
    api.payment(other.id).has(status="failed")


def expires_on(api: MerchantClient) -> None:
    made = api.create(session_expiry=120)
    seen, created = str(made["expires_on"]), str(made["created"])
    made.expect("expires_on", Phrase(f"later than created, {created}"), seen, seen > created)


ROWS: Final = (
    Check("payments.without_method", "A payment without a method is requires_payment_method.", "interface §4.2", without_method),
    Check("payments.echoes", "Fields are returned as they were sent.", "interface §2.1", echoes),
    Check("payments.empty_metadata", "metadata is an empty object if none was sent.", "interface §2.1", empty_metadata),
    Check("payments.ids", "Ids have their prefixes, and client_secret its format.", "interface §2.7", ids),
    Check("payments.own_id", "A payment_id can be chosen by the caller.", "interface §2.1", own_id),
    Check("payments.taken_id", "A payment_id can be used once: 400 HE_01.", "facts §4.4", taken_id),
    Check("payments.created_in_utc", "created is an ISO 8601 instant in UTC.", "interface §2.1", created_in_utc),
    Check("payments.expires_on", "A session ends after it starts.", "facts §3.8", expires_on),
    Check("payments.success", "A valid card confirmed immediately succeeds, and the full amount is received.", "facts §3.4", success),
    Check("payments.card_shown", "A card is returned with last4, brand and expiry, as strings.", "interface §2.1", card_shown, only=INTERFACE),
    Check("payments.no_card_number", "Card number and CVC are never returned, not even in errors.", "interface §2.1", no_card_number),
    Check("payments.decline", "A decline is not an HTTP error: 200 with status failed.", "facts §3.4", decline),
    Check("payments.decline_reason", "A failed payment has the issuer's and the unified reason.", "facts §4.5", decline_reason),
    Check("payments.retrieve", "A retrieve shows what the create showed.", "facts §1.1", retrieve),
    Check("payments.confirm_later", "A payment with a method is requires_confirmation until it is confirmed.", "facts §3.3", confirm_later),
    Check("payments.confirm_with_method", "The method can be sent with confirm.", "interface §4.5", confirm_with_method),
    Check("payments.confirm_twice", "A succeeded payment cannot be confirmed again: 400 IR_16.", "facts §3.3", confirm_twice),
    Check("payments.failed_stays", "A failed payment cannot be confirmed again unless the profile allows it.", "facts §3.3", failed_stays),
    Check("payments.update", "POST changes the fields that are sent and keeps the others.", "facts §1.1", update),
    Check("payments.update_late", "A confirmed payment cannot be updated: 400 IR_16.", "facts §3.3", update_late),
    Check("payments.replace", "PUT replaces the payment: omitted fields return to their defaults.", "interface §4.1", replace),
    Check("payments.update_metadata", "update_metadata merges the top-level keys.", "facts §3.3", update_metadata),
    Check("payments.pending", "An asynchronous charge is pending until it settles.", "facts §3.4", pending, CONTROL),
)  # fmt: skip
