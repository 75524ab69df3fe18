"""A dispute as every answer and webhook shows it, alone and inside its payment; its files (facts §2.5)."""

from __future__ import annotations

from mock_server.contract.answers.fields import Field, Shape, at, plain, word
from mock_server.contract.dialect import Dialect
from mock_server.domain.dispute import Dispute
from mock_server.domain.evidence_file import EvidenceFile

_F = "facts §2.5"
_S, _N, _B, _O = "string", "integer", "boolean", "object"


def _amount(record: Dispute, _: Dialect) -> object:
    """The one amount of this API that is written as a string."""
    return str(record.amount)


def _connector_status(record: Dispute, _: Dialect) -> object:
    """The connector's own word for where the dispute stands (ours)."""
    return record.status.value.removeprefix("dispute_")


# fmt: off
_ID = Field("dispute_id", plain("dispute_id"), _S, _F, nullable=False)
_AMOUNT = Field("amount", _amount, _S, _F, nullable=False, about="In the currency's lowest denomination.")
_STAGE = Field("dispute_stage", word("stage"), _S, _F, nullable=False)
_STATUS = Field("dispute_status", word("status"), _S, _F, nullable=False)
_AT_THE_CONNECTOR = (
    Field("connector_status", _connector_status, _S, _F, nullable=False),
    Field("connector_dispute_id", plain("connector_dispute_id"), _S, _F, nullable=False),
    Field("connector_reason", plain("reason"), _S, _F),
    Field("connector_reason_code", plain("reason_code"), _S, _F),
    Field("challenge_required_by", at("challenge_required_by"), _S, _F),
    Field("connector_created_at", at("created_at"), _S, _F),
    Field("connector_updated_at", at("modified_at"), _S, _F),
    Field("created_at", at("created_at"), _S, _F, nullable=False),
)

DISPUTE: Shape[Dispute] = Shape(
    _ID,
    Field("payment_id", plain("payment_id"), _S, _F, nullable=False),
    Field("attempt_id", plain("attempt_id"), _S, _F, nullable=False),
    _AMOUNT,
    Field("currency", plain("currency"), _S, _F, nullable=False),
    _STAGE,
    _STATUS,
    Field("connector", plain("connector"), _S, _F, nullable=False),
    *_AT_THE_CONNECTOR,
    Field("profile_id", plain("profile_id"), _S, _F),
    Field("merchant_connector_id", plain("merchant_connector_id"), _S, _F),
    Field("is_already_refunded", plain("is_already_refunded"), _B, _F, nullable=False),
)

DISPUTE_IN_PAYMENT: Shape[Dispute] = Shape(_ID, _STAGE, _STATUS, _AMOUNT, *_AT_THE_CONNECTOR)

FILE: Shape[EvidenceFile] = Shape(
    Field("file_id", plain("file_id"), _S, _F, nullable=False),
    Field("file_name", plain("name"), _S, _F),
    Field("file_size", plain("size"), _N, _F, nullable=False),
    Field("file_type", plain("type"), _S, _F, nullable=False),
    Field("available", plain("available"), _B, _F, nullable=False),
)
# fmt: on


def dispute(record: Dispute, dialect: Dialect) -> dict[str, object]:
    """The dispute's fields in their documented order."""
    return DISPUTE.of(record, dialect)


def dispute_in_payment(record: Dispute, dialect: Dialect) -> dict[str, object]:
    """The short form that stands inside the payment."""
    return DISPUTE_IN_PAYMENT.of(record, dialect)


def evidence(name: str, file: EvidenceFile, dialect: Dialect) -> dict[str, object]:
    """One piece of evidence."""
    return {"evidence_type": name, "file_metadata_response": FILE.of(file, dialect)}
