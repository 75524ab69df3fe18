"""What differs from the interface for clients of the public API: texts, shapes, optional fields."""

from __future__ import annotations

from typing import Any, Final

from mock_server.conformance.answer import PUBLIC, Phrase
from mock_server.conformance.client import DECLINED, Check, MerchantClient, card

JSON_ERROR: Final = "Json deserialize error: "
_OVER: Final = "amount_to_capture contains invalid data. Expected format is amount_to_capture lesser than amount"
CREATED: Final[tuple[tuple[dict[str, Any], int, str, str], ...]] = (
    ({"amount": None}, 400, "IR_04", "Missing required param: amount"),
    ({"currency": None}, 400, "IR_04", "Missing required param: currency"),
    (card("4242424242424241"), 400, "IR_06", f"{JSON_ERROR}invalid card number"),
    (card("4242"), 400, "IR_06", f"{JSON_ERROR}invalid card number length"),
    (card(card_exp_month="13"), 400, "IR_16", "Invalid Expiry Month"),
    (card(card_exp_year="2020"), 400, "IR_16", "Invalid Expiry Year"),
    (card(card_cvc="12", card_exp_year="2020"), 400, "IR_16", "Invalid card_cvc length"),
    ({"setup_future_usage": "maybe"}, 400, "IR_06", f"{JSON_ERROR}unknown variant `maybe`, expected one of `off_session`, `on_session`"),
    ({"name": "n" * 256}, 400, "IR_06", "name must be at most 255 characters long. Received 256 characters"),
    ({"amount": 100, "amount_to_capture": 101}, 422, "IR_05", _OVER),
    ({"confirm": True}, 422, "IR_06", "A payment token or payment method data or ctp service details is required"),
)  # fmt: skip


def says(answer: Any, status: int, code: str, message: str) -> None:
    """The error has this text, and its type under the key that belongs to it."""
    error = answer.refused(status, code)["error"]
    answer.expect("error.message", message, error["message"])
    key = "error_type" if message.startswith(JSON_ERROR) else "type"
    answer.expect("the key of the error's type", Phrase(key), sorted(error), key in error)


def texts_of_creation(api: MerchantClient) -> None:
    for fields, status, code, message in CREATED:
        says(api.create(**fields), status, code, message)


def texts_of_states(api: MerchantClient) -> None:
    paid, held = api.pay().id, api.hold()
    for action in ("confirm", "cancel"):
        says(api.on(paid, action), 400, "IR_16", f"You cannot {action} this payment because it has status succeeded")
    states = "requires_capture, partially_captured_and_capturable, processing"
    refused = f"This Payment could not be captured because it has a payment.status of succeeded. The expected state is {states}"
    says(api.on(paid, "capture"), 400, "IR_14", refused)
    says(api.on(held, "capture", {"amount_to_capture": 9999}), 422, "IR_06", "amount_to_capture is greater than amount")
    says(api.refund(paid, amount=9999), 400, "IR_13", "The refund amount exceeds the amount captured")
    says(api.post("/refunds", {}), 400, "IR_06", f"{JSON_ERROR}missing field `payment_id`")
    taken = "The payment with the specified payment_id already exists in our records"
    says(api.create(payment_id=paid), 400, "HE_01", taken)


def health(api: MerchantClient) -> None:
    answer = api.with_key(None).get("/health").is_(200)
    answer.expect("the text", "health is good", answer.body.decode())


def without_profile(api: MerchantClient) -> None:
    first = api.create(profile_id=None).is_text("profile_id")
    api.create(profile_id=None).has(profile_id=first["profile_id"])


def two_digit_year(api: MerchantClient) -> None:
    made = api.create(profile_id=None, confirm=True, **card(card_exp_year="35")).has(status="succeeded")
    for name, text in {"last4": "4242", "card_network": "Visa", "card_exp_month": "03", "card_exp_year": "35"}.items():
        made.shows(f"payment_method_data.card.{name}", text)


def passed_over(api: MerchantClient) -> None:
    api.create(amuont=1).refused(400, "IR_06")
    api.create(billing={"planet": "Mars"}).is_(200)
    api.on(api.hold(), "capture", {"planet": "Mars"}).has(status="succeeded")
    api.post("/customers", {"planet": "Mars"}).is_(200)


def empty(api: MerchantClient) -> None:
    nothing = {"email": "", "address": {"line1": "", "zip": ""}, "phone": {"number": ""}}
    for raw in (b"", b"null", b"{}"):
        held = api.hold(billing=nothing, shipping=nothing)
        api.call("POST", f"/payments/{held}/capture", raw=raw).has(status="succeeded")


def lists(api: MerchantClient) -> None:
    customer = api.name("cus")
    made = [api.pay(DECLINED, customer_id=customer).id, *(api.create(customer_id=customer).id for _ in range(3))]
    newest = made[::-1]
    page = api.get(f"/payments/list?customer_id={customer}&limit=2").is_(200)
    page.expect("the keys of the envelope", ["data", "size"], sorted(page.json))
    page.expect("the newest payments", newest[:2], [row["payment_id"] for row in page["data"]])
    rest = api.get(f"/payments/list?customer_id={customer}&starting_after={newest[1]}").is_(200)
    rest.expect("what comes after them", newest[2:], [row["payment_id"] for row in rest["data"]])
    for path in ("/customers/list", "/disputes/list"):
        answer = api.get(path).is_(200)
        answer.expect(f"{path}", Phrase("an array"), answer.json, isinstance(answer.json, list))


ROWS: Final = (
    Check("public.texts_of_creation", "Errors for a new payment have the exact messages that clients compare.", "facts §4.4", texts_of_creation, only=PUBLIC),
    Check("public.texts_of_states", "Errors about a status, an amount or a used id have the exact messages too.", "facts §3.3", texts_of_states, only=PUBLIC),
    Check("public.health", "/health answers with a sentence, with or without a key.", "facts §1.6", health, only=PUBLIC),
    Check("public.bad_key", "An invalid key is 401 IR_01.", "facts §1.0", lambda api: says(api.with_key(None).get("/payments/list"), 401, "IR_01", "API key not provided or invalid API key used"), only=PUBLIC),
    Check("public.without_profile", "A payment without profile_id uses the merchant's only profile.", "facts §2.1", without_profile, only=PUBLIC),
    Check("public.card_shown", "A card is returned with the public field names, its year as it was sent.", "facts §2.2", two_digit_year, only=PUBLIC),
    Check("public.unknown_fields", "Unknown fields are refused at the top level of some bodies and ignored elsewhere.", "facts §8", passed_over, only=PUBLIC),
    Check("public.empty", "Empty bodies and empty strings are accepted.", "facts §1.1", empty, only=PUBLIC),
    Check("public.lists", "Lists have the public envelopes and cursors.", "facts §1.1.1", lists, only=PUBLIC),
)  # fmt: skip
