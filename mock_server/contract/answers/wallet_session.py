"""What the wallets' SDKs are given in the browser; names after their own documents, values made up (facts §1.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mock_server.contract.answers.fields import instant
from mock_server.domain.money import currency, format_plain
from mock_server.domain.offers import WalletSession, WalletSessions

_CARDS = ("VISA", "MASTERCARD", "AMEX", "DISCOVER", "JCB")
_CONFIRM = {"next_action": "confirm"}


def sessions(record: WalletSessions) -> dict[str, object]:
    """The sessions of a payment."""
    payment = record.payment
    return {
        "payment_id": payment.payment_id,
        "client_secret": payment.client_secret,
        "session_token": [_session(record, one) for one in record.sessions],
    }


def _session(record: WalletSessions, one: WalletSession) -> dict[str, object]:
    head: dict[str, object] = {"wallet_name": one.wallet}
    tail = {"connector": record.payment.connector, "delayed_session_token": False, "sdk_next_action": _CONFIRM}
    return {**head, **_WALLETS[one.wallet](record, one), **tail}


def _country(record: WalletSessions) -> str:
    return record.payment.billing_country or "US"


def _total(record: WalletSessions) -> str:
    row = currency(record.payment.currency)
    return format_plain(record.payment.net_amount, row.exponent if row else 0)


def _google_pay(record: WalletSessions, one: WalletSession) -> dict[str, object]:
    card = {
        "type": "CARD",
        "parameters": {"allowed_auth_methods": ["PAN_ONLY", "CRYPTOGRAM_3DS"], "allowed_card_networks": list(_CARDS)},
        "tokenization_specification": {
            "type": "PAYMENT_GATEWAY",
            "parameters": {"gateway": "payment_sandbox", "gateway_merchant_id": record.payment.merchant_id},
        },
    }
    return {
        "merchant_info": {"merchant_id": record.payment.merchant_id, "merchant_name": record.merchant_name},
        "allowed_payment_methods": [card],
        "transaction_info": {
            "country_code": _country(record),
            "currency_code": record.payment.currency,
            "total_price_status": "Final",
            "total_price": _total(record),
        },
        "session_token": one.token,
    }


def _apple_pay(record: WalletSessions, one: WalletSession) -> dict[str, object]:
    return {
        "session_token_data": {
            "epoch_timestamp": one.started_at,
            "expires_at": one.expires_at,
            "merchant_session_identifier": one.token,
            "nonce": one.token[:8],
            "merchant_identifier": record.payment.merchant_id,
            "domain_name": "localhost",
            "display_name": record.merchant_name,
            "signature": one.token,
        },
        "payment_request_data": {
            "country_code": _country(record),
            "currency_code": record.payment.currency,
            "total": {"label": record.merchant_name, "type": "final", "amount": _total(record)},
            "merchant_capabilities": ["supports3DS"],
            "supported_networks": [name.lower() for name in _CARDS],
            "merchant_identifier": record.payment.merchant_id,
        },
    }


def _paypal(record: WalletSessions, one: WalletSession) -> dict[str, object]:
    return {
        "session_token": one.token,
        "transaction_info": {"currency_code": record.payment.currency, "total_price": _total(record)},
    }


def _samsung_pay(record: WalletSessions, one: WalletSession) -> dict[str, object]:
    return {
        "version": "2",
        "service_id": one.token[:20],
        "order_number": record.payment.payment_id,
        "merchant": {"name": record.merchant_name, "url": None, "country_code": _country(record)},
        "amount": {
            "option": "FORMAT_TOTAL_PRICE_ONLY",
            "currency_code": record.payment.currency,
            "total": _total(record),
        },
        "protocol": "PROTOCOL_3DS",
        "allowed_brands": [name.lower() for name in _CARDS],
        "expires_at": instant(one.expires_at),
    }


_WALLETS: Mapping[str, Callable[[WalletSessions, WalletSession], dict[str, object]]] = {
    "apple_pay": _apple_pay,
    "google_pay": _google_pay,
    "paypal": _paypal,
    "samsung_pay": _samsung_pay,
}
