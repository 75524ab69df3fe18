"""The payment methods that a browser can offer (facts §1.1, §1.4).

In the public API's own shape (decisions "Words on the wire").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Final, NamedTuple

from mock_server.contract.answers.asked import BANKS, eligible, raw_configs, required_fields
from mock_server.contract.answers.fields import NOTHING, AnswerShape, Beside, Constant, Field, Many, itself
from mock_server.contract.answers.payment import PAYMENT
from mock_server.contract.notation import FLAG, FREE, TEXT, many, words
from mock_server.domain.methods import Flow
from mock_server.domain.offers import OfferedMethod, Offering

_EXPERIENCES: Final = {
    Flow.REDIRECT: "redirect_to_url",
    Flow.QR_CODE: "display_qr_code",
    Flow.WAIT_SCREEN: "display_wait_screen",
    Flow.UPI_INTENT: "invoke_payment_app",
    Flow.UPI_QR: "display_qr_code",
    Flow.CODE: "collect_otp",
}
_BY_SDK: Final = frozenset(("apple_pay", "google_pay", "samsung_pay", "amazon_pay", "paze"))
"""Wallets whose script shows the button."""


class _Group(NamedTuple):
    """The offered types of one category."""

    category: str
    types: list[OfferedMethod]


def groups(category_of: Callable[[OfferedMethod], str | None]) -> Callable[[Offering], Iterator[_Group]]:
    """A function that groups the methods by category; the categories differ by dialect."""

    def read(offering: Offering) -> Iterator[_Group]:
        found: dict[str, list[OfferedMethod]] = {}
        for one in offering.methods:
            found.setdefault(category_of(one) or "", []).append(one)
        return (_Group(category, types) for category, types in found.items())

    return read


def _return_url(offering: Offering) -> str | None:
    payment = offering.payment
    return (payment.return_url if payment else None) or offering.profile.return_url


def _payment_type(offering: Offering) -> str:
    payment = offering.payment
    if payment is None or payment.setup_future_usage != "off_session":
        return "normal"
    return "new_mandate" if payment.net_amount else "setup_mandate"


def _is_guest(offering: Offering) -> bool:
    return offering.payment is not None and offering.payment.customer_id is None


_COLLECTS: Final = {
    what: (f"collect_{what}_details_from_wallet_connector", f"always_collect_{what}_details_from_wallet_connector")
    for what in ("shipping", "billing")
}


def _collects(what: str) -> Callable[[Offering], bool]:
    """Whether a wallet asks for an address: always, or if the payment has none, as set in the profile."""
    return lambda offering: any(offering.profile.echo.get(switch) == "true" for switch in _COLLECTS[what])


def _account_config(offering: Offering) -> dict[str, object]:
    switches = {name: offering.profile.echo.get(name) == "true" for names in _COLLECTS.values() for name in names}
    return {"profile": {"vaulting_action": "skip", **switches}}


def _context_used(offering: Offering) -> dict[str, object]:
    profile = offering.profile
    return {"profile_id": profile.profile_id, "processor_merchant_id": profile.merchant_id}


def _calculates_tax(offering: Offering) -> bool:
    """Whether a form asks for the payment's total with tax."""
    skips = offering.payment is not None and offering.payment.echo.get("skip_external_tax_calculation") == "true"
    return offering.profile.echo.get("is_tax_connector_enabled") == "true" and not skips


class _At(NamedTuple):
    """A word, and the connectors that accept it."""

    word: str
    connectors: tuple[str, ...]


def experiences(one: OfferedMethod) -> tuple[str, ...]:
    """How the customer pays, in the public API's words; none for a method that needs no action."""
    word = "invoke_sdk_client" if one.row.type in _BY_SDK else _EXPERIENCES.get(one.row.flow)
    return (word,) if word else ()


def _experience(one: OfferedMethod) -> tuple[_At, ...]:
    return tuple(_At(word, one.connectors) for word in experiences(one))


def _networks(one: OfferedMethod) -> list[_At]:
    return [_At(name, one.connectors) for name in one.networks]


def _bank_names(one: OfferedMethod) -> list[dict[str, object]] | None:
    banks = BANKS.get(one.row.type) if one.row.category == "bank_redirect" else None
    return [{"bank_name": banks, "eligible_connectors": one.connectors}] if banks else None


def _connectors_of(category: str) -> Callable[[OfferedMethod], dict[str, object] | None]:
    return lambda one: {"eligible_connectors": one.connectors} if one.row.category == category else None


# fmt: off
_AT: Final = Field("eligible_connectors", many(TEXT), of="connectors", nullable=False)
_EXPERIENCE: Final[AnswerShape[_At]] = AnswerShape(
    "PaymentExperience", Field("payment_experience_type", TEXT, of="word", nullable=False), _AT, inline=True
)
_NETWORK: Final[AnswerShape[_At]] = AnswerShape(
    "OfferedNetwork",
    Field("card_network", TEXT, of="word", nullable=False),
    Field("surcharge_details", FREE, of=NOTHING),
    _AT,
    inline=True,
)
TYPE: Final[AnswerShape[OfferedMethod]] = AnswerShape(
    "OfferedType",
    Field("payment_method_type", TEXT, nullable=False),
    Field("payment_experience", Many(_EXPERIENCE, filled=True), of=_experience),
    Field("card_networks", Many(_NETWORK, filled=True), of=_networks),
    Field("bank_names", many(FREE), of=_bank_names),
    Field("bank_debits", FREE, of=_connectors_of("bank_debit")),
    Field("bank_transfers", FREE, of=_connectors_of("bank_transfer")),
    Field("required_fields", FREE, of=required_fields, nullable=False),
    Field("surcharge_details", FREE, of=NOTHING),
    Field("pm_auth_connector", TEXT, of=NOTHING),
    inline=True,
)
_GROUP: Final[AnswerShape[_Group]] = AnswerShape(
    "OfferedGroup",
    Field("payment_method", TEXT, of="category", nullable=False),
    Field("payment_method_types", Many(TYPE), of="types", nullable=False),
    inline=True,
)
_SORTS: Final = words(("normal", "new_mandate", "setup_mandate"))
SDK_ACTION: Final[AnswerShape[object]] = AnswerShape(
    "SdkNextAction", Field("next_action", TEXT, of=Constant("confirm"), nullable=False), inline=True
)

_OF_PAYMENT: Final = frozenset((
    "payment_id", "status", "amount", "currency", "client_secret", "description", "customer_id", "return_url",
    "setup_future_usage", "billing", "shipping", "metadata", "order_details", "created", "expires_on", "profile_id",
    "merchant_order_reference_id", "attempt_count", "installment_options", "capture_method",
))
INTENT_DATA: Final[AnswerShape[Offering]] = AnswerShape(
    "IntentData",
    *(row for row in PAYMENT.rows if isinstance(row, Field) and row.name in _OF_PAYMENT),
    Field("merchant_name", TEXT, of=Beside("merchant_name")),
    Field("mandate_payment", FREE, of=NOTHING),
    Field("payment_type", _SORTS, of=Beside(_payment_type)),
    Field("request_external_three_ds_authentication", FLAG, of=Constant(False)),
    Field("is_tax_calculation_enabled", FLAG, of=Beside(_calculates_tax)),
    Field("is_guest_customer", FLAG, of=Beside(_is_guest)),
    part="payment",
    like=PAYMENT,
    about="Details of the payment for the browser.",
)

METHODS_ON_OFFER: Final[AnswerShape[Offering]] = AnswerShape(
    "MethodsOnOffer",
    Field("redirect_url", TEXT, of=_return_url),
    Field("currency", TEXT, of=lambda one: one.payment.currency if one.payment else "USD", nullable=False),
    Field("payment_methods", Many(_GROUP), of=groups(lambda one: one.payment_method), nullable=False),
    Field("mandate_payment", FREE, of=NOTHING),
    Field("merchant_name", TEXT),
    Field("show_surcharge_breakup_screen", FLAG, of=Constant(False), nullable=False),
    Field("payment_type", _SORTS, of=_payment_type, nullable=False),
    Field("request_external_three_ds_authentication", FLAG, of=Constant(False), nullable=False),
    Field("collect_shipping_details_from_wallets", FLAG, of=_collects("shipping"), nullable=False),
    Field("collect_billing_details_from_wallets", FLAG, of=_collects("billing"), nullable=False),
    Field("is_tax_calculation_enabled", FLAG, of=_calculates_tax, nullable=False),
    Field("sdk_next_action", SDK_ACTION, of=itself, nullable=False),
    Field("is_guest_customer", FLAG, of=_is_guest, nullable=False),
    Field("intent_data", INTENT_DATA, of=itself, given="payment"),
)
"""What the browser needs to show a choice of methods."""

_CATEGORY, _TYPE = attrgetter("payment_method"), attrgetter("payment_method_type")
SCRIPT_CONFIG: Final[AnswerShape[Offering]] = AnswerShape(
    "ScriptConfig",
    Field("raw_configs", FREE, of=raw_configs(_CATEGORY, _TYPE), nullable=False),
    Field("payment_methods", many(FREE), of=eligible(_CATEGORY, _TYPE), nullable=False),
    Field("account_config", FREE, of=_account_config, nullable=False),
    Field("context_used", FREE, of=_context_used, nullable=False),
)
"""What a checkout script draws for each method of a profile."""
# fmt: on
