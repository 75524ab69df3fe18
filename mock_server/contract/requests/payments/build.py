"""From a loaded payment body to its command: aliases settled, echoed values written once as JSON text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mock_server.contract.requests.payments.methods import TYPE_OF
from mock_server.contract.requests.shapes import Loaded
from mock_server.contract.requests.texts import known_text, metadata_text
from mock_server.domain.commands import (
    CancelPayment,
    CapturePayment,
    CardInput,
    CompleteAuthorize,
    CustomerInput,
    IncrementAuthorization,
    JsonText,
    MandateInput,
    MergeMetadata,
    MethodInput,
    MultiUse,
    PaymentRequest,
    RecurringInput,
    RetrievePayment,
)
from mock_server.domain.instants import parse
from mock_server.domain.methods import CATEGORY_ALIASES, payload
from mock_server.domain.payment_echo import ECHOED
from mock_server.jsontext import canonical

_Turn = Callable[[dict[str, Any], dict[str, JsonText], Any], None]


_BESIDE: Final = ("billing", "card_token")
"""What of `payment_method_data` is no method."""


def method_input(data: Loaded) -> MethodInput | None:
    """What `payment_method_data` holds, in the interface's words; None where it holds no method."""
    billing = _shown_or_none(data.get("billing"))
    card = data.get("card")
    if card is not None:
        return MethodInput(category="card", card=card_input(card), billing=billing)
    for group, payloads in data.items():
        if group not in _BESIDE and payloads is not None:
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
        shown=canonical(mandate),
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
        start_date=_instant(bounds["start_date"]),
        end_date=_instant(bounds["end_date"]),
    )


def _instant(text: str | None) -> int | None:
    return None if text is None else parse(text)


def _present(given: Loaded) -> dict[str, Any]:
    return {key: value for key, value in given.items() if value is not None}


def _shown_or_none(value: Any) -> JsonText | None:
    return None if value is None else known_text(value)


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
    return PaymentRequest(**known)


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
    known["payment_method_type"] = TYPE_OF.get(word, word)


def _billing(known: dict[str, Any], echo: dict[str, JsonText], billing: Any) -> None:
    echo["billing"] = known_text(billing)
    address = billing["address"]
    if address is not None:
        known["billing_country"] = address["country"]


def _surcharge(known: dict[str, Any], echo: dict[str, JsonText], surcharge: Any) -> None:
    echo["surcharge_details"] = known_text(surcharge)
    known["surcharge_amount"] = surcharge["surcharge_amount"]
    known["surcharge_tax"] = surcharge["tax_amount"]


def _credentials(known: dict[str, Any], echo: dict[str, JsonText], details: Any) -> None:
    """Credentials of a real processor are nothing to keep."""
    echo["merchant_connector_details"] = canonical(
        {name: details[name] for name in ("creds_identifier",) if name in details}
    )


def _connector(known: dict[str, Any], echo: dict[str, JsonText], names: Any) -> None:
    known["connector"] = tuple(names)


def _nothing(known: dict[str, Any], echo: dict[str, JsonText], value: Any) -> None:
    """Taken and without a meaning here."""


_FREE: Final = ("connector_metadata", "feature_metadata", "frm_metadata", "billing_descriptor", "split_payments",
                "partner_merchant_identifier_details", "installment_options", "installment_data", "routing",
                "payment_link_config", "order_details")  # fmt: skip
"""Echoed values that can hold anything, and so need JavaScript's own order and numbers."""

_TURNS: Final[dict[str, _Turn]] = {
    **{name: _echoed(name, canonical if name in _FREE else known_text) for name in ECHOED},
    "billing": _billing,
    "surcharge_details": _surcharge,
    "payment_method": _category,
    "payment_method_type": _type,
    "payment_method_data": _method,
    "customer": _made("customer", customer_input),
    "customer_acceptance": _made("customer_acceptance", known_text),
    "mandate_data": _made("mandate_data", mandate_input),
    "recurring_details": _made("recurring_details", recurring_input),
    "metadata": _made("metadata", metadata_text),
    "connector": _connector,
    "merchant_connector_details": _credentials,
    "payment_link": _nothing,
    "all_keys_required": _nothing,
}


def capture(loaded: Loaded) -> CapturePayment:
    """The command of a capture."""
    return CapturePayment(
        amount_to_capture=loaded.get("amount_to_capture"),
        refund_uncaptured_amount=loaded.get("refund_uncaptured_amount"),
        statement_descriptor_suffix=loaded.get("statement_descriptor_suffix"),
        statement_descriptor_prefix=loaded.get("statement_descriptor_prefix"),
    )


def cancel(loaded: Loaded) -> CancelPayment:
    """The command of a cancel."""
    return CancelPayment(cancellation_reason=loaded.get("cancellation_reason"))


def increment(loaded: Loaded) -> IncrementAuthorization:
    """The command of a raise."""
    return IncrementAuthorization(amount=loaded["amount"], reason=loaded.get("reason"))


def merge_metadata(loaded: Loaded) -> MergeMetadata:
    """The command of a metadata update."""
    return MergeMetadata(metadata={key: canonical(value) for key, value in loaded["metadata"].items()})


def complete(loaded: Loaded) -> CompleteAuthorize:
    """The command that ends a challenge."""
    shipping = loaded.get("shipping")
    return CompleteAuthorize(
        client_secret=loaded.get("client_secret"),
        shipping=None if shipping is None else known_text(shipping),
        threeds_method_comp_ind=loaded.get("threeds_method_comp_ind"),
    )


def retrieve(loaded: Loaded) -> RetrievePayment:
    """The command of a retrieve, by query or by body."""
    return RetrievePayment(
        payment_id=loaded.get("payment_id"),
        client_secret=loaded.get("client_secret"),
        force_sync=loaded.get("force_sync") or False,
        expand_attempts=loaded.get("expand_attempts") or False,
        expand_captures=loaded.get("expand_captures") or False,
    )
