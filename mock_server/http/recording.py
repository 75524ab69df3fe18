"""What is recorded of a call never changes what is answered.

A recorder that fails is logged with the call's request id and counted, and the call goes on. In the journal, a marker
stands where the entry would.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

from msgspec import Struct

from mock_server.domain.errors import Refusal
from mock_server.domain.faults import Deliverable
from mock_server.domain.outcomes import Reason
from mock_server.http.journal import add_note, count, note_left_first, put_response, write, write_marker
from mock_server.http.misplaced import Found, misplaced
from mock_server.http.observe import about, traced
from mock_server.http.redaction import KEPT_TEXT, cleaned_text, readable
from mock_server.http.running import Answer, Call
from mock_server.metrics import FAULTS, NOT_RECORDED

_CALLS: Final = logging.getLogger("mock_server.calls")
_LOG: Final = logging.getLogger("mock_server.http")


def record(call: Call, what: str, *given: Any) -> None:
    """Has a recorder of the table record something of a call."""
    try:
        getattr(call.sandbox.recorders, what)(call, *given)
    except Exception as error:
        lost(call, what, error)


def enter(call: Call, answer: Answer) -> None:
    """Puts a call into the journal, and counts it for assertions; a call without a workspace has neither."""
    if call.opened is None:
        return
    if not call.held and not call.opened.deciding.is_quiet:
        record(call, "assertions", answer)
    try:
        call.sandbox.recorders.journal(call, answer)
    except Exception as error:
        lost(call, "journal", error)
        record(call, "marker", answer)
    if call.later is not None:
        call.later.then.append(lambda whole: record(call, "late_answer", whole))


def lost(call: Call, what: str, error: Exception) -> None:
    """Logs and counts that a recorder failed; also if the counts are what fails."""
    if isinstance(error, Refusal):  # the workspace was lost or reset meanwhile
        return
    _LOG.error("the %s of call %s could not be recorded\n%s", what, call.request_id, traced(error), extra=about(call))
    with suppress(Exception):
        call.sandbox.counts.add(NOT_RECORDED, what)


# figures, and the log of calls: no call waits for them, and none can ask for them


def measure(call: Call, status: int, came: bool = False) -> None:
    """Counts a call and logs it; if its answer comes later, when it came."""
    if call.parked is not None and not came:
        call.parked = call.parked.changed(partial(_counted, call))
        return
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
        path = cleaned_text(readable(call.path), KEPT_TEXT)
        words = f"{call.method} {path} {operation}: {status} in {took_s * 1000:.1f} ms"
        _CALLS.debug("%s", f"{words}, {fault}" if fault else words, extra={**about(call), **fields})


def _counted(call: Call, answer: Deliverable) -> Deliverable:
    """An answer that came later, counted when it is sent."""
    record(call, "figures", answer.status, True)
    return answer


class Recorders(Struct, frozen=True):
    """What records something of a call, by the name in log and metric; tests hand in ones that fail."""

    journal: Callable[[Call, Answer], object] = write
    marker: Callable[[Call, Answer], object] = write_marker
    evidence: Callable[[Call, bytes, str, str], Found] = misplaced
    late_answer: Callable[[Call, Answer], object] = put_response
    note: Callable[[Call, Reason], object] = add_note
    left_first: Callable[..., object] = note_left_first
    assertions: Callable[[Call, Answer], object] = count
    figures: Callable[[Call, int], object] = measure
    faults: Callable[[Call, str], object] = lambda call, what: call.sandbox.counts.add(FAULTS, what)
    label: Callable[[Call, str, str], object] = lambda call, name, text: call.sandbox.label(name, text)


RECORDERS: Final = Recorders()
