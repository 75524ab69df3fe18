"""Customers and their ephemeral keys (facts §2.6, §2.8)."""

from __future__ import annotations

from typing import Final, NamedTuple

from mock_server.contract.answers.fields import AnswerShape, AsJson, Beside, Constant, Field, each, itself
from mock_server.contract.notation import FLAG, INSTANT, TEXT, WHOLE, ref
from mock_server.domain.api_keys import EphemeralKey
from mock_server.domain.customer import Customer

_F, _K = "facts §2.6", "facts §2.8"


class WithKey(NamedTuple):
    """A new customer, and a key that a browser can use for it."""

    customer: Customer
    key: EphemeralKey


CUSTOMER: Final[AnswerShape[Customer]] = AnswerShape(
    "Customer",
    Field("customer_id", TEXT, _F, nullable=False),
    *each(TEXT, "name", "email", "phone", "phone_country_code", "description", "tax_registration_id", source=_F),
    Field("address", AsJson(ref("Address")), _F),
    Field("created_at", INSTANT, _F, nullable=False),
    Field("metadata", AsJson(), _F, of=lambda customer: customer.metadata or "{}", nullable=False),
    Field("default_payment_method_id", TEXT, _F),
    Field("document_details", AsJson(), _F),
    about="A customer.",
)

EPHEMERAL_KEY: Final[AnswerShape[EphemeralKey]] = AnswerShape(
    "EphemeralKey",
    Field("id", TEXT, "ours", of="key_id", nullable=False),
    *each(TEXT, "merchant_id", "customer_id", source=_K, nullable=False),
    Field("created_at", WHOLE, _K, of=lambda key: key.created_at // 1000, nullable=False),
    Field("expires", WHOLE, _K, of=lambda key: key.expires_at // 1000, nullable=False),
    Field("secret", TEXT, _K),
)

_ONCE: Final = "Valid for one hour. Shown only in this answer."
NEW_CUSTOMER: Final[AnswerShape[WithKey]] = AnswerShape(
    "CreatedCustomer",
    *CUSTOMER.rows,
    Field("ephemeral_key", EPHEMERAL_KEY, _F, of=Beside("key"), nullable=False, about=_ONCE),
    like=CUSTOMER,
    part="customer",
    about="A new customer, with an ephemeral key for the browser.",
)

DELETION: Final[AnswerShape[str]] = AnswerShape(
    "CustomerDeletion",
    Field("customer_id", TEXT, _F, of=itself, nullable=False),
    *each(FLAG, "customer_deleted", "address_deleted", source=_F, of=Constant(True), nullable=False),
    Field("payment_methods_deleted", FLAG, _F, of=Constant(True), nullable=False),
)
