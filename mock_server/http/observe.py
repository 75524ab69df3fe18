"""What accompanies an answer: internal errors, counters, log lines, and the headers with the reasons."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import quote

from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.faults import Deliverable, Parked
from mock_server.domain.limits import Usage
from mock_server.domain.outcomes import LEFT_ALONE, Reason
from mock_server.http.context import Answer, Call
from mock_server.http.journal import payment_of
from mock_server.http.redaction import cleaned_text
from mock_server.sandbox import Sandbox

_DEFECTS: Final = logging.getLogger("mock_server.http")
_CALLS: Final = logging.getLogger("mock_server.calls")

# what went wrong


def refusal_of(call: Call, error: Exception) -> Refusal:
    """The refusal of a call: what was raised, or an internal error with a reference."""
    return error if isinstance(error, Refusal) else defect(error, call.request_id, call.operation.name, about(call))


def defect(error: Exception, reference: str, where: str, about: dict[str, str | None] | None = None) -> Refusal:
    """Logs an internal error, and gives the refusal with its reference.

    Only the place and type are logged, not the message, which could contain what the caller sent.
    """
    places = "".join(traceback.format_tb(error.__traceback__))
    _DEFECTS.error("internal error %s in %s\n%s%s", reference, where, places, type(error).__name__, extra=about)
    return Refusal(Cause.INTERNAL, reference=reference)


def about(call: Call) -> dict[str, str | None]:
    """The fields of a log line: which call, and which payment it is about."""
    return {"request_id": call.request_id, "payment_id": payment_of(call)}


# counts, and the log of calls: no call waits for them, and none can ask for them


def measure(call: Call, answer: Answer) -> None:
    """Counts a call and logs it; if its answer comes later, when it comes."""
    if call.parked is None:
        _take(call, answer.status)
    else:
        call.parked = _followed(call, call.parked)


def _take(call: Call, status: int) -> None:
    took_s = call.sandbox.clock.monotonic() - call.started_s
    call.sandbox.counts.call(call.operation.name, status, took_s)
    if _CALLS.isEnabledFor(logging.DEBUG):
        operation, fault = call.operation.name, call.plan.fault if call.plan else None
        fields = {
            "operation": operation,
            "status": status,
            "took_ms": round(took_s * 1000, 3),
            "cause": call.refusal.cause if call.refusal else None,
            "fault": fault,
            "key": call.key.redacted if call.key else None,
            "replayed": call.replayed or None,
        }
        words = f"{call.method} {cleaned_text(call.path)} {operation}: {status} in {took_s * 1000:.1f} ms"
        _CALLS.debug("%s", f"{words}, {fault}" if fault else words, extra={**about(call), **fields})


def _followed(call: Call, parked: Parked) -> Parked:
    """The same, counted when the answer is sent."""

    def came(done: Any) -> None:
        if not done.cancelled() and done.exception() is None:
            _take(call, done.result().status)

    def late() -> Deliverable:
        answer = parked.late()
        _take(call, answer.status)
        return answer

    parked.ready.add_done_callback(came)
    return Parked(parked.ready, parked.timeout_s, late)


# headers

BECAUSE: Final = "X-Sandbox-Because"
_LONGEST: Final = 512
_PRINTABLE: Final = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) != "%")


def because_text(notes: Sequence[Reason]) -> str:
    """Reasons, separated by semicolons; other characters than printable ASCII are percent-encoded, a long text is cut.

    Reasons that decided nothing are omitted.
    """
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
        fitting, length = 0, 0
        for one in told:
            length += len(one) + len(", ")
            if length > room:
                break
            fitting += 1
        more = [json.dumps({"more": len(told) - fitting})] if fitting < len(told) else []
        return f"[{', '.join([*told[:fitting], *more])}]"
    return because_text(call.notes)


_LONGEST_LIST: Final = 4_096


def explained(call: Call, answer: Answer) -> Answer:
    """The answer with the headers of every answer; a call without a workspace counts for one of the server's own."""
    usage = call.usage
    if usage is None:
        usage = call.workspace.count_call(call.now) if call.workspace else call.sandbox.count_stray()
    headers = (*answer.headers, *_headers_of(usage), ("X-Request-Id", call.request_id))
    if not call.sandbox.settings.plain_headers:
        if call.replayed:
            because, headers = call.because, (*headers, ("X-Sandbox-Replayed", "true"))
        elif call.refusal:
            because = because_of(call)
        else:
            because = because_text(call.notes) if call.notes else ""
        if because:
            headers = (*headers, (BECAUSE, because))
    return Answer(answer.status, answer.body, headers)


def own_headers(call: Call) -> list[tuple[str, str]]:
    """What every answer of the control API and every page carries."""
    headers = [("X-Request-Id", call.request_id)]
    if (because := because_text(call.notes)) and not call.sandbox.settings.plain_headers:
        headers.append((BECAUSE, because))
    return headers


def stray_headers(sandbox: Sandbox, request_id: str) -> tuple[tuple[str, str], ...]:
    """The headers of every answer that belongs to no operation."""
    return (*_headers_of(sandbox.count_stray()), ("X-Request-Id", request_id))


def _headers_of(usage: Usage) -> tuple[tuple[str, str], ...]:
    """The three headers of the rate limit (interface §8.4)."""
    return (
        ("X-RateLimit-Limit", str(usage.limit)),
        ("X-RateLimit-Remaining", str(max(0, usage.limit - usage.count))),
        ("X-RateLimit-Reset", str(usage.reset_at_s)),
    )
