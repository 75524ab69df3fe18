"""What is stored of a card or another payload (facts §2.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from mock_server import jsontext
from mock_server.domain import hiding
from mock_server.domain.commands import CardInput, MethodInput
from mock_server.domain.payment import KeptCard, KeptMethod
from mock_server.engine.context import CommandContext
from mock_server.keyed import Keyed
from mock_server.store.transaction import Transaction

MASKED = (
    "bank_account_iban", "social_security_number", "cpf", "cnpj", "pix_key", "account_number", "iban", "number",
    "msisdn", "vpa_id", "source_bank_account_id", "destination_bank_account_id",
)  # fmt: skip
HIDDEN = (
    "card_exp_month", "card_exp_year", "token", "payment_data", "3_d_s", "3DS", "tokenization_data", "pin",
    "expiration_date", "complete_response", "checkout_session_id", "blik_code",
)  # fmt: skip
VPA = "vpa_id"
HINTS = ("account_number", "iban")
"""The values of a payload whose last digits can choose an outcome; the address of UPI can as a whole."""
_LONG: Final = re.compile(rf"[0-9]{{{hiding.SHORTEST}}}").search


def keep(tx: Transaction, context: CommandContext, given: MethodInput) -> dict[str, object]:
    """The fields of a payment from a payload, without the number and code of a card."""
    if given.card is not None:
        return {"card": keep_card(tx, context, given.card), "method": None}
    sent, shown = given.payload, _shown(given.payload)
    hint = hiding.hidden(sent[VPA]) if VPA in sent else next((shown[key] for key in HINTS if key in shown), None)
    masked = "/".join(str(value) for key, value in sent.items() if _is_masked(key))
    account = fingerprint(context.fingerprints, masked) if masked else None
    name, hint = given.sent_as or given.name or "", hint if isinstance(hint, str) else None
    return {"card": None, "method": KeptMethod(given.category, name, jsontext.canonical(shown), hint, account)}


def keep_card(tx: Transaction, context: CommandContext, card: CardInput) -> KeptCard:
    """What may be stored of a card (ours: decisions, Cards)."""
    row = context.recognise(tx, card.number, context.call)
    return KeptCard(  # by position: it is made for every charge
        row.name,
        row.brand,
        row.type,
        card.number[-4:],
        card.number[:6],
        card.exp_month,
        card.exp_year,
        card.holder,
        fingerprint(context.fingerprints, card.number),
        row.issuer.says.checks,
        card.nick_name,
    )


def fingerprint(keyed: Keyed, number: str) -> str:
    """The same for the same card in one workspace; in none is what passes for a card's number: views would hide it."""
    mark = keyed.digest(number.encode()).hex()[:40]
    while _LONG(mark) and hiding.without_numbers(mark) != mark:
        mark = keyed.digest(mark.encode()).hex()[:40]
    return mark


def _shown(payload: object) -> Any:
    """A payload as it may be shown: without tokens and card data, and with the last four signs of accounts' numbers."""
    if isinstance(payload, list):
        return [_shown(item) for item in payload]
    if not isinstance(payload, Mapping):
        return hiding.hidden(payload)
    return {
        hiding.cleaned(key): (_vpa if key == VPA else _mask)(value) if _is_masked(key) else _shown(value)
        for key, value in payload.items()
        if key in MASKED or (key not in HIDDEN and not hiding.is_code_name(key))
        if key != "payment_credential" or isinstance(value, Mapping)  # Samsung's card, or another's token
    }


def _is_masked(key: str) -> bool:
    return key in MASKED or hiding.is_number_name(key)


def _vpa(value: object) -> str:
    owner, at, bank = str(hiding.hidden(value)).partition("@")
    return f"{owner[:2]}{'*' * len(owner[2:])}{at}{bank}"


def _mask(value: object) -> object:
    return "****" + value[-4:] if isinstance(value, str) and len(value) > 4 and not hiding.names_code(value) else "****"
