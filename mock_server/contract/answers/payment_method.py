"""Saved methods, alone and as a customer's list shows them (facts §2.8)."""

from __future__ import annotations

from mock_server.contract.answers.fields import Field, Shape, at, free, plain, word
from mock_server.contract.dialect import Dialect
from mock_server.domain.offers import Offered, Wallet
from mock_server.domain.payment_method import PaymentMethod
from mock_server.domain.payment_parts import KeptCard
from mock_server.jsontext import raw

_F = "facts §2.8"
_S, _B, _O, _A = "string", "boolean", "object", "array"


def card(kept: KeptCard | None, nick_name: str | None = None) -> dict[str, object] | None:
    """What is shown of a saved card; never its number or code."""
    if kept is None:
        return None
    return {
        "scheme": kept.brand,
        "issuer_country": None,
        "last4_digits": kept.last4,
        "expiry_month": kept.exp_month,
        "expiry_year": kept.exp_year,
        "card_token": None,
        "card_holder_name": kept.holder,
        "card_fingerprint": kept.fingerprint,
        "nick_name": nick_name,
        "card_network": kept.brand,
        "card_isin": kept.first6,
        "card_issuer": None,
        "card_type": kept.type,
        "saved_to_locker": True,
    }


def _card(method: PaymentMethod, _: Dialect) -> object:
    return card(method.card, method.nick_name)


# fmt: off
METHOD: Shape[PaymentMethod] = Shape(
    Field("merchant_id", plain("merchant_id"), _S, _F, nullable=False),
    Field("customer_id", plain("customer_id"), _S, _F),
    Field("payment_method_id", plain("payment_method_id"), _S, _F, nullable=False),
    Field("payment_method", plain("payment_method"), _S, _F),
    Field("payment_method_type", plain("payment_method_type"), _S, _F),
    Field("payment_method_status", word("status"), _S, "ours", nullable=False),
    Field("card", _card, _O, _F),
    Field("recurring_enabled", plain("is_recurring"), _B, _F),
    Field("installment_payment_enabled", lambda m, d: False, _B, _F),
    Field("payment_experience", None, _A, _F),
    Field("metadata", lambda m, d: raw(m.metadata or "{}"), _O, _F, nullable=False),
    Field("created", at("created_at"), _S, _F),
    Field("bank_transfer", None, _O, _F),
    Field("last_used_at", at("last_used_at"), _S, _F),
    Field("client_secret", plain("client_secret"), _S, _F),
)

OFFERED: Shape[Offered] = Shape(
    Field("payment_token", plain("token"), _S, _F, nullable=False),
    Field("payment_method_id", lambda o, d: o.method.payment_method_id, _S, _F, nullable=False),
    Field("customer_id", lambda o, d: o.method.customer_id, _S, _F, nullable=False),
    Field("payment_method", lambda o, d: o.method.payment_method, _S, _F, nullable=False),
    Field("payment_method_type", lambda o, d: o.method.payment_method_type, _S, _F),
    Field("payment_method_issuer", None, _S, _F),
    Field("recurring_enabled", lambda o, d: o.method.is_recurring, _B, _F),
    Field("installment_payment_enabled", lambda o, d: False, _B, _F),
    Field("payment_experience", None, _A, _F),
    Field("card", lambda o, d: _card(o.method, d), _O, _F),
    Field("metadata", lambda o, d: raw(o.method.metadata or "{}"), _O, _F, nullable=False),
    Field("created", lambda o, d: at("created_at")(o.method, d), _S, _F),
    Field("bank_transfer", None, _O, _F),
    Field("bank", None, _O, _F),
    Field("surcharge_details", None, _O, _F),
    Field("requires_cvv", lambda o, d: o.method.requires_cvv, _B, _F, nullable=False),
    Field("last_used_at", lambda o, d: at("last_used_at")(o.method, d), _S, _F),
    Field("default_payment_method_set", plain("is_default"), _B, _F, nullable=False),
    Field("billing", lambda o, d: free("billing")(o.method, d), _O, _F),
)
# fmt: on


def method(record: PaymentMethod, dialect: Dialect) -> dict[str, object]:
    """A saved method's fields in their documented order."""
    return METHOD.of(record, dialect)


def wallet(record: Wallet, dialect: Dialect) -> dict[str, object]:
    """A customer's saved methods, in the public API's own shape (decisions "Words on the wire")."""
    return {
        "customer_payment_methods": [OFFERED.of(one, dialect) for one in record.offered],
        "is_guest_customer": record.is_guest,
    }


def default(record: PaymentMethod) -> dict[str, object]:
    """The answer to making a method the default."""
    return {
        "default_payment_method_id": record.payment_method_id,
        "customer_id": record.customer_id,
        "payment_method_type": record.payment_method_type,
        "payment_method": record.payment_method,
    }


def deleted(payment_method_id: str) -> dict[str, object]:
    """The answer to a delete (facts §1.4)."""
    return {"payment_method_id": payment_method_id, "deleted": True}
