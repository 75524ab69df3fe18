"""How a failed charge explains itself (facts §4.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from mock_server.contract.answers.fields import NOTHING, AnswerShape, Field, Through
from mock_server.contract.notation import FREE, TEXT
from mock_server.domain import declines
from mock_server.domain.declines import Decline
from mock_server.domain.payment_parts import Failure


def row_of(failure: Failure) -> Decline:
    """The table row of a failure; one without a reason where a scenario named none that exists."""
    return declines.find(failure.decline) or declines.UNKNOWN


def code(failure: Failure) -> str:
    """The connector's code."""
    return failure.code or row_of(failure).error_code


def message(failure: Failure) -> str:
    """The connector's sentence."""
    return failure.message or row_of(failure).error_message


_READERS: Final[Mapping[str, Callable[[Failure], str | None]]] = {
    "error_code": code,
    "error_message": message,
    "error_reason": lambda failure: failure.decline,
    "unified_code": lambda failure: row_of(failure).unified_code,
    "unified_message": lambda failure: row_of(failure).unified_message,
    "issuer_error_code": lambda failure: row_of(failure).network_code,
    "issuer_error_message": lambda failure: message(failure) if row_of(failure).network_code else None,
}
"""What the fields of a failed record say of its failure; the issuer's words only where an issuer was asked."""


def failed(*names: str, source: str = "") -> tuple[Field, ...]:
    """Fields that are null where the record's `failure` is."""
    return tuple(Field(name, TEXT, source, of=Through("failure", _READERS[name])) for name in names)


# fmt: off
_UNIFIED: Final[AnswerShape[Decline]] = AnswerShape(
    "UnifiedDetails",
    Field("category", TEXT),
    Field("message", TEXT, of="unified_message"),
    Field("standardised_code", TEXT),
    Field("description", TEXT, of="error_message"),
    Field("user_guidance_message", TEXT, of="user_guidance"),
    Field("recommended_action", TEXT),
    inline=True,
)
_ISSUER: Final[AnswerShape[Decline]] = AnswerShape(
    "IssuerDetails",
    Field("code", TEXT, of="network_code"),
    Field("message", TEXT, of=lambda row: row.error_message if row.network_code else None),
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
    Field("connector_details", _CONNECTOR, of=lambda failure: failure, nullable=False),
    about="Unified, issuer's and connector's view of one failure.",
)
# fmt: on
