"""A refund as every answer, webhook and report shows it (facts §2.5)."""

from __future__ import annotations

from collections.abc import Callable

from mock_server.contract.answers import failure
from mock_server.contract.answers.fields import Field, Of, Shape, at, free, plain, word
from mock_server.contract.dialect import Dialect
from mock_server.domain.payment_parts import Failure
from mock_server.domain.refund import Refund


def _failed(read: Callable[[Failure | None], str | None]) -> Of:
    """A field that explains a failure."""

    def of(record: Refund, _: Dialect) -> object:
        return read(record.failure)

    return of


_F = "facts §2.5"
_S, _N, _O = "string", "integer", "object"

# fmt: off
REFUND: Shape[Refund] = Shape(
    Field("refund_id", plain("refund_id"), _S, _F, nullable=False),
    Field("payment_id", plain("payment_id"), _S, _F, nullable=False),
    Field("amount", plain("amount"), _N, _F, nullable=False),
    Field("currency", plain("currency"), _S, _F, nullable=False),
    Field("status", word("status"), _S, _F, nullable=False),
    Field("reason", plain("reason"), _S, _F),
    Field("metadata", free("metadata"), _O, _F, nullable=False),
    Field("error_code", _failed(failure.code), _S, _F),
    Field("error_message", _failed(failure.message), _S, _F),
    Field("unified_code", _failed(failure.unified_code), _S, _F),
    Field("unified_message", _failed(failure.unified_message), _S, _F),
    Field("issuer_error_code", _failed(failure.issuer_code), _S, _F),
    Field("issuer_error_message", _failed(failure.issuer_message), _S, _F),
    Field("created_at", at("created_at"), _S, _F),
    Field("updated_at", at("modified_at"), _S, _F),
    Field("connector", plain("connector"), _S, _F, nullable=False),
    Field("connector_refund_id", plain("connector_refund_id"), _S, _F),
    Field("profile_id", plain("profile_id"), _S, _F),
    Field("merchant_connector_id", plain("merchant_connector_id"), _S, _F),
    Field("split_refunds", free("split_refunds"), _O, _F),
    Field("raw_connector_response", None, _S, _F),
)
# fmt: on


def refund(record: Refund, dialect: Dialect) -> dict[str, object]:
    """The refund's fields in their documented order."""
    return REFUND.of(record, dialect)
