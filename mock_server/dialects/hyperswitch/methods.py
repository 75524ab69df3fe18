"""Payment methods in the public API's words, and their details in answers (facts §2.2, §2.3, §4.5)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, Final

from mock_server.contract.answers.browser import TAIL, WALLETS
from mock_server.contract.answers.fields import Field
from mock_server.contract.notation import FREE
from mock_server.domain.declines import Decline
from mock_server.domain.figures import Dimension, FigureSubject
from mock_server.domain.instants import parse
from mock_server.domain.methods import BOLETO_FIELDS, PIX_FIELDS, PUBLIC_MEANT, categories, public_words
from mock_server.domain.offers import WalletSession, WalletSessions
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import PaymentStatus
from mock_server.jsontext import dump

Json = Mapping[str, Any]
Word = Callable[[Any], str | None]

TIMES: Final = ("display_from_timestamp", "display_to_timestamp")
"""Fields of `next_action` in milliseconds."""


def words(start: str = "") -> tuple[Word, Word]:
    """The functions that read a method's category and type; `start` is the path of the method in the record."""
    both = attrgetter(f"{start}payment_method", f"{start}payment_method_type")
    return (lambda record: public_words(*both(record))[0]), (lambda record: public_words(*both(record))[1])


CATEGORY, TYPE = words()
_P: Final = FigureSubject.PAYMENTS
DIMENSIONS: Final = {
    "payment_method": Dimension(_P, "payment_method", CATEGORY, "public_method", meant=PUBLIC_MEANT),
    "payment_method_type": Dimension(_P, "payment_method_type", TYPE, "public_type", meant=PUBLIC_MEANT),
}
"""What lists and figures are filtered by in other words."""


def standardised_code(row: Decline) -> str:
    """The code in lower case, as the public API has it."""
    return _CODES.get(row.standard.code, row.standard.code.lower().replace("threeds", "three_ds"))


_CODES: Final = {
    "GEN_UNKNOWN_ERROR": "generic_unknown_error",
    "PM_TOKENISATION_ISSUE": "payment_method_issue",  # the public API has no word for it
    "TRANSACTION_TIMEDOUT": "transaction_timed_out",
}


def next_action(record: Payment) -> str | None:
    """The customer's next action, with times in milliseconds."""
    if record.status is not PaymentStatus.REQUIRES_ACTION or not record.next_action:
        return None
    found = json.loads(record.next_action)
    found.get("bank_transfer_steps_and_charges_details", {}).get("bacs_bank_instructions", {}).pop("reference", None)
    return dump({name: parse(value) if name in TIMES else value for name, value in found.items()}).decode()


# details of methods other than cards: only those of the public API, though more are stored


def _of(value: object, *names: str) -> dict[str, str | None]:
    """These texts of an object that a caller sent; null if missing."""
    given = value if isinstance(value, Mapping) else {}
    return {name: found if isinstance(found := given.get(name), str) else None for name in names}


def _wallet(name: str, shown: Json) -> Json:
    if name not in ("apple_pay", "google_pay", "samsung_pay"):
        return {}
    card = _of(next(filter(None, map(shown.get, _CARDS)), None), *_LAST4, *_NETWORK, "type")
    last4, network = (next((card[key] for key in keys if card[key]), None) for keys in (_LAST4, _NETWORK))
    found = {"last4": last4 and last4[-4:], "card_network": network, "type": card["type"] or _of(shown, "type")["type"]}
    return {name: {**found, **_of(None, "card_exp_month", "card_exp_year", "auth_code", "email")}}


_CARDS: Final = ("info", "payment_method", "payment_credential")
_LAST4: Final = ("card_details", "display_name", "card_last4digits", "payment_last4_fpan")
_NETWORK: Final = ("card_network", "network", "card_brand", "payment_card_brand")


def _bank_redirect(name: str, shown: Json) -> Json:
    found: dict[str, object] = {**_of(shown, "bank_name"), "interac": None}
    if name == "bancontact":
        last4 = (_of(shown, "card_number")["card_number"] or "")[-4:] or None
        rest = _of(shown, "card_exp_month", "card_exp_year", "card_holder_name")
        return {"BancontactCard": {"last4": last4, **rest}, **found}
    if name == "giropay":
        kept = _of(shown, "bank_account_bic", "bank_account_iban", "country")
        return {"Giropay": dict(zip(("bic", "iban", "country"), kept.values(), strict=True)), **found}
    return found


_TRANSFERS: Final = {"pix": PIX_FIELDS, "sepa": ("debitor_iban", "debitor_bic", "debitor_name", "debitor_email")}
_BANKS: Final = {"permata_bank_transfer": "permata", "bca_bank_transfer": "bca"}
_UPI: Final = {"upi_collect": ("vpa_id", "upi_source")}


def _voucher(name: str, shown: Json) -> Json:
    if name != "boleto":
        return {name: shown}
    return {name: {**_of(shown, *BOLETO_FIELDS), "messages": shown.get("messages")}}


_SHOWN: Final[Mapping[str, Callable[[str, Json], Json]]] = {
    "wallet": _wallet,
    "pay_later": lambda name, shown: {
        "klarna_sdk": _of(shown, "payment_type") if name == "klarna" and "payment_type" in shown else None
    },
    "bank_redirect": _bank_redirect,
    "bank_transfer": lambda name, shown: {_BANKS.get(name, name): _of(shown, *_TRANSFERS.get(name, ()))},
    "upi": lambda name, shown: {name: _of(shown, *_UPI.get(name, ("upi_source", "app_name")))},
    "voucher": _voucher,
    "crypto": lambda name, shown: _of(shown, "pay_currency", "network"),
    "reward": lambda name, shown: {},
    "gift_card": lambda name, shown: {name: {"last4": str(shown["number"])[-4:]} if "number" in shown else {}},
}


def _data(group: str) -> Callable[[Payment], Json | None]:
    def read(payment: Payment) -> Json | None:
        kept = payment.method
        if kept is None or payment.card is not None:
            return None
        name = payment.payment_method_type or kept.name
        if group != public_words(kept.category, name)[0]:
            return None
        shown = json.loads(kept.shown)
        return _SHOWN[group](name, shown) if group in _SHOWN else {name: shown}

    return read


PAID_WITH: Final[Mapping[str, Field | None]] = {
    name: Field(name, FREE, "facts §2", _data(name), nullable=False, optional=True)
    for name in (*categories(public=True), "voucher")
    if name != "card"
}
"""`payment_method_data` of each group."""


# the sessions of wallets

_CONFIRM: Final = {"next_action": "confirm", "should_block_confirm": None}
_UNASKED: Final = dict.fromkeys(("shipping_address_required", "email_required"), False)
_SESSIONS: Final[Mapping[str, Json]] = {
    "apple_pay": {**TAIL, **_of(None, "connector_reference_id", "connector_sdk_public_key", "connector_merchant_id")},
    "google_pay": {
        **_UNASKED,
        "shipping_address_parameters": {"phone_number_required": False},
        **TAIL,
        "secrets": None,
    },
    "paypal": {"sdk_next_action": _CONFIRM, **_of(None, "client_token", "data_user_id_token", "currency", "intent")},
    "samsung_pay": {"protocol": "PROTOCOL3DS", "billing_address_required": False, "shipping_address_required": False},
}


def sessions(of: WalletSessions) -> list[Json]:
    """Each wallet's session, with only the keys of the public API."""
    return [_session(of, session) for session in of.sessions]


def _session(of: WalletSessions, session: WalletSession) -> Json:
    own = {"wallet_name": session.wallet, **WALLETS[session.wallet](of, session), **_SESSIONS[session.wallet]}
    own.pop({"google_pay": "session_token", "samsung_pay": "expires_at"}.get(session.wallet, ""), None)
    if session.wallet == "samsung_pay":
        return own
    if session.wallet == "paypal":
        own["transaction_info"] = {"flow": "checkout", **own["transaction_info"]}
    return {**own, "sdk_next_action": _CONFIRM, "connector": session.connector}
