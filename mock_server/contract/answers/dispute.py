"""A dispute in answers and webhooks, on its own and within its payment, and its files (facts §2.5)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.answers.fields import AnswerShape, Field, Listed, each
from mock_server.contract.notation import FLAG, INSTANT, TEXT, WHOLE
from mock_server.domain.dispute import Dispute, EvidenceFile
from mock_server.domain.statuses import DisputeStage, DisputeStatus

_F = "facts §2.5"


# fmt: off
_ID = Field("dispute_id", TEXT, _F, nullable=False)
# The only amount of this API that is a string.
_DIGITS = {**TEXT, "pattern": "^[0-9]+$"}
_AMOUNT = Field("amount", _DIGITS, _F, of=lambda dispute: str(dispute.amount), nullable=False, about="In minor units.")
_STAGE = Field("dispute_stage", Listed(DisputeStage), _F, of="stage", nullable=False)
_STATUS = Field("dispute_status", Listed(DisputeStatus), _F, of="status", nullable=False)
_AT_THE_CONNECTOR = (
    Field("connector_status", TEXT, _F, of=lambda dispute: dispute.status.removeprefix("dispute_"), nullable=False),
    Field("connector_dispute_id", TEXT, _F, nullable=False),
    Field("connector_reason", TEXT, _F, of="reason"),
    Field("connector_reason_code", TEXT, _F, of="reason_code"),
    Field("challenge_required_by", INSTANT, _F),
    Field("connector_created_at", INSTANT, _F, of="created_at"),
    Field("connector_updated_at", INSTANT, _F, of="modified_at"),
    Field("created_at", INSTANT, _F, nullable=False),
)

DISPUTE: Final[AnswerShape[Dispute]] = AnswerShape(
    "Dispute",
    _ID,
    *each(TEXT, "payment_id", "attempt_id", source=_F, nullable=False),
    _AMOUNT,
    Field("currency", TEXT, _F, nullable=False),
    _STAGE,
    _STATUS,
    Field("connector", TEXT, _F, nullable=False),
    *_AT_THE_CONNECTOR,
    *each(TEXT, "profile_id", "merchant_connector_id", source=_F),
    Field("is_already_refunded", FLAG, _F, nullable=False),
    about="A dispute.",
)

DISPUTE_IN_PAYMENT: Final[AnswerShape[Dispute]] = AnswerShape(
    "DisputeInPayment",
    *(_ID, _STAGE, _STATUS, _AMOUNT, *_AT_THE_CONNECTOR),
    like=DISPUTE,
    about="A dispute, as included in its payment.",
)

_FILE: Final[AnswerShape[EvidenceFile]] = AnswerShape(
    "File",
    Field("file_id", TEXT, _F, nullable=False),
    Field("file_name", TEXT, _F, of="name"),
    Field("file_size", WHOLE, _F, of="size", nullable=False),
    Field("file_type", TEXT, _F, of="type", nullable=False),
    Field("available", FLAG, _F, nullable=False),
    inline=True,
)
FILE_ID: Final[AnswerShape[EvidenceFile]] = AnswerShape("FileId", Field("file_id", TEXT, nullable=False), like=_FILE)
EVIDENCE: Final[AnswerShape[tuple[str, EvidenceFile]]] = AnswerShape(
    "Evidence",
    Field("evidence_type", TEXT, of=lambda pair: pair[0], nullable=False),
    Field("file_metadata_response", _FILE, of=lambda pair: pair[1], nullable=False),
)
"""One piece of evidence: its kind and its file."""
# fmt: on
