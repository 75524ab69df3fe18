"""Mutants of errors and of what a body may hold."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tests.conformance.mutants.calls import (
    CONFIRM,
    CREATE,
    Ask,
    Next,
    Said,
    answering,
    anywhere,
    as_it_stands,
    body,
    coded,
    drops,
    forgiving,
    instead,
    refusal,
    statused,
)
from tests.conformance.mutants.mutant import Mutant

WORDS: Final[dict[str, tuple[str, ...]]] = {
    "capture_method": ("automatic", "manual", "manual_multiple"),
    "authentication_type": ("three_ds", "no_three_ds"),
    "setup_future_usage": ("on_session", "off_session"),
}


def error(change: Callable[[dict[str, Any]], object]) -> Any:
    """Changes what stands in the envelope of errors."""

    def fix(said: Said, ask: Ask) -> None:
        value = said.json
        if said.code is not None:
            change(value)
            said.put(value)

    return answering(anywhere, fix)


def renamed(value: dict[str, Any]) -> None:
    value["error"]["error_type"] = value["error"].pop("type")


def unwrapped(value: dict[str, Any]) -> None:
    value.update(value.pop("error"))


def beside(value: dict[str, Any]) -> None:
    value["success"] = False


def first_only(value: dict[str, Any]) -> None:
    if value["error"].get("fields"):
        value["error"]["fields"] = value["error"]["fields"][:1]


def unnamed(value: dict[str, Any]) -> None:
    value["error"]["message"] = "Some value of this call is wrong, look again."


def coerced(value: dict[str, Any]) -> None:
    amount = value.get("amount")
    if (isinstance(amount, str) and amount.isdigit()) or isinstance(amount, float | bool):
        value["amount"] = int(amount)


def bounded(value: dict[str, Any]) -> None:
    if isinstance(value.get("amount"), int):
        value["amount"] = max(0, min(999_999_999, value["amount"]))


def amount_below_limit(ask: Ask, proceed: Next) -> Said:
    amount = ask.json.get("amount")
    return refusal(400, "IR_04") if isinstance(amount, int) and 99_999_999 < amount < 1_000_000_000 else proceed(ask)


def upper(value: dict[str, Any]) -> None:
    if isinstance(value.get("currency"), str):
        value["currency"] = value["currency"].upper()


def forgives_words(value: dict[str, Any]) -> None:
    for name, known in WORDS.items():
        if value.get(name) not in known:
            value.pop(name, None)


def of_card(change: Callable[[dict[str, Any]], object]) -> Any:
    """Changes the card that is sent."""

    def fix(value: dict[str, Any]) -> None:
        card = (value.get("payment_method_data") or {}).get("card")
        if isinstance(card, dict):
            change(card)

    return body(CREATE, fix)


def mends_number(card: dict[str, Any]) -> None:
    if not str(card.get("card_number")).isdigit() or str(card["card_number"]).endswith("41"):
        card["card_number"] = "4242424242424242"


def mends_year(card: dict[str, Any]) -> None:
    if str(card.get("card_exp_year")) < "2026":
        card["card_exp_year"] = "2035"


def mends_month(card: dict[str, Any]) -> None:
    if not "01" <= str(card.get("card_exp_month")) <= "12":
        card["card_exp_month"] = "12"


def only_known(ask: Ask, proceed: Next) -> Said:
    """What is not known is taken out, at every depth."""
    unknown = {"amuont", "pin"}

    def known(value: Any) -> Any:
        return (
            {name: known(item) for name, item in value.items() if name not in unknown}
            if isinstance(value, dict)
            else value
        )

    again = ask.again()
    again.put(known(ask.json))
    return proceed(again)


def cut(name: str, length: int) -> Any:
    def fix(value: dict[str, Any]) -> None:
        if isinstance(value.get(name), str):
            value[name] = value[name][:length]

    return body(CREATE, fix)


def cuts_metadata(value: dict[str, Any]) -> None:
    found = value.get("metadata")
    if isinstance(found, dict):
        short = {name[:40]: item[:500] if isinstance(item, str) else item for name, item in found.items()}
        value["metadata"] = dict(list(short.items())[:50])


def one_pair_less(ask: Ask, proceed: Next) -> Said:
    found = ask.json.get("metadata")
    return refusal(400, "IR_04") if isinstance(found, dict) and len(found) > 49 else proceed(ask)


def adds_letter(value: dict[str, Any]) -> None:
    name = value.get("statement_descriptor_name")
    if isinstance(name, str) and not any(sign.isalpha() for sign in name):
        value["statement_descriptor_name"] = f"{name[:21]}A"


def without(*names: str) -> Callable[[Ask, Next], Said]:
    def found(ask: Ask, proceed: Next) -> Said:
        again = ask.again()
        again.put({name: item for name, item in ask.json.items() if name not in names})
        return proceed(again)

    return found


ROWS: Final = (
    Mutant("error_type_renamed", "An error's type is called error_type.", ("errors.envelope",), error(renamed)),
    Mutant("errors_unwrapped", "Errors have no object error around them.", ("errors.envelope", "errors.unknown_object"), error(unwrapped)),
    Mutant("errors_beside", "The body has other keys beside error.", ("errors.envelope",), error(beside)),
    Mutant("error_type_wrong", "The type of errors is invalid_request_error.", ("errors.envelope", "rate_limit.exceeded"), error(lambda value: value["error"].update(type="invalid_request_error"))),
    Mutant("ir_07_for_ir_04", "An invalid value gets IR_07.", ("validation.missing", "validation.all_at_once", "validation.amount", "lists.bounds", "refunds.not_positive"), coded("IR_04", "IR_07")),
    Mutant("wrong_value_is_422", "An invalid value gets 422.", ("validation.amount", "validation.currency", "validation.words", "validation.card_number", "validation.expiry", "validation.cvc"), coded("IR_04", "IR_04", status=422)),
    Mutant("first_mistake_only", "Only the first mistake is reported.", ("validation.all_at_once", "validation.missing"), error(first_only)),
    Mutant("mistakes_unnamed", "The message does not name the field.", ("validation.amount",), error(unnamed)),
    Mutant("amount_coerced", "Strings and fractions are accepted as amounts.", ("validation.amount",), body(CREATE, coerced)),
    Mutant("amount_cut", "An amount over the maximum is reduced to it.", ("validation.amount",), body(CREATE, bounded)),
    Mutant("amount_limit_lower", "The maximum amount has one digit less.", ("validation.amount",), instead(CREATE, amount_below_limit)),
    Mutant("currency_in_any_case", "A currency in lower case is accepted.", ("validation.currency",), body(CREATE, upper)),
    Mutant("unknown_words_pass", "An unknown value is treated as missing.", ("validation.words",), body(CREATE, forgives_words)),
    Mutant("no_check_digit", "A card's check digit is not checked.", ("validation.card_number",), of_card(mends_number)),
    Mutant("past_cards_pass", "An expired card is accepted.", ("validation.expiry",), of_card(mends_year)),
    Mutant("thirteen_months", "Month 13 is accepted.", ("validation.expiry",), of_card(mends_month)),
    Mutant("any_cvc", "Any CVC is accepted.", ("validation.cvc",), of_card(lambda card: card.update(card_cvc="123"))),
    Mutant("unknown_fields_pass", "Unknown fields are ignored.", ("validation.unknown_field",), forgiving(CREATE, "IR_06", only_known)),
    Mutant("metadata_cut", "Surplus metadata is dropped.", ("validation.metadata_limits",), body(CREATE, cuts_metadata)),
    Mutant("metadata_limit_lower", "metadata may have 49 pairs.", ("validation.metadata_limits",), instead(CREATE, one_pair_less)),
    Mutant("descriptor_cut", "A statement descriptor that is too long is cut.", ("validation.descriptor",), cut("statement_descriptor_name", 22)),
    Mutant("descriptor_without_letter", "A statement descriptor may have no letter.", ("validation.descriptor",), body(CREATE, adds_letter)),
    Mutant("reference_cut", "An order reference that is too long is cut.", ("validation.order_reference",), cut("merchant_order_reference_id", 255)),
    Mutant("any_method_pair", "payment_method_type is not checked against payment_method.", ("validation.method_pair",), forgiving(CREATE, "IR_06", without("payment_method_type"))),
    Mutant("method_pair_is_400", "A type of another payment method gets 400.", ("validation.method_pair",), statused(422, 400, CREATE)),
    Mutant("confirms_nothing", "A payment without a payment method can be confirmed.", ("validation.needs_method",), forgiving(CREATE, "IR_04", without("confirm"))),
    Mutant("confirm_without_method", "A confirm does not require a payment method.", ("validation.needs_method",), forgiving(CONFIRM, "IR_04", as_it_stands)),
    Mutant("nothing_required", "A missing field of a refund gets IR_06.", ("validation.missing",), coded("IR_04", "IR_06", lambda ask: ask.path == "/refunds")),
    Mutant("currency_optional", "A payment without a currency is in USD.", ("validation.missing",), body(CREATE, lambda value: value.setdefault("currency", "USD"))),
    Mutant("profile_forgotten", "profile_id is null in answers.", ("payments.without_method",), answering(CREATE, lambda said, ask: said.put({**said.json, "profile_id": None}) if said.status == 200 else None)),
    Mutant("reference_refused", "An order reference is refused as unknown field.", ("validation.order_reference",), forgiving(CREATE, "IR_04", without("merchant_order_reference_id"))),
    Mutant("billing_lost", "The billing address is lost.", ("payments.echoes",), body(CREATE, drops("billing"))),
)  # fmt: skip
