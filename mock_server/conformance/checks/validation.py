"""Invalid bodies, and the fields that the error names."""

from __future__ import annotations

from typing import Any, Final

from mock_server.conformance.answer import INTERFACE, Phrase
from mock_server.conformance.client import DECLINED, SUCCESS, Check, MerchantClient, card


def wrong(api: MerchantClient, field: str, *values: Any) -> None:
    """Each value is refused, and the message names the field."""
    for value in values:
        answer = api.post("/payments", {**api.body(), field: value}).refused(400, "IR_04").names(field)
        message = answer["error.message"]
        answer.expect("the message", Phrase(f"to name {field}"), message, field in message)


def envelope(api: MerchantClient) -> None:
    paid = api.pay()
    refused = (
        api.with_key(None).get("/payments/list"), api.get("/nowhere"), api.post("/payments", {}), api.payment("pay_nowhere"),
        api.on(paid.id, "cancel"), api.on(paid.id, "capture"), api.call("POST", "/payments", raw=b"{"),
    )  # fmt: skip
    for answer in refused:
        answer.expect("the HTTP status", Phrase("400 or more"), answer.status, answer.status >= 400)
        answer.expect("other keys besides error", [], [name for name in answer.json if name != "error"])
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
    data = {"bank_redirect": {"ideal": {"bank_name": "ing", "country": "NL"}}}
    made = api.create(payment_method="wallet", payment_method_type="ideal", payment_method_data=data)
    made.refused(422, "IR_06")
    api.create(payment_method="bank_redirect", payment_method_type="ideal", payment_method_data=data).is_(200)


def needs_method(api: MerchantClient) -> None:
    api.create(confirm=True).refused(400, "IR_04")
    api.on(api.create().id, "confirm").refused(400, "IR_04")


def unknown_object(api: MerchantClient) -> None:
    for path in ("/payments/pay_nowhere", "/refunds/ref_nowhere", "/customers/cus_nowhere", "/mandates/man_nowhere"):
        api.get(path).refused(404, "HE_02")
    for action in ("confirm", "capture", "cancel"):
        api.on("pay_nowhere", action, card() if action == "confirm" else None).refused(404, "HE_02")


ROWS: Final = (
    Check("errors.envelope", "Every error is {error: {type, code, message}}, each a string.", "interface §7", envelope),
    Check("errors.unknown_object", "An unknown id is 404 HE_02.", "facts §4.3", unknown_object),
    Check("validation.missing", "A missing required field is 400 IR_04 and named.", "interface §4.2", missing, only=INTERFACE),
    Check("validation.all_at_once", "All invalid fields are named at once.", "ours", all_at_once, only=INTERFACE),
    Check("validation.amount", "amount must be an integer from 0 to 999 999 999.", "interface §4.2", amount, only=INTERFACE),
    Check("validation.currency", "currency must be an ISO 4217 code in upper case.", "interface §4.2", currency, only=INTERFACE),
    Check("validation.words", "An unknown value of an enum is refused.", "interface §4.2", words, only=INTERFACE),
    Check("validation.card_number", "A card number must have a valid length and check digit.", "ours", card_number, only=INTERFACE),
    Check("validation.expiry", "A card's expiry must be in the future.", "interface §2.4", expiry, only=INTERFACE),
    Check("validation.cvc", "A CVC must be a string of three or four digits.", "interface §2.4", cvc, only=INTERFACE),
    Check("validation.unknown_field", "An unknown field is 400 IR_06, at any depth.", "facts §8", unknown_field, only=INTERFACE),
    Check("validation.metadata_limits", "metadata has at most 50 pairs, keys of 40 and values of 500 characters.", "interface §8.5", metadata_limits, only=INTERFACE),
    Check("validation.descriptor", "statement_descriptor_name has at most 22 characters and at least one letter.", "interface §8.5", descriptor, only=INTERFACE),
    Check("validation.order_reference", "merchant_order_reference_id has at most 255 characters.", "interface §8.5", order_reference, only=INTERFACE),
    Check("validation.method_pair", "payment_method_type must belong to payment_method: 422 IR_06.", "facts §4.4", method_pair),
    Check("validation.needs_method", "A payment cannot be confirmed without a payment method: 400 IR_04.", "interface §4.2", needs_method, only=INTERFACE),
)  # fmt: skip
