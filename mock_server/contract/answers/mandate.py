"""A mandate as answers and webhooks show it (facts §2.8)."""

from __future__ import annotations

from mock_server.contract.answers.fields import Field, Shape, free, plain, word
from mock_server.contract.answers.payment_method import card
from mock_server.contract.dialect import Dialect
from mock_server.domain.mandate import Mandate

_F = "facts §2.8"
_S, _O = "string", "object"

# fmt: off
MANDATE: Shape[Mandate] = Shape(
    Field("mandate_id", plain("mandate_id"), _S, _F, nullable=False),
    Field("status", word("status"), _S, _F, nullable=False),
    Field("payment_method_id", plain("payment_method_id"), _S, _F, nullable=False),
    Field("payment_method", plain("payment_method"), _S, _F),
    Field("payment_method_type", plain("payment_method_type"), _S, _F),
    Field("card", lambda m, d: card(m.card), _O, _F),
    Field("customer_acceptance", free("customer_acceptance"), _O, _F),
)

REVOKED: Shape[Mandate] = Shape(
    Field("mandate_id", plain("mandate_id"), _S, _F, nullable=False),
    Field("status", word("status"), _S, _F, nullable=False),
    Field("error_code", None, _S, _F),
    Field("error_message", None, _S, _F),
)
# fmt: on


def mandate(record: Mandate, dialect: Dialect) -> dict[str, object]:
    """A mandate's fields in their documented order."""
    return MANDATE.of(record, dialect)
