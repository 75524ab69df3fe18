"""From a loaded payment body to its command: aliases settled, echoed values written once as JSON text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mock_server.contract.requests.metadata import text_of
from mock_server.contract.requests.payments.instruments import (
    Loaded,
    customer_input,
    mandate_input,
    method_input,
    recurring_input,
    text,
)
from mock_server.domain.commands import (
    CancelPayment,
    CapturePayment,
    CompleteAuthorize,
    IncrementAuthorization,
    JsonText,
    MergeMetadata,
    PaymentRequest,
    RetrievePayment,
)
from mock_server.domain.methods import CATEGORY_ALIASES, METHODS
from mock_server.domain.payment_echo import ECHOED
from mock_server.jsontext import canonical

_Turn = Callable[[dict[str, Any], dict[str, JsonText], Any], None]

TYPE_OF: Final = {word: row.type for row in METHODS for word in row.aliases}
"""The public API's words for a type, and the interface's (facts §9)."""


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
    echo["billing"] = text(billing)
    address = billing["address"]
    if address is not None:
        known["billing_country"] = address["country"]


def _surcharge(known: dict[str, Any], echo: dict[str, JsonText], surcharge: Any) -> None:
    echo["surcharge_details"] = text(surcharge)
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
    **{name: _echoed(name, canonical if name in _FREE else text) for name in ECHOED},
    "billing": _billing,
    "surcharge_details": _surcharge,
    "payment_method": _category,
    "payment_method_type": _type,
    "payment_method_data": _method,
    "customer": _made("customer", customer_input),
    "customer_acceptance": _made("customer_acceptance", text),
    "mandate_data": _made("mandate_data", mandate_input),
    "recurring_details": _made("recurring_details", recurring_input),
    "metadata": _made("metadata", text_of),
    "connector": _connector,
    "merchant_connector_details": _credentials,
    "payment_link": _nothing,
    "all_keys_required": _nothing,
}


def nothing(loaded: Loaded) -> None:
    """The command of a call with nothing to say."""


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
        shipping=None if shipping is None else text(shipping),
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
