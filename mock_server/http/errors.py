"""Errors of any origin, in the envelope of the dialect."""

from __future__ import annotations

from mock_server.dialects import Dialect
from mock_server.domain.errors import Cause, Refusal
from mock_server.http.context import Answer
from mock_server.http.redaction import cleaned_error
from mock_server.jsontext import dump

JSON = ("Content-Type", "application/json")
RETRY_LATER = ("Retry-After", "1")


def answer_refusal(dialect: Dialect, refusal: Refusal) -> Answer:
    """The answer that tells of a refusal."""
    status, body = dialect.error(refusal)
    return Answer(status, cleaned_error(dump(body)), (JSON, *_headers(refusal)))


def _headers(refusal: Refusal) -> tuple[tuple[str, str], ...]:
    """What HTTP wants said beside the body."""
    match refusal.cause:
        case Cause.RATE_LIMITED | Cause.RATE_LIMITED_FROZEN:
            return (("Retry-After", str(refusal.values["seconds"])),)
        case Cause.IDEMPOTENCY_IN_FLIGHT | Cause.ADVANCE_RUNNING | Cause.BUSY:
            return (RETRY_LATER,)
        case Cause.METHOD_NOT_ALLOWED:
            return (("Allow", str(refusal.values["allowed"])),)
        case _:
            return ()
