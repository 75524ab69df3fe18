"""What a payment is paid with: the part of a card or another payload that is kept (facts §2.2)."""

from __future__ import annotations

from collections.abc import Mapping

from mock_server import jsontext
from mock_server.domain.commands import CardInput, MethodInput
from mock_server.domain.payment_parts import KeptCard, KeptMethod
from mock_server.engine.context import CommandContext
from mock_server.store.protocol import Transaction

FINGERPRINT_LENGTH = 40
MASKED = ("bank_account_iban", "social_security_number", "cpf", "cnpj", "card_number", "pix_key")
HIDDEN = (
    "card_cvc",
    "card_exp_month",
    "card_exp_year",
    "token",
    "payment_data",
    "payment_credential",
    "tokenization_data",
)
HINTS = ("vpa_id",)


def keep(tx: Transaction, desk: CommandContext, given: MethodInput) -> dict[str, object]:
    """The fields of a payment that a payload fills; the number and code of a card end here."""
    if given.card is not None:
        return {"card": keep_card(tx, desk, given.card), "method": None, "method_billing": given.billing}
    method = KeptMethod(
        given.category,
        given.sent_as or given.name or "",
        jsontext.canonical(_shown(given.payload)),
        _hint(given.payload),
    )
    return {"card": None, "method": method, "method_billing": given.billing}


def keep_card(tx: Transaction, desk: CommandContext, card: CardInput) -> KeptCard:
    """What may be kept of a card (ours: decisions, Cards)."""
    row = desk.recognise(tx, card.number, desk.words)
    return KeptCard(  # by position: it is made for every charge
        row.name,
        row.brand,
        row.type,
        card.number[-4:],
        card.number[:6],
        card.exp_month,
        card.exp_year,
        card.holder,
        fingerprint(desk, card.number),
        row.issuer.says.checks,
    )


def fingerprint(desk: CommandContext, number: str) -> str:
    """The same for the same card in one workspace, and of no use without the workspace's key."""
    return desk.fingerprints.digest(number.encode()).hex()[:FINGERPRINT_LENGTH]


def _shown(payload: object) -> object:
    """A payload as it may be shown: tokens left out, account numbers reduced to their last four signs."""
    if isinstance(payload, list):
        return [_shown(item) for item in payload]
    if not isinstance(payload, Mapping):
        return payload
    return {
        key: _mask(value) if key in MASKED else _shown(value) for key, value in payload.items() if key not in HIDDEN
    }


def _mask(value: object) -> object:
    return "****" + value[-4:] if isinstance(value, str) and len(value) > 4 else "****"


def _hint(payload: object) -> str | None:
    """The one value of a payload that can choose an outcome, such as a UPI address."""
    if not isinstance(payload, Mapping):
        return None
    return next((payload[key] for key in HINTS if isinstance(payload.get(key), str)), None)
