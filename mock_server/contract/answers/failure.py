"""The error of a failed charge (facts §4.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.answers.fields import NOTHING, AnswerShape, Field, Read, itself
from mock_server.contract.notation import FREE, TEXT
from mock_server.domain.declines import Decline
from mock_server.domain.payment import Failure

_READERS: Final[Mapping[str, str | Read]] = {
    "error_code": "failure.error_code",
    "error_message": "failure.error_message",
    "error_reason": "failure.decline",
    "unified_code": "failure.row.standard.unified.code",
    "unified_message": "failure.row.standard.unified.message",
    "issuer_error_code": "failure.row.network_code",
    "issuer_error_message": lambda record: record.failure.error_message if record.failure.row.network_code else None,
}
"""Fields of a failed record; the issuer's words only if an issuer was asked."""


def failed(*names: str, source: str = "") -> tuple[Field, ...]:
    """Fields of a record about its `failure`, null if it has none."""
    return tuple(Field(name, TEXT, source, of=_READERS[name], given="failure") for name in names)


_UNIFIED: Final[AnswerShape[Decline]] = AnswerShape.inline(
    "UnifiedDetails",
    Field("category", TEXT, of="standard.unified.category"),
    Field("message", TEXT, of="standard.unified.message"),
    Field("standardised_code", TEXT, of="standard.code"),
    Field("description", TEXT, of="error_message"),
    Field("user_guidance_message", TEXT, of="standard.user_guidance"),
    Field("recommended_action", TEXT, of="standard.recommended_action"),
)
_ISSUER: Final[AnswerShape[Decline]] = AnswerShape.inline(
    "IssuerDetails",
    Field("code", TEXT, of="network_code"),
    Field("message", TEXT, of="error_message", given="network_code"),
    Field("network_details", FREE, of=NOTHING),
)
_CONNECTOR: Final[AnswerShape[Failure]] = AnswerShape.inline(
    "ConnectorDetails",
    Field("code", TEXT, of="error_code"),
    Field("message", TEXT, of="error_message"),
    Field("reason", TEXT, of="row.name"),
)

ERROR_DETAILS: Final[AnswerShape[Failure]] = AnswerShape(
    "ErrorDetails",
    Field("unified_details", _UNIFIED, of="row", nullable=False),
    Field("issuer_details", _ISSUER, of="row", nullable=False),
    Field("connector_details", _CONNECTOR, of=itself, nullable=False),
    about="Unified, issuer's and connector's view of one failure.",
)
