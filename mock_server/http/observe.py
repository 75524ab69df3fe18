"""What accompanies an answer: internal errors, and the headers with the reasons."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Sequence
from itertools import accumulate
from typing import Final
from urllib.parse import quote

from mock_server.contract.dialect import Dialect
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.limits import Usage
from mock_server.domain.outcomes import LEFT_ALONE, Reason
from mock_server.http.journal import payment_of
from mock_server.http.redaction import cleaned_text
from mock_server.http.running import Answer, Call
from mock_server.sandbox import Sandbox

_DEFECTS: Final = logging.getLogger("mock_server.http")

# what went wrong


def refusal_of(call: Call, error: Exception) -> Refusal:
    """The refusal of a call: what was raised, or an internal error with a reference."""
    return error if isinstance(error, Refusal) else defect(error, call.request_id, call.operation.name, about(call))


def defect(error: Exception, reference: str, where: str, about: dict[str, str | None] | None = None) -> Refusal:
    """Logs an internal error, and gives the refusal. Its message is not logged: it may have what the caller sent."""
    _DEFECTS.error("internal error %s in %s\n%s", reference, where, traced(error), extra=about)
    return Refusal(Cause.INTERNAL, reference=reference)


def traced(error: Exception) -> str:
    """Place and type of an error, without its message."""
    return "".join(traceback.format_tb(error.__traceback__)) + type(error).__name__


def about(call: Call) -> dict[str, str | None]:
    """The fields of a log line: which call, and which payment it is about."""
    return {"request_id": call.request_id, "payment_id": payment_of(call)}


# headers

BECAUSE: Final = "X-Sandbox-Because"
_LONGEST: Final = 512
_PRINTABLE: Final = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) != "%")


def because_text(notes: Sequence[Reason]) -> str:
    """The deciding reasons, joined by semicolons and cut; all but printable ASCII is percent-encoded."""
    if len(notes) == 1 and notes[0].by != LEFT_ALONE:
        text = notes[0].text
    else:
        text = "; ".join([note.text for note in notes if note.by != LEFT_ALONE])
    if text.isascii() and text.isprintable() and "%" not in text:
        return text[:_LONGEST]
    return quote(text, safe=_PRINTABLE)[:_LONGEST]


def because_of(call: Call) -> str:
    """The header's value: the wrong fields if the error does not list them, else the reasons."""
    if call.refusal is not None and (wrong := call.dialect.unlisted(call.refusal)):
        told = [json.dumps({"field": cleaned_text(one.field), "message": cleaned_text(one.message)}) for one in wrong]
        room = _LONGEST_LIST - len('[, {"more": 9999999}]')
        fitting = sum(end <= room for end in accumulate(len(one) + len(", ") for one in told))
        more = [json.dumps({"more": len(told) - fitting})] if fitting < len(told) else []
        return f"[{', '.join([*told[:fitting], *more])}]"
    return because_text(call.notes)


_LONGEST_LIST: Final = 4_096


def explained(call: Call, answer: Answer) -> Answer:
    """The answer with the headers of every answer; a call without a workspace counts for one of the server's own."""
    usage = call.usage
    if usage is None:
        usage = call.opened.count_call(call.now) if call.opened else call.sandbox.count_stray()
    headers = (*answer.headers, *_headers_of(usage), ("X-Request-Id", call.request_id))
    if not call.sandbox.settings.plain_headers:
        if call.replayed:
            because, headers = call.because, (*headers, ("X-Sandbox-Replayed", "true"))
        else:
            because = because_of(call) if call.refusal else because_text(call.notes) if call.notes else ""
        if because:
            headers = (*headers, (BECAUSE, because))
    return Answer(answer.status, answer.body, headers)


def own_headers(call: Call) -> list[tuple[str, str]]:
    """What every answer of the control API and every page carries."""
    headers = [("X-Request-Id", call.request_id)]
    if (because := because_text(call.notes)) and not call.sandbox.settings.plain_headers:
        headers.append((BECAUSE, because))
    return headers


def reason_headers(sandbox: Sandbox, dialect: Dialect, refusal: Refusal) -> tuple[tuple[str, str], ...]:
    """The header with what an error does not say, for a call that belongs to no operation."""
    told = "" if sandbox.settings.plain_headers else dialect.explanation(refusal)
    return ((BECAUSE, because_text([Reason("error", told)])),) if told else ()


def stray_headers(sandbox: Sandbox, request_id: str = "") -> tuple[tuple[str, str], ...]:
    """The headers of every answer that belongs to no operation, with a new ID if none is given."""
    return (*_headers_of(sandbox.count_stray()), ("X-Request-Id", request_id or sandbox.request_id()))


def _headers_of(usage: Usage) -> tuple[tuple[str, str], ...]:
    """The three headers of the rate limit (interface §8.4)."""
    return (
        ("X-RateLimit-Limit", str(usage.limit)),
        ("X-RateLimit-Remaining", str(max(0, usage.limit - usage.count))),
        ("X-RateLimit-Reset", str(usage.reset_at_s)),
    )
