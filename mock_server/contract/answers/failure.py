"""How a failed charge explains itself (facts §4.5)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.answers.fields import NOTHING, AnswerShape, Field
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


def unified_code(failure: Failure) -> str:
    """`UE_1000` and its like."""
    return row_of(failure).unified_code


def unified_message(failure: Failure) -> str:
    """The merchant's sentence."""
    return row_of(failure).unified_message


def issuer_code(failure: Failure) -> str | None:
    """The issuer's own code, where an issuer was asked."""
    return row_of(failure).network_code


def issuer_message(failure: Failure) -> str | None:
    """The issuer's own words, where an issuer was asked."""
    return message(failure) if row_of(failure).network_code else None


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
