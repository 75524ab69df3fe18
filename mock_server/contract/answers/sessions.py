"""Sessions of wallets, for a browser (facts §1.1).

In the public API's own shape (decisions "Words on the wire"); the part for a wallet's SDK has the names of that
wallet's documentation, and invented values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from mock_server.contract.answers.fields import AnswerShape, Field, Many, Several
from mock_server.contract.notation import TEXT
from mock_server.domain.instants import iso
from mock_server.domain.money import currency, format_plain
from mock_server.domain.offers import WalletSession, WalletSessions

_CARDS: Final = ("VISA", "MASTERCARD", "AMEX", "DISCOVER", "JCB")


class _Session(NamedTuple):
    """One wallet's session among those of a payment."""

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


_END: Final = {"delayed_session_token": False, "sdk_next_action": {"next_action": "confirm"}}

_SESSION: Final[AnswerShape[_Session]] = AnswerShape(
    "SessionToken",
    Field("wallet_name", TEXT, of="session.wallet", nullable=False),
    Several((), lambda one: WALLETS[one.session.wallet](one.of, one.session)),
    Field("connector", TEXT, of="session.connector"),
    Several((), lambda _: _END),
    inline=True,
    more=True,
    about="As documented by each wallet.",
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
