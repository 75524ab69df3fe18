"""Errors of any origin, in the envelope of the dialect."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from mock_server.contract.dialect import Dialect
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.errors import Cause, CauseGroup, Refusal
from mock_server.domain.outcomes import Reason
from mock_server.domain.paging import Query
from mock_server.engine.kinds import PROFILES
from mock_server.http.redaction import cleaned_error, cleaned_text
from mock_server.http.running import JSON, TEXT, Answer, Call
from mock_server.jsontext import dump

RETRY_LATER = ("Retry-After", "1")
_LIMITED = (Cause.RATE_LIMITED, Cause.RATE_LIMITED_FROZEN)
RETRIED = {*_LIMITED, Cause.IDEMPOTENCY_IN_FLIGHT, Cause.ADVANCE_RUNNING, Cause.BUSY, Cause.NOT_SAVED}
"""The causes whose answers say when to come again."""
PUBLIC_CLIENT = "clients of the public API send no profile_id: serve --dialect hyperswitch answers them"
"""For a workspace without any profile: its client has never sent one."""


def answer_refusal(dialect: Dialect, refusal: Refusal, more: str = "") -> Answer:
    """The answer for a refusal, with `more` sentences after the dialect's."""
    status, body = dialect.error(refusal, more)
    return Answer(status, cleaned_error(dump(body)), (JSON, *_headers(refusal)))


def answer_to(call: Call, dialect: Dialect, refusal: Refusal) -> Answer:
    """The answer for a refused call; a 404 also says if the workspace was evicted.

    What the dialect does not say is noted, for the journal and the header.
    """
    if told := dialect.explanation(refusal):
        call.notes.append(Reason("error", cleaned_text(told)))
    lacks_profile = any(wrong.field == "profile_id" and wrong.cause is Cause.VALUE_MISSING for wrong in refusal.fields)
    if dialect is INTERFACE and lacks_profile and call.opened is not None:
        found = call.opened.space.transact(lambda tx: tx.find(PROFILES, Query(limit=1)).items)
        call.notes += () if found else (Reason("error", PUBLIC_CLIENT),)
    has_body = call.method not in ("GET", "HEAD") and (call.operation.body or not refusal.fields)
    if dialect.queries and not has_body and (text := unreadable(dialect, refusal)):
        return Answer(400, cleaned_error(text.replace(*dialect.queries, 1).encode()), (TEXT,))
    answer = answer_refusal(dialect, refusal)
    if refusal.cause.group is not CauseGroup.MISSING or call.opened is None:
        return answer
    gone = call.sandbox.evictions.find(call.opened.space.name)
    return answer if gone is None else answer_refusal(dialect, refusal, gone.text)


def unreadable(dialect: Dialect, refusal: Refusal) -> str:
    """The message about a body or query that cannot be read; empty if the refusal is another."""
    keys, (_, body) = dialect.error_keys, dialect.error(refusal)
    error: Any = body[keys.envelope]
    return "" if keys.type in error else error[keys.message]


def said(refusal: Refusal, more: str = "") -> tuple[int, str]:
    """A refusal's status and sentence, for a page."""
    status, body = INTERFACE.error(refusal, more)
    error: Any = body[INTERFACE.error_keys.envelope]
    return status, error[INTERFACE.error_keys.message]


def headers_as_refused(call: Call, code: str, status: int) -> tuple[tuple[str, str], ...]:
    """The headers of a scenario's error that is also a refusal of any call: come again in a second, not in a minute."""
    rows = ((cause, call.dialect.errors[cause]) for cause in (Cause.RATE_LIMITED, Cause.BUSY, Cause.NOT_SAVED))
    cause = next((cause for cause, row in rows if (row.code, row.status) == (code, status)), None)
    if cause is Cause.RATE_LIMITED and call.usage:
        call.usage = structs.replace(call.usage, count=call.usage.limit)
    return (RETRY_LATER,) if cause else ()


def _headers(refusal: Refusal) -> tuple[tuple[str, str], ...]:
    """Headers that HTTP requires for the status."""
    if refusal.cause in _LIMITED:
        return (("Retry-After", str(refusal.values["seconds"])),)
    if refusal.cause in RETRIED:
        return (RETRY_LATER,)
    return (("Allow", str(refusal.values["allowed"])),) if refusal.cause is Cause.METHOD_NOT_ALLOWED else ()
