"""From a loaded payment body to its command: aliases settled, echoed values written once as JSON text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from mock_server.domain.commands import (
    CardInput,
    CustomerInput,
    JsonText,
    MandateInput,
    MethodInput,
    MultiUse,
    PaymentRequest,
    RecurringInput,
)
from mock_server.domain.methods import CATEGORY_ALIASES, METHODS, payload
from mock_server.jsontext import canonical
from mock_server.shapes.requests.metadata import text_of
from mock_server.shapes.requests.payments.echo import ECHOED

Loaded = Mapping[str, Any]
_Turn = Callable[[dict[str, Any], dict[str, JsonText], Any], None]

_TYPE_OF: Final = {word: row.type for row in METHODS for word in row.aliases}
_encode: Final = msgspec.json.Encoder().encode


def payment_request(loaded: Loaded) -> PaymentRequest:
    """The command of create, update, replace and confirm."""
    known: dict[str, Any] = {}
    echo: dict[str, JsonText] = {}
    for name, value in loaded.items():
        if value is not None:
            turn = _TURNS.get(name)
            if turn is None:
                known[name] = value
            else:
                turn(known, echo, value)
    known["echo"] = echo
    return _request(known)


def _request(known: dict[str, Any]) -> PaymentRequest:
    """The command without its constructor, which would set each of fifty fields that nobody sent."""
    request = object.__new__(PaymentRequest)
    request.__dict__.update(known)
    return request


def method_input(data: Loaded) -> MethodInput | None:
    """What `payment_method_data` holds, in the interface's words; None where it holds no method."""
    billing = _shown_or_none(data.get("billing"))
    card = data.get("card")
    if card is not None:
        return MethodInput(category="card", card=card_input(card), billing=billing)
    for group, payloads in data.items():
        if group != "billing" and payloads is not None:
            return _payload_input(group, payloads, billing)
    return None


def _payload_input(group: str, payloads: Loaded, billing: JsonText | None) -> MethodInput:
    for name, given in payloads.items():
        row = payload(group, name)
        if given is not None and row is not None:
            return MethodInput(
                category=row.category, name=row.type, sent_as=name, payload=_present(given), billing=billing
            )
    return MethodInput(category=CATEGORY_ALIASES.get(group, group), billing=billing)


def card_input(card: Loaded) -> CardInput:
    """A card, as far as a charge needs it."""
    return CardInput(
        number=card["card_number"],
        exp_month=card["card_exp_month"],
        exp_year=card["card_exp_year"],
        cvc=card.get("card_cvc"),
        holder=card.get("card_holder_name"),
        nick_name=card.get("nick_name"),
    )


def customer_input(customer: Loaded) -> CustomerInput:
    """The customer of a payment."""
    return CustomerInput(
        id=customer.get("id"),
        name=customer.get("name"),
        email=customer.get("email"),
        phone=customer.get("phone"),
        phone_country_code=customer.get("phone_country_code"),
    )


def mandate_input(mandate: Loaded) -> MandateInput:
    """A mandate to be made."""
    sort = mandate.get("mandate_type") or {}
    return MandateInput(
        single_use=_bounds(sort.get("single_use")),
        multi_use=_bounds(sort.get("multi_use")),
        customer_acceptance=_shown_or_none(mandate.get("customer_acceptance")),
    )


def recurring_input(details: Loaded) -> RecurringInput:
    """What a charge without the customer is made with."""
    data = details["data"]
    if isinstance(data, str):
        return RecurringInput(type=details["type"], data=data)
    if "card_number" in data:
        return RecurringInput(type=details["type"], card=card_input(data))
    return RecurringInput(type=details["type"], data=data.get("processor_payment_token"), card=_token_card(data))


def _token_card(data: Loaded) -> CardInput | None:
    """A network token is charged as the card that it stands for."""
    if "network_token" not in data:
        return None
    return CardInput(
        number=data["network_token"],
        exp_month=data["token_exp_month"],
        exp_year=data["token_exp_year"],
        holder=data.get("card_holder_name"),
        nick_name=data.get("nick_name"),
    )


def _bounds(bounds: Loaded | None) -> MultiUse | None:
    if bounds is None:
        return None
    return MultiUse(
        amount=bounds["amount"],
        currency=bounds["currency"],
        start_date=bounds.get("start_date"),
        end_date=bounds.get("end_date"),
    )


def _present(given: Loaded) -> dict[str, Any]:
    return {key: value for key, value in given.items() if value is not None}


def _text(value: Any) -> JsonText:
    """JSON text of a value that is already as JavaScript writes it: text, integers, flags, under known names."""
    return _encode(value).decode()


def _shown_or_none(value: Any) -> JsonText | None:
    return None if value is None else _text(value)


def _echoed(name: str, write: Callable[[Any], JsonText]) -> _Turn:
    def turn(known: dict[str, Any], echo: dict[str, JsonText], value: Any) -> None:
        echo[name] = write(value)

    return turn


def _made(name: str, make: Callable[[Any], Any]) -> _Turn:
    def turn(known: dict[str, Any], echo: dict[str, JsonText], value: Any) -> None:
        known[name] = make(value)

    return turn


def _method(known: dict[str, Any], echo: dict[str, JsonText], data: Any) -> None:
    known["payment_method_data"] = method_input(data)


def _category(known: dict[str, Any], echo: dict[str, JsonText], word: Any) -> None:
    known["payment_method"] = CATEGORY_ALIASES.get(word, word)


def _type(known: dict[str, Any], echo: dict[str, JsonText], word: Any) -> None:
    known["payment_method_type"] = _TYPE_OF.get(word, word)


def _billing(known: dict[str, Any], echo: dict[str, JsonText], billing: Any) -> None:
    echo["billing"] = _text(billing)
    address = billing["address"]
    if address is not None:
        known["billing_country"] = address["country"]


def _surcharge(known: dict[str, Any], echo: dict[str, JsonText], surcharge: Any) -> None:
    echo["surcharge_details"] = _text(surcharge)
    known["surcharge_amount"] = surcharge["surcharge_amount"]
    known["surcharge_tax"] = surcharge["tax_amount"]


def _connector(known: dict[str, Any], echo: dict[str, JsonText], names: Any) -> None:
    known["connector"] = names[0] if names else None


def _nothing(known: dict[str, Any], echo: dict[str, JsonText], value: Any) -> None:
    """Taken and without a meaning here."""


_FREE: Final = ("connector_metadata", "feature_metadata", "frm_metadata", "billing_descriptor", "split_payments",
                "partner_merchant_identifier_details", "installment_options", "installment_data", "routing",
                "payment_link_config", "order_details")  # fmt: skip
"""Echoed values that can hold anything, and so need JavaScript's own order and numbers."""

_TURNS: Final[dict[str, _Turn]] = {
    **{name: _echoed(name, canonical if name in _FREE else _text) for name in ECHOED},
    "billing": _billing,
    "surcharge_details": _surcharge,
    "payment_method": _category,
    "payment_method_type": _type,
    "payment_method_data": _method,
    "customer": _made("customer", customer_input),
    "customer_acceptance": _made("customer_acceptance", _text),
    "mandate_data": _made("mandate_data", mandate_input),
    "recurring_details": _made("recurring_details", recurring_input),
    "metadata": _made("metadata", text_of),
    "connector": _connector,
    "payment_link": _nothing,
    "all_keys_required": _nothing,
}
