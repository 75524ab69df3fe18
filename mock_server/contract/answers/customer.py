"""A customer as answers show it (facts §2.6)."""

from __future__ import annotations

from mock_server.contract.answers.ephemeral_key import EPHEMERAL_KEY
from mock_server.contract.answers.fields import Field, Shape, at, free, plain
from mock_server.contract.dialect import Dialect
from mock_server.domain.customer import Customer, Deletion
from mock_server.domain.issued_key import EphemeralKey
from mock_server.jsontext import raw

_F = "facts §2.6"
_S, _B, _O = "string", "boolean", "object"

# fmt: off
CUSTOMER: Shape[Customer] = Shape(
    Field("customer_id", plain("customer_id"), _S, _F, nullable=False),
    Field("name", plain("name"), _S, _F),
    Field("email", plain("email"), _S, _F),
    Field("phone", plain("phone"), _S, _F),
    Field("phone_country_code", plain("phone_country_code"), _S, _F),
    Field("description", plain("description"), _S, _F),
    Field("tax_registration_id", plain("tax_registration_id"), _S, _F),
    Field("address", free("address"), _O, _F),
    Field("created_at", at("created_at"), _S, _F, nullable=False),
    Field("metadata", lambda c, d: raw(c.metadata or "{}"), _O, _F, nullable=False),
    Field("default_payment_method_id", plain("default_payment_method_id"), _S, _F),
    Field("document_details", free("document_details"), _O, _F),
)

_KEY = Field("ephemeral_key", None, _O, _F, nullable=False, about="Good for an hour, and shown only here.")
NEW_CUSTOMER: Shape[Customer] = Shape(*CUSTOMER.fields, _KEY)

DELETION: Shape[Deletion] = Shape(
    Field("customer_id", plain("customer_id"), _S, _F, nullable=False),
    Field("customer_deleted", plain("customer_deleted"), _B, _F, nullable=False),
    Field("address_deleted", plain("address_deleted"), _B, _F, nullable=False),
    Field("payment_methods_deleted", plain("payment_methods_deleted"), _B, _F, nullable=False),
)
# fmt: on


def new_customer(record: Customer, key: EphemeralKey, dialect: Dialect) -> dict[str, object]:
    """The answer to a create: the customer, and a key that a browser can use for it."""
    return {**NEW_CUSTOMER.of(record, dialect), "ephemeral_key": EPHEMERAL_KEY.of(key, dialect)}


def customer(record: Customer, dialect: Dialect) -> dict[str, object]:
    """The customer's fields in their documented order."""
    return CUSTOMER.of(record, dialect)
