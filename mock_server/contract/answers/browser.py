"""Other answers to a checkout script: wallets' sessions, and the values by which lists can be filtered (facts §1.1).

They have the public API's own shape (decisions "Words on the wire"); the part for a wallet's SDK has the names of that
wallet's documentation, and invented values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Final

from mock_server.contract.answers.fields import (
    NOTHING,
    AnswerShape,
    Beside,
    Constant,
    Field,
    Listed,
    Many,
    Several,
    each,
    itself,
    sent,
)
from mock_server.contract.answers.offered import INTENT_DATA, SDK_ACTION, TYPE, experiences
from mock_server.contract.answers.saved import OFFERED, SAVED_CARD, saved_card
from mock_server.contract.notation import ANY, FLAG, FREE, INSTANT, TEXT, WHOLE, many, words
from mock_server.domain import offers
from mock_server.domain.card_brands import BRANDS
from mock_server.domain.instants import iso
from mock_server.domain.merchant import Connector
from mock_server.domain.methods import categories, types_of
from mock_server.domain.money import CURRENCIES, exponent_of, format_plain
from mock_server.domain.payment import AUTHENTICATION_TYPES, Payment, link_id, link_to_pay
from mock_server.domain.statuses import DisputeStage, DisputeStatus, PaymentStatus, RefundStatus

_F, _P = "facts §1.1", "public schemas"


def _displayed(record: Payment) -> dict[str, float | None]:
    """The amounts in the currency's main unit, as a form shows them."""
    unit = 10 ** exponent_of(record.currency)
    amounts = ((name, getattr(record, name)) for name in ("net_amount", "order_tax_amount", "shipping_cost"))
    return {name: None if amount is None else amount / unit for name, amount in amounts}


_DENIED: Final = {"deny": {"message": "This card is on the blocklist."}}


# fmt: off
SESSION_STARTED: Final[AnswerShape[Payment]] = AnswerShape(
    "SessionStarted",
    Field("payment_id", TEXT, _P, nullable=False),
    Field("next_action", FREE, _P, of=lambda payment: {
        "type": "invoke_sdk_client", "next_action_data": {"next_action": "confirm", "order_id": payment.payment_id},
    }),
    Field("status", Listed(PaymentStatus), _P, nullable=False),
    about="Data for the wallet's script.",
)
_MAY_CONFIRM: Final[AnswerShape[offers.Eligibility]] = AnswerShape.inline(
    "MayConfirm",
    Field("next_action", ANY, _P, of=lambda asked: _DENIED if asked.blocked else "confirm", nullable=False),
    Field("should_block_confirm", FLAG, _P, of="blocked"),
)
ELIGIBILITY: Final[AnswerShape[offers.Eligibility]] = AnswerShape(
    "Eligibility",
    Field("payment_id", TEXT, _P, nullable=False),
    Field("sdk_next_action", _MAY_CONFIRM, _P, of=itself, nullable=False),
    Field("surcharge_details", FREE, _P, of=NOTHING),
    about="Whether a payment can be confirmed with a method.",
)
ELIGIBILITY_CHECK: Final[AnswerShape[offers.Eligibility]] = AnswerShape(
    "EligibilityCheck",
    *(row for name, row in ELIGIBILITY.fields.items() if name != "surcharge_details"),
)
TAX: Final[AnswerShape[Payment]] = AnswerShape(
    "CalculatedTax",
    Field("payment_id", TEXT, _F, nullable=False),
    Field("net_amount", WHOLE, _F, nullable=False),
    *each(WHOLE, "order_tax_amount", "shipping_cost", source=_F),
    Field("display_amount", FREE, _F, of=_displayed, nullable=False),
    about="The total of a payment; the tax is the one that the shop sent.",
)

_SAVED_DATA: Final[AnswerShape[offers.Offered]] = AnswerShape.inline(
    "SavedData", Field("card", SAVED_CARD, _F, of=lambda offered: saved_card(offered.method))
)
_SAVED: Final[AnswerShape[offers.Offered]] = AnswerShape(
    "SavedForClient",
    *OFFERED.rows,
    Field("payment_method_data", _SAVED_DATA, _F, of=itself, nullable=False),
    like=OFFERED,
)
_PLAIN: Final = ("payment_experience", "card_networks")
"""Words without connectors here, unlike in other lists."""
_TYPE: Final[AnswerShape[offers.OfferedMethod]] = AnswerShape(
    "OfferedForClient",
    Field("payment_method", TEXT, _F, nullable=False),
    *(row for name, row in TYPE.fields.items() if name not in _PLAIN),
    Field("payment_experience", many(TEXT), _P, of=experiences),
    Field("card_networks", many(TEXT), _F, of="networks", given="networks"),
    like=TYPE,
)
FOR_CLIENT: Final[AnswerShape[offers.ForClient]] = AnswerShape(
    "PaymentForClient",
    Field("payment_methods_enabled", Many(_TYPE), _F, of="offering.methods", nullable=False),
    Field("customer_payment_methods", Many(_SAVED), _F, of="wallet.offered", nullable=False),
    Field("intent_data", INTENT_DATA, _F, of="offering", nullable=False),
    Field("sdk_next_action", SDK_ACTION, _F, of=itself, nullable=False),
    about="Everything a checkout script needs to start, in one answer.",
)
LINK: Final[AnswerShape[offers.OpenLink]] = AnswerShape(
    "RetrievedPaymentLink",
    Field("payment_link_id", TEXT, _P, of=Beside(lambda link: link_id(link.payment)), nullable=False),
    Field("merchant_id", TEXT, _P, nullable=False),
    Field("processor_merchant_id", TEXT, _P, of="merchant_id"),
    Field("link_to_pay", TEXT, _P, of=link_to_pay, nullable=False),
    Field("amount", WHOLE, _P, nullable=False),
    Field("created_at", INSTANT, _P, nullable=False),
    Field("expiry", INSTANT, _P, of="expires_at"),
    sent("description", TEXT, _P),
    Field("status", words(("active", "expired")), _P, of=Beside(
        lambda link: "active" if link.now < link.payment.expires_at else "expired"
    ), nullable=False),
    Field("currency", TEXT, _P),
    Field("secure_link", TEXT, _P, of=NOTHING),
    part="payment",
    about="A page on which the customer can pay.",
)


# the values by which lists can be filtered: all words, and the merchant's own connector accounts


def _by_name(accounts: Sequence[Connector]) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    for account in accounts:
        ids = {"connector_label": account.connector_label, "merchant_connector_id": account.connector_id}
        found.setdefault(account.connector_name, []).append({**ids, "connector_type": account.connector_type})
    return found


_CONNECTORS: Final = Field("connector", FREE, _P, of=_by_name, nullable=False)
_CURRENCIES: Final = Field("currency", many(TEXT), _P, of=Constant([row.code for row in CURRENCIES]), nullable=False)


def _words(name: str, kind: type[StrEnum]) -> Field:
    return Field(name, Many(kind), _P, of=Constant(tuple(kind)), nullable=False)


PAYMENT_FILTERS: Final[AnswerShape[Sequence[Connector]]] = AnswerShape(
    "PaymentFilters",
    _CONNECTORS,
    _CURRENCIES,
    _words("status", PaymentStatus),
    Field("payment_method", FREE, _F, of=Constant({word: types_of(word) for word in categories()}), nullable=False),
    Field("authentication_type", many(TEXT), _F, of=Constant(AUTHENTICATION_TYPES), nullable=False),
    Field("card_network", many(TEXT), _F, of=Constant([brand.name for brand in BRANDS]), nullable=False),
    Field("card_discovery", many(TEXT), _F, of=Constant(("manual", "saved_card")), nullable=False),
)
REFUND_FILTERS: Final[AnswerShape[Sequence[Connector]]] = AnswerShape(
    "RefundFilters", _CONNECTORS, _CURRENCIES, _words("refund_status", RefundStatus)
)
DISPUTE_FILTERS: Final[AnswerShape[Sequence[Connector]]] = AnswerShape(
    "DisputeFilters", _CONNECTORS, _CURRENCIES,
    _words("dispute_status", DisputeStatus), _words("dispute_stage", DisputeStage),
)
# fmt: on


_CARDS: Final = ("VISA", "MASTERCARD", "AMEX", "DISCOVER", "JCB")


def _country(sessions: offers.WalletSessions) -> str:
    return sessions.payment.billing_country or "US"


def _total(sessions: offers.WalletSessions) -> str:
    return format_plain(sessions.payment.net_amount, exponent_of(sessions.payment.currency))


def _google_pay(sessions: offers.WalletSessions, session: offers.WalletSession) -> dict[str, object]:
    card = {
        "type": "CARD",
        "parameters": {"allowed_auth_methods": ["PAN_ONLY", "CRYPTOGRAM_3DS"], "allowed_card_networks": list(_CARDS)},
        "tokenization_specification": {
            "type": "PAYMENT_GATEWAY",
            "parameters": {"gateway": "payment_sandbox", "gateway_merchant_id": sessions.payment.merchant_id},
        },
    }
    code = sessions.payment.currency
    price = {"currency_code": code, "total_price_status": "Final", "total_price": _total(sessions)}
    return {
        "merchant_info": {"merchant_id": sessions.payment.merchant_id, "merchant_name": sessions.merchant_name},
        "allowed_payment_methods": [card],
        "transaction_info": {"country_code": _country(sessions), **price},
        "session_token": session.token,
    }


def _apple_pay(sessions: offers.WalletSessions, session: offers.WalletSession) -> dict[str, object]:
    return {
        "session_token_data": {
            "epoch_timestamp": session.started_at,
            "expires_at": session.expires_at,
            "merchant_session_identifier": session.token,
            "nonce": session.token[:8],
            "merchant_identifier": sessions.payment.merchant_id,
            "domain_name": "localhost",
            "display_name": sessions.merchant_name,
            "signature": session.token,
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


def _paypal(sessions: offers.WalletSessions, session: offers.WalletSession) -> dict[str, object]:
    return {
        "session_token": session.token,
        "transaction_info": {"currency_code": sessions.payment.currency, "total_price": _total(sessions)},
    }


def _samsung_pay(sessions: offers.WalletSessions, session: offers.WalletSession) -> dict[str, object]:
    amount = {
        "option": "FORMAT_TOTAL_PRICE_ONLY",
        "currency_code": sessions.payment.currency,
        "total": _total(sessions),
    }
    return {
        "version": "2",
        "service_id": session.token[:20],
        "order_number": sessions.payment.payment_id,
        "merchant": {"name": sessions.merchant_name, "url": None, "country_code": _country(sessions)},
        "amount": amount,
        "protocol": "PROTOCOL_3DS",
        "allowed_brands": [name.lower() for name in _CARDS],
        "expires_at": iso(session.expires_at),
    }


WALLETS: Final[Mapping[str, Callable[[offers.WalletSessions, offers.WalletSession], dict[str, object]]]] = {
    "apple_pay": _apple_pay,
    "google_pay": _google_pay,
    "paypal": _paypal,
    "samsung_pay": _samsung_pay,
}


TAIL: Final = {"delayed_session_token": False, "sdk_next_action": {"next_action": "confirm"}}
"""What every session ends with."""
_SESSION: Final[AnswerShape[tuple[offers.WalletSessions, offers.WalletSession]]] = AnswerShape.inline(
    "SessionToken",
    Field("wallet_name", TEXT, of=lambda both: both[1].wallet, nullable=False),
    Several((), lambda both: WALLETS[both[1].wallet](*both)),
    Field("connector", TEXT, of=lambda both: both[1].connector),
    Several((), lambda _: TAIL),
    more=True,
    about="As documented by each wallet.",
)

SESSION_TOKENS: Final[AnswerShape[offers.WalletSessions]] = AnswerShape(
    "SessionTokens",
    Field("payment_id", TEXT, of="payment.payment_id", nullable=False),
    Field("client_secret", TEXT, of="payment.client_secret"),
    Field("session_token", Many(_SESSION), of=lambda all_: [(all_, one) for one in all_.sessions], nullable=False),
)
