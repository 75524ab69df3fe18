"""Errors of any origin, in the envelope of the dialect."""

from __future__ import annotations

from typing import Any

from mock_server.contract.dialect import Dialect
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.errors import Cause, CauseGroup, Refusal
from mock_server.http.context import Answer, Call
from mock_server.http.redaction import cleaned_error
from mock_server.jsontext import dump

JSON = ("Content-Type", "application/json")
RETRY_LATER = ("Retry-After", "1")


def answer_refusal(dialect: Dialect, refusal: Refusal, more: str = "") -> Answer:
    """The answer for a refusal, with `more` sentences after the dialect's."""
    status, body = dialect.error(refusal, more)
    return Answer(status, cleaned_error(dump(body)), (JSON, *_headers(refusal)))


def answer_to(call: Call, dialect: Dialect, refusal: Refusal) -> Answer:
    """The answer for a refused call; a 404 also says if the workspace was evicted."""
    answer = answer_refusal(dialect, refusal)
    if refusal.cause.group is not CauseGroup.MISSING or call.workspace is None:
        return answer
    gone = call.sandbox.evictions.find(call.workspace.space.name)
    return answer if gone is None else answer_refusal(dialect, refusal, gone.text)


def said(refusal: Refusal, more: str = "") -> tuple[int, str]:
    """A refusal's status and sentence, for a page."""
    status, body = INTERFACE.error(refusal, more)
    error: Any = body[INTERFACE.error_keys.envelope]
    return status, error[INTERFACE.error_keys.message]


def _headers(refusal: Refusal) -> tuple[tuple[str, str], ...]:
    """Headers that HTTP requires for the status."""
    match refusal.cause:
        case Cause.RATE_LIMITED | Cause.RATE_LIMITED_FROZEN:
            return (("Retry-After", str(refusal.values["seconds"])),)
        case Cause.IDEMPOTENCY_IN_FLIGHT | Cause.ADVANCE_RUNNING | Cause.BUSY | Cause.NOT_SAVED:
            return (RETRY_LATER,)
        case Cause.METHOD_NOT_ALLOWED:
            return (("Allow", str(refusal.values["allowed"])),)
        case _:
            return ()
