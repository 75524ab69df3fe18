"""How a failed charge explains itself (facts §4.5)."""

from __future__ import annotations

from mock_server.domain import declines
from mock_server.domain.declines import Decline
from mock_server.domain.payment_parts import Failure

_UNKNOWN = declines.DECLINES[-1]


def row_of(failure: Failure) -> Decline:
    """The table row of a failure; one without a reason where a scenario named none that exists."""
    return declines.find(failure.decline) or _UNKNOWN


def code(failure: Failure | None) -> str | None:
    """The connector's code."""
    return None if failure is None else failure.code or row_of(failure).error_code


def message(failure: Failure | None) -> str | None:
    """The connector's sentence."""
    return None if failure is None else failure.message or row_of(failure).error_message


def unified_code(failure: Failure | None) -> str | None:
    """`UE_1000` and its like."""
    return None if failure is None else row_of(failure).unified_code


def unified_message(failure: Failure | None) -> str | None:
    """The merchant's sentence."""
    return None if failure is None else row_of(failure).unified_message


def details(failure: Failure | None) -> dict[str, object] | None:
    """Unified, issuer's and connector's view of one failure (facts §2.1)."""
    if failure is None:
        return None
    row = row_of(failure)
    return {
        "unified_details": {
            "category": row.category,
            "message": row.unified_message,
            "standardised_code": row.standardised_code,
            "description": row.error_message,
            "user_guidance_message": row.user_guidance,
            "recommended_action": row.recommended_action,
        },
        "issuer_details": {
            "code": row.network_code,
            "message": row.error_message if row.network_code else None,
            "network_details": None,
        },
        "connector_details": {"code": code(failure), "message": message(failure), "reason": row.name},
    }


def issuer_code(failure: Failure | None) -> str | None:
    """The issuer's own code, where an issuer was asked."""
    return None if failure is None else row_of(failure).network_code


def issuer_message(failure: Failure | None) -> str | None:
    """The issuer's own words, where an issuer was asked."""
    return message(failure) if failure and row_of(failure).network_code else None
