"""Saved payment methods, on their own and in a customer's list, mandates, and the blocklist."""

from __future__ import annotations

from typing import Final

from mock_server.contract.answers.fields import NOTHING, AnswerShape, AsJson, Constant, Field, Many, each
from mock_server.contract.notation import FLAG, FREE, INSTANT, TEXT, many, ref, words
from mock_server.domain.blocklist import SHOWN_AS, BlocklistEntry
from mock_server.domain.customer import Mandate, PaymentMethod
from mock_server.domain.offers import Offered, Wallet
from mock_server.domain.statuses import MandateStatus, MethodStatus

_F = "facts §2.8"


_OfCard = PaymentMethod | Mandate


def saved_card(saved: _OfCard) -> _OfCard | None:
    """What was saved, if it is a card: that has a nickname too."""
    return saved if saved.card else None


SAVED_CARD: Final[AnswerShape[_OfCard]] = AnswerShape(
    "SavedCard",
    Field("scheme", TEXT, of="card.brand"),
    Field("issuer_country", TEXT, of=NOTHING),
    Field("last4_digits", TEXT, of="card.last4"),
    Field("expiry_month", TEXT, of="card.exp_month"),
    Field("expiry_year", TEXT, of="card.exp_year"),
    Field("card_token", TEXT, of=NOTHING),
    Field("card_holder_name", TEXT, of="card.holder"),
    Field("card_fingerprint", TEXT, of="card.fingerprint"),
    Field("nick_name", TEXT),
    Field("card_network", TEXT, of="card.brand"),
    Field("card_isin", TEXT, of="card.first6"),
    Field("card_issuer", TEXT, of=NOTHING),
    Field("card_type", TEXT, of="card.type"),
    Field("saved_to_locker", FLAG, of=Constant(True), nullable=False),
    about="Details of a saved card, without its number and security code.",
)

_MANDATE_CARD: Final[AnswerShape[_OfCard]] = AnswerShape(
    "MandateCard",
    *SAVED_CARD.rows,
    like=SAVED_CARD,
    about="The card of a mandate, without its number and security code.",
)

METHOD: Final[AnswerShape[PaymentMethod]] = AnswerShape(
    "PaymentMethod",
    Field("merchant_id", TEXT, _F, nullable=False),
    Field("customer_id", TEXT, _F),
    Field("payment_method_id", TEXT, _F, nullable=False),
    *each(TEXT, "payment_method", "payment_method_type", source=_F),
    Field("payment_method_status", MethodStatus, "ours", of="status", nullable=False),
    Field("card", SAVED_CARD, _F, of=saved_card),
    Field("recurring_enabled", FLAG, _F, of="is_recurring"),
    Field("installment_payment_enabled", FLAG, _F, of=Constant(False)),
    Field("payment_experience", many(TEXT), _F, of=NOTHING),
    Field("metadata", AsJson(), _F, of=lambda method: method.metadata or "{}", nullable=False),
    Field("created", INSTANT, _F, of="created_at"),
    Field("bank_transfer", FREE, _F, of=NOTHING),
    Field("last_used_at", INSTANT, _F),
    Field("client_secret", TEXT, _F),
    about="A saved payment method.",
)

OFFERED: Final[AnswerShape[Offered]] = AnswerShape(
    "OfferedPaymentMethod",
    Field("payment_token", TEXT, _F, of="token", nullable=False),
    Field("payment_method_id", TEXT, _F, of="method.payment_method_id", nullable=False),
    Field("customer_id", TEXT, _F, of="method.customer_id", nullable=False),
    Field("payment_method", TEXT, _F, of="method.payment_method", nullable=False),
    Field("payment_method_type", TEXT, _F, of="method.payment_method_type"),
    Field("payment_method_issuer", TEXT, _F, of=NOTHING),
    Field("recurring_enabled", FLAG, _F, of="method.is_recurring"),
    Field("installment_payment_enabled", FLAG, _F, of=Constant(False)),
    Field("payment_experience", many(TEXT), _F, of=NOTHING),
    Field("card", SAVED_CARD, _F, of=lambda offered: saved_card(offered.method)),
    Field("metadata", AsJson(), _F, of=lambda offered: offered.method.metadata or "{}", nullable=False),
    Field("created", INSTANT, _F, of="method.created_at"),
    *each(FREE, "bank_transfer", "bank", "surcharge_details", source=_F, of=NOTHING),
    Field("requires_cvv", FLAG, _F, of="method.requires_cvv", nullable=False),
    Field("last_used_at", INSTANT, _F, of="method.last_used_at"),
    Field("default_payment_method_set", FLAG, _F, of="is_default", nullable=False),
    Field("billing", AsJson(ref("Contact")), _F, of="method.billing"),
)

WALLET: Final[AnswerShape[Wallet]] = AnswerShape(
    "OfferedPaymentMethods",
    Field("customer_payment_methods", Many(OFFERED), of="offered", nullable=False),
    Field("is_guest_customer", FLAG, of="is_guest"),
)
"""A customer's saved methods, in the public API's own shape (decisions "Words on the wire")."""

DEFAULT: Final[AnswerShape[PaymentMethod]] = AnswerShape(
    "DefaultPaymentMethod",
    Field("default_payment_method_id", TEXT, of="payment_method_id"),
    Field("customer_id", TEXT, nullable=False),
    *each(TEXT, "payment_method_type", "payment_method"),
)
"""The answer to making a method the default."""

DELETED_METHOD: Final[AnswerShape[str]] = AnswerShape.inline(
    "PaymentMethodDeletion",
    Field("payment_method_id", TEXT, of=str, nullable=False),
    Field("deleted", FLAG, of=Constant(True), nullable=False),
)
"""The answer to a delete (facts §1.4)."""

MANDATE: Final[AnswerShape[Mandate]] = AnswerShape(
    "Mandate",
    Field("mandate_id", TEXT, _F, nullable=False),
    Field("status", MandateStatus, _F, nullable=False),
    Field("payment_method_id", TEXT, _F, nullable=False),
    *each(TEXT, "payment_method", "payment_method_type", source=_F),
    Field("card", _MANDATE_CARD, _F, of=saved_card),
    Field("customer_acceptance", AsJson(ref("CustomerAcceptance")), _F),
    about="A mandate.",
)

REVOKED: Final[AnswerShape[Mandate]] = AnswerShape(
    "RevokedMandate",
    Field("mandate_id", TEXT, _F, nullable=False),
    Field("status", MandateStatus, _F, nullable=False),
    *each(TEXT, "error_code", "error_message", source=_F, of=NOTHING),
)

BLOCK: Final[AnswerShape[BlocklistEntry]] = AnswerShape(
    "BlocklistEntry",
    Field("fingerprint_id", TEXT, "ours", of="value", nullable=False),
    Field("data_kind", words(SHOWN_AS.values()), "ours", of=lambda block: SHOWN_AS[block.kind], nullable=False),
    Field("metadata", FREE, "ours", of=NOTHING),
    Field("created_at", INSTANT, "ours", nullable=False),
)
"""An entry of the blocklist (ours, after the public API)."""

BLOCKLIST_SWITCH: Final[AnswerShape[bool]] = AnswerShape(
    "BlocklistSwitch",
    Field(
        "blocklist_guard_status",
        words(("enabled", "disabled")),
        of=lambda on: "enabled" if on else "disabled",
        nullable=False,
    ),
)
