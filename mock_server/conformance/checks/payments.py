"""Payments from create to their first outcome and what they show; wrong bodies, and what the error names."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

import re
from typing import Any, Final

from mock_server.conformance.answer import Phrase, shown
from mock_server.conformance.checking import Check
from mock_server.conformance.client import CVC, DECLINED, POOR, SUCCESS, MerchantClient, card
from mock_server.conformance.target import Ability

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
    for name, prefix in {"payment_id": "pay_", "merchant_id": "mer_"}.items():
        made.expect(name, Phrase(f"to begin with {prefix}"), made[name], str(made[name]).startswith(prefix))
    made.expect("ids of two payments", Phrase("to differ"), another.id, made.id != another.id)
    begins = f"{made.id}_secret_"
    secret = str(made["client_secret"])
    made.expect(
        "client_secret", Phrase("<payment_id>_secret_<random>"), secret, secret.startswith(begins) and secret != begins
    )


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
        answer.expect("the card's number", Phrase("to stand nowhere"), Phrase(shown(text)), SUCCESS[:12] not in text)
        answer.expect("the card's CVC", Phrase("to stand nowhere"), Phrase(shown(text)), f'"{CVC}"' not in text)


def decline(api: MerchantClient) -> None:
    for number in (DECLINED, POOR):
        api.pay(number).has(status="failed", next_action=None, amount_capturable=0)


def decline_reason(api: MerchantClient) -> None:
    failed = api.pay(POOR)
    for name in ("error_code", "error_message", "unified_code", "unified_message"):
        failed.expect(name, Phrase("a text"), failed[name], isinstance(failed[name], str) and bool(failed[name]))
    code = str(failed["unified_code"])
    failed.expect("unified_code", Phrase("UE_ and four digits"), code, bool(re.fullmatch(r"UE_\d{4}", code)))
    api.payment(failed.id).has(error_code=failed["error_code"], error_message=failed["error_message"])


def retrieve(api: MerchantClient) -> None:
    for made in (api.create(**ECHOED), api.pay(), api.pay(DECLINED), api.pay(capture_method="manual")):
        found = api.payment(made.id).is_(200)
        for name, value in made.json.items():
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


CONTROL: Final = frozenset({Ability.CONTROL})
PAYMENTS: Final = (
    Check("payments.without_method", "A payment without method is requires_payment_method.", "interface §4.2", without_method),
    Check("payments.echoes", "What was sent is shown again as it was sent.", "interface §2.1", echoes),
    Check("payments.empty_metadata", "metadata is an empty object where none was given.", "interface §2.1", empty_metadata),
    Check("payments.ids", "Ids have their prefixes, and client_secret its form.", "interface §2.7", ids),
    Check("payments.own_id", "A payment_id of the caller is kept.", "interface §2.1", own_id),
    Check("payments.taken_id", "A payment_id is used once: 400 HE_01.", "facts §4.4", taken_id),
    Check("payments.created_in_utc", "created is an ISO 8601 instant in UTC.", "interface §2.1", created_in_utc),
    Check("payments.expires_on", "A session's end lies after its beginning.", "facts §3.8", expires_on),
    Check("payments.success", "A good card confirmed at once succeeds, and all is received.", "facts §3.4", success),
    Check("payments.card_shown", "A card is shown by last4, brand and expiry, as texts.", "interface §2.1", card_shown),
    Check("payments.no_card_number", "Number and CVC come back nowhere, not in errors either.", "interface §2.1", no_card_number),
    Check("payments.decline", "A decline is no HTTP error: 200, failed.", "facts §3.4", decline),
    Check("payments.decline_reason", "A failed payment says why, in the issuer's and in unified words.", "facts §4.5", decline_reason),
    Check("payments.retrieve", "A retrieve shows what the create showed.", "facts §1.1", retrieve),
    Check("payments.confirm_later", "With a method and unconfirmed it is requires_confirmation, until confirmed.", "facts §3.3", confirm_later),
    Check("payments.confirm_with_method", "Confirm takes the method along.", "interface §4.5", confirm_with_method),
    Check("payments.confirm_twice", "What succeeded is not confirmed again: 400 IR_16.", "facts §3.3", confirm_twice),
    Check("payments.failed_stays", "What failed is not confirmed again where the profile does not allow it.", "facts §3.3", failed_stays),
    Check("payments.update", "POST changes what is sent and leaves the rest.", "facts §1.1", update),
    Check("payments.update_late", "After its confirmation nothing is updated: 400 IR_16.", "facts §3.3", update_late),
    Check("payments.replace", "PUT replaces: what is left out goes back to its default.", "interface §4.1", replace),
    Check("payments.update_metadata", "update_metadata merges the keys at the top.", "facts §3.3", update_metadata),
    Check("payments.pending", "An asynchronous charge is pending until it settles.", "facts §3.4", pending, CONTROL),
)  # fmt: skip


def wrong(api: MerchantClient, field: str, *values: Any) -> None:
    """Each value is refused, and the message names the field."""
    for value in values:
        answer = api.post("/payments", {**api.body(), field: value}).refused(400, "IR_04").names(field)
        message = answer["error.message"]
        answer.expect("the message", Phrase(f"to name {field}"), message, field in message)


def envelope(api: MerchantClient) -> None:
    paid = api.pay()
    refused = (
        api.with_key(None).get("/health"), api.get("/nowhere"), api.post("/payments", {}), api.payment("pay_nowhere"),
        api.on(paid.id, "cancel"), api.on(paid.id, "capture"), api.call("POST", "/payments", raw=b"{"),
    )  # fmt: skip
    for answer in refused:
        answer.expect("the HTTP status", Phrase("400 or more"), answer.status, answer.status >= 400)
        answer.expect("what stands beside error", [], [name for name in answer.json if name != "error"])
        answer.refused(answer.status, answer["error.code"])
        said = answer["error.message"]
        answer.expect("the message", Phrase("a sentence"), said, len(said) > 10)


def missing(api: MerchantClient) -> None:
    api.post("/payments", {}).refused(400, "IR_04").names("amount", "currency", "profile_id")
    api.post("/payments", api.body(amount=None)).refused(400, "IR_04").names("amount")
    api.post("/refunds", {}).refused(400, "IR_04").names("payment_id")


def all_at_once(api: MerchantClient) -> None:
    body = api.body(amount="ten", currency="dollars", capture_method="later", metadata=[])
    api.post("/payments", body).refused(400, "IR_04").names("amount", "currency", "capture_method", "metadata")


def amount(api: MerchantClient) -> None:
    wrong(api, "amount", "100", 1.5, 100.0, True, -1, 1_000_000_000, [1])
    api.create(amount=999_999_999).has(amount=999_999_999)


def currency(api: MerchantClient) -> None:
    wrong(api, "currency", "usd", "US", "XQZ", 840, "")


def words(api: MerchantClient) -> None:
    wrong(api, "capture_method", "later")
    wrong(api, "authentication_type", "sometimes")
    wrong(api, "setup_future_usage", "maybe")


def card_number(api: MerchantClient) -> None:
    for number in ("4242424242424241", "4242", "4242 4242 4242 424x", ""):
        refused = api.pay(number).refused(400, "IR_04")
        refused.names("payment_method_data.card.card_number")


def expiry(api: MerchantClient) -> None:
    for month, year, field in (("03", "2020", "year"), ("13", "2035", "month"), ("3x", "2035", "month")):
        made = card(SUCCESS, card_exp_month=month, card_exp_year=year)
        api.create(confirm=True, **made).refused(400, "IR_04").names(f"payment_method_data.card.card_exp_{field}")


def cvc(api: MerchantClient) -> None:
    for text in ("12", "12345", "abc", 123):
        made = card(DECLINED, card_cvc=text)
        api.create(confirm=True, **made).refused(400, "IR_04").names("payment_method_data.card.card_cvc")


def unknown_field(api: MerchantClient) -> None:
    api.create(amuont=1).refused(400, "IR_06").names("amuont")
    api.pay(payment_method_data={"card": {**card()["payment_method_data"]["card"], "pin": "1"}}).refused(400, "IR_06")


def metadata_limits(api: MerchantClient) -> None:
    full = {f"{'k' * 37}{number:03}": "v" * 500 for number in range(50)}
    api.create(metadata=full).has(metadata=full)
    over: tuple[dict[str, str], ...] = ({**full, "more": "x"}, {"k" * 41: "x"}, {"k": "v" * 501})
    for metadata in over:
        api.create(metadata=metadata).refused(400, "IR_04")


def descriptor(api: MerchantClient) -> None:
    api.create(statement_descriptor_name="A" * 22).has(statement_descriptor_name="A" * 22)
    wrong(api, "statement_descriptor_name", "A" * 23, "1234 5678")


def order_reference(api: MerchantClient) -> None:
    api.create(merchant_order_reference_id="x" * 255).is_(200)
    wrong(api, "merchant_order_reference_id", "x" * 256)


def method_pair(api: MerchantClient) -> None:
    made = api.create(payment_method="wallet", payment_method_type="ideal")
    made.refused(422, "IR_06")
    api.create(payment_method="bank_redirect", payment_method_type="ideal").is_(200)


def needs_method(api: MerchantClient) -> None:
    api.create(confirm=True).refused(400, "IR_04")
    api.on(api.create().id, "confirm").refused(400, "IR_04")


def unknown_object(api: MerchantClient) -> None:
    for path in ("/payments/pay_nowhere", "/refunds/ref_nowhere", "/customers/cus_nowhere", "/mandates/man_nowhere"):
        api.get(path).refused(404, "HE_02")
    for action in ("confirm", "capture", "cancel"):
        api.on("pay_nowhere", action, card() if action == "confirm" else None).refused(404, "HE_02")


VALIDATION: Final = (
    Check("errors.envelope", "Every error is {error: {type, code, message}}, each a text.", "interface §7", envelope),
    Check("errors.unknown_object", "An id that there is not is 404 HE_02.", "facts §4.3", unknown_object),
    Check("validation.missing", "What is required and missing is 400 IR_04, and named.", "interface §4.2", missing),
    Check("validation.all_at_once", "All wrong fields are named at once.", "ours", all_at_once),
    Check("validation.amount", "amount is an integer from 0 to 999 999 999, and nothing like it.", "interface §4.2", amount),
    Check("validation.currency", "currency is an ISO 4217 code in capitals.", "interface §4.2", currency),
    Check("validation.words", "A word that is none of a field's words is refused.", "interface §4.2", words),
    Check("validation.card_number", "A card number has its length and its check digit.", "ours", card_number),
    Check("validation.expiry", "A card's expiry lies in the future.", "interface §2.4", expiry),
    Check("validation.cvc", "A CVC is three or four digits, as a text.", "interface §2.4", cvc),
    Check("validation.unknown_field", "An unknown field is 400 IR_06, at any depth.", "facts §8", unknown_field),
    Check("validation.metadata_limits", "metadata has 50 pairs, keys of 40 and values of 500 characters, no more.", "interface §8.5", metadata_limits),
    Check("validation.descriptor", "statement_descriptor_name has 22 characters and a letter.", "interface §8.5", descriptor),
    Check("validation.order_reference", "merchant_order_reference_id has 255 characters.", "interface §8.5", order_reference),
    Check("validation.method_pair", "payment_method_type goes with its payment_method: 422 IR_06.", "facts §4.4", method_pair),
    Check("validation.needs_method", "Nothing is confirmed without a payment method: 400 IR_04.", "interface §4.2", needs_method),
)  # fmt: skip
