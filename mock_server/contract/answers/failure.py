"""The error of a failed charge (facts §4.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.answers.fields import NOTHING, AnswerShape, Field, Read, itself
from mock_server.contract.notation import FREE, TEXT
from mock_server.domain import declines
from mock_server.domain.declines import Decline
from mock_server.domain.payment_parts import Failure


def row_of(failure: Failure) -> Decline:
    """The table row of a failure; one without a reason if a scenario named an unknown decline."""
    return declines.find(failure.decline) or declines.UNKNOWN


def code(failure: Failure) -> str:
    """The connector's code."""
    return failure.code or row_of(failure).error_code


def message(failure: Failure) -> str:
    """The connector's message."""
    return failure.message or row_of(failure).error_message


_READERS: Final[Mapping[str, Read]] = {
    "error_code": lambda record: code(record.failure),
    "error_message": lambda record: message(record.failure),
    "error_reason": lambda record: record.failure.decline,
    "unified_code": lambda record: row_of(record.failure).standard.unified.code,
    "unified_message": lambda record: row_of(record.failure).standard.unified.message,
    "issuer_error_code": lambda record: row_of(record.failure).network_code,
    "issuer_error_message": lambda record: message(record.failure) if row_of(record.failure).network_code else None,
}
"""Fields of a failed record; the issuer's words only if an issuer was asked."""


def failed(*names: str, source: str = "") -> tuple[Field, ...]:
    """Fields of a record about its `failure`, null if it has none."""
    return tuple(Field(name, TEXT, source, of=_READERS[name], given="failure") for name in names)


# fmt: off
_UNIFIED: Final[AnswerShape[Decline]] = AnswerShape(
    "UnifiedDetails",
    Field("category", TEXT, of="standard.unified.category"),
    Field("message", TEXT, of="standard.unified.message"),
    Field("standardised_code", TEXT, of="standard.code"),
    Field("description", TEXT, of="error_message"),
    Field("user_guidance_message", TEXT, of="standard.user_guidance"),
    Field("recommended_action", TEXT, of="standard.recommended_action"),
    inline=True,
)
_ISSUER: Final[AnswerShape[Decline]] = AnswerShape(
    "IssuerDetails",
    Field("code", TEXT, of="network_code"),
    Field("message", TEXT, of="error_message", given="network_code"),
    Field("network_details", FREE, of=NOTHING),
    inline=True,
)
_CONNECTOR: Final[AnswerShape[Failure]] = AnswerShape(
    "ConnectorDetails",
    Field("code", TEXT, of=code),
    Field("message", TEXT, of=message),
    Field("reason", TEXT, of=lambda failure: row_of(failure).name),
    inline=True,
)

ERROR_DETAILS: Final[AnswerShape[Failure]] = AnswerShape(
    "ErrorDetails",
    Field("unified_details", _UNIFIED, of=row_of, nullable=False),
    Field("issuer_details", _ISSUER, of=row_of, nullable=False),
    Field("connector_details", _CONNECTOR, of=itself, nullable=False),
    about="Unified, issuer's and connector's view of one failure.",
)
# fmt: on
