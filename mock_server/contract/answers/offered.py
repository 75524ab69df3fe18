"""What a browser is shown to pay by: the methods on offer, and the wallets' sessions (facts §1.1, §1.4).

Both in the public API's own shape (decisions "Words on the wire"). What a wallet's SDK is given has the names of its
own document, and values that are made up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from mock_server.contract.answers.fields import NOTHING, AnswerShape, Constant, Field, Many, Several, Through
from mock_server.contract.notation import FLAG, FREE, TEXT, many, words
from mock_server.domain.card_brands import BRANDS, Brand
from mock_server.domain.instants import iso
from mock_server.domain.methods import METHODS, Flow, Method, Need, categories
from mock_server.domain.money import currency, format_plain
from mock_server.domain.offers import Offering, WalletSession, WalletSessions

_EXPERIENCES: Final = {
    Flow.REDIRECT: "redirect_to_url",
    Flow.QR_CODE: "display_qr_code",
    Flow.WAIT_SCREEN: "display_wait_screen",
    Flow.UPI_INTENT: "invoke_payment_app",
}
_CARDS: Final = ("VISA", "MASTERCARD", "AMEX", "DISCOVER", "JCB")
_FIELDS: Final = (Need.EMAIL, Need.BILLING_COUNTRY, Need.RETURN_URL)


class _Group(NamedTuple):
    """The types of one category that are on offer."""

    category: str
    types: list[Method]


def _groups(offering: Offering) -> Iterator[_Group]:
    for category in categories():
        types = [row for row in METHODS if row.category == category and _is_offered(offering, row)]
        if types:
            yield _Group(category, types)


def _is_offered(offering: Offering, row: Method) -> bool:
    return Need.WALLET_IDENTITY not in row.needs or row.type in offering.profile.wallet_identities


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


def _collects(what: str) -> Callable[[Offering], bool]:
    """Whether a wallet is to ask for an address: always, or where the payment lacks it, as the profile says."""
    name = f"collect_{what}_details_from_wallet_connector"
    return lambda offering: any(offering.profile.echo.get(switch) == "true" for switch in (name, f"always_{name}"))


def _experience(row: Method) -> tuple[str, ...]:
    return (_EXPERIENCES[row.flow],) if row.flow in _EXPERIENCES else ()


def _required(row: Method) -> dict[str, object]:
    return {need.value: {"required_field": need.value} for need in row.needs if need in _FIELDS}


# fmt: off
_EXPERIENCE: Final[AnswerShape[str]] = AnswerShape(
    "PaymentExperience", Field("payment_experience_type", TEXT, of=str, nullable=False), inline=True
)
_NETWORK: Final[AnswerShape[Brand]] = AnswerShape(
    "OfferedNetwork",
    Field("card_network", TEXT, of="name", nullable=False),
    Field("surcharge_details", FREE, of=NOTHING),
    inline=True,
)
_TYPE: Final[AnswerShape[Method]] = AnswerShape(
    "OfferedType",
    Field("payment_method_type", TEXT, of="type", nullable=False),
    Field("payment_experience", Many(_EXPERIENCE, filled=True), of=_experience),
    Field("card_networks", Many(_NETWORK, filled=True), of=lambda row: BRANDS if row.category == "card" else None),
    Field("bank_names", many(FREE), of=NOTHING),
    Field("bank_debits", many(FREE), of=NOTHING),
    Field("bank_transfers", many(FREE), of=NOTHING),
    Field("required_fields", FREE, of=_required, nullable=False),
    Field("surcharge_details", FREE, of=NOTHING),
    Field("pm_auth_connector", TEXT, of=NOTHING),
    inline=True,
)
_GROUP: Final[AnswerShape[_Group]] = AnswerShape(
    "OfferedGroup",
    Field("payment_method", TEXT, of="category", nullable=False),
    Field("payment_method_types", Many(_TYPE), of="types", nullable=False),
    inline=True,
)
_SDK_ACTION: Final[AnswerShape[object]] = AnswerShape(
    "SdkNextAction", Field("next_action", TEXT, of=Constant("confirm"), nullable=False), inline=True
)

METHODS_ON_OFFER: Final[AnswerShape[Offering]] = AnswerShape(
    "MethodsOnOffer",
    Field("redirect_url", TEXT, of=_return_url),
    Field("currency", TEXT, of=Through("payment", lambda payment: payment.currency)),
    Field("payment_methods", Many(_GROUP), of=_groups, nullable=False),
    Field("mandate_payment", FREE, of=NOTHING),
    Field("merchant_name", TEXT),
    Field("show_surcharge_breakup_screen", FLAG, of=Constant(False), nullable=False),
    Field("payment_type", words(("normal", "new_mandate", "setup_mandate")), of=_payment_type, nullable=False),
    Field("request_external_three_ds_authentication", FLAG, of=Constant(False), nullable=False),
    Field("collect_shipping_details_from_wallets", FLAG, of=_collects("shipping"), nullable=False),
    Field("collect_billing_details_from_wallets", FLAG, of=_collects("billing"), nullable=False),
    Field("is_tax_calculation_enabled", FLAG, of=Constant(False), nullable=False),
    Field("sdk_next_action", _SDK_ACTION, of=lambda offering: offering, nullable=False),
    Field("is_guest_customer", FLAG, of=_is_guest, nullable=False),
)
"""What the browser needs to show a choice of methods."""
# fmt: on


class _Session(NamedTuple):
    """One wallet's session, and what it is for."""

    of: WalletSessions
    session: WalletSession


def _country(sessions: WalletSessions) -> str:
    return sessions.payment.billing_country or "US"


def _total(sessions: WalletSessions) -> str:
    row = currency(sessions.payment.currency)
    return format_plain(sessions.payment.net_amount, row.exponent if row else 0)


def _google_pay(sessions: WalletSessions, one: WalletSession) -> dict[str, object]:
    card = {
        "type": "CARD",
        "parameters": {"allowed_auth_methods": ["PAN_ONLY", "CRYPTOGRAM_3DS"], "allowed_card_networks": list(_CARDS)},
        "tokenization_specification": {
            "type": "PAYMENT_GATEWAY",
            "parameters": {"gateway": "payment_sandbox", "gateway_merchant_id": sessions.payment.merchant_id},
        },
    }
    return {
        "merchant_info": {"merchant_id": sessions.payment.merchant_id, "merchant_name": sessions.merchant_name},
        "allowed_payment_methods": [card],
        "transaction_info": {
            "country_code": _country(sessions),
            "currency_code": sessions.payment.currency,
            "total_price_status": "Final",
            "total_price": _total(sessions),
        },
        "session_token": one.token,
    }


def _apple_pay(sessions: WalletSessions, one: WalletSession) -> dict[str, object]:
    return {
        "session_token_data": {
            "epoch_timestamp": one.started_at,
            "expires_at": one.expires_at,
            "merchant_session_identifier": one.token,
            "nonce": one.token[:8],
            "merchant_identifier": sessions.payment.merchant_id,
            "domain_name": "localhost",
            "display_name": sessions.merchant_name,
            "signature": one.token,
        },
        "payment_request_data": {
            "country_code": _country(sessions),
            "currency_code": sessions.payment.currency,
            "total": {"label": sessions.merchant_name, "type": "final", "amount": _total(sessions)},
            "merchant_capabilities": ["supports3DS"],
            "supported_networks": [name.lower() for name in _CARDS],
            "merchant_identifier": sessions.payment.merchant_id,
        },
    }


def _paypal(sessions: WalletSessions, one: WalletSession) -> dict[str, object]:
    return {
        "session_token": one.token,
        "transaction_info": {"currency_code": sessions.payment.currency, "total_price": _total(sessions)},
    }


def _samsung_pay(sessions: WalletSessions, one: WalletSession) -> dict[str, object]:
    return {
        "version": "2",
        "service_id": one.token[:20],
        "order_number": sessions.payment.payment_id,
        "merchant": {"name": sessions.merchant_name, "url": None, "country_code": _country(sessions)},
        "amount": {
            "option": "FORMAT_TOTAL_PRICE_ONLY",
            "currency_code": sessions.payment.currency,
            "total": _total(sessions),
        },
        "protocol": "PROTOCOL_3DS",
        "allowed_brands": [name.lower() for name in _CARDS],
        "expires_at": iso(one.expires_at),
    }


WALLETS: Final[Mapping[str, Callable[[WalletSessions, WalletSession], dict[str, object]]]] = {
    "apple_pay": _apple_pay,
    "google_pay": _google_pay,
    "paypal": _paypal,
    "samsung_pay": _samsung_pay,
}


def _of_wallet(one: _Session) -> dict[str, object]:
    return WALLETS[one.session.wallet](one.of, one.session)


def _in_the_end(_: _Session) -> dict[str, object]:
    return {"delayed_session_token": False, "sdk_next_action": {"next_action": "confirm"}}


_SESSION: Final[AnswerShape[_Session]] = AnswerShape(
    "SessionToken",
    Field("wallet_name", TEXT, of="session.wallet", nullable=False),
    Several((), _of_wallet),
    Field("connector", TEXT, of="of.payment.connector"),
    Several((), _in_the_end),
    inline=True,
    more=True,
    about="After each wallet's own documents.",
)

SESSION_TOKENS: Final[AnswerShape[WalletSessions]] = AnswerShape(
    "SessionTokens",
    Field("payment_id", TEXT, of="payment.payment_id", nullable=False),
    Field("client_secret", TEXT, of="payment.client_secret"),
    Field(
        "session_token",
        Many(_SESSION),
        of=lambda sessions: [_Session(sessions, one) for one in sessions.sessions],
        nullable=False,
    ),
)
"""The sessions of a payment."""
