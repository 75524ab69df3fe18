"""What is counted and logged of every call once its answer is known: no call waits for it, and none can ask for it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from mock_server.domain.faults import Deliverable, Parked
from mock_server.http.journal import payment_of
from mock_server.http.redaction import cleaned_text

if TYPE_CHECKING:
    from mock_server.http.context import Answer, Call

_LOG: Final = logging.getLogger("mock_server.calls")


def measure(call: Call, answer: Answer) -> None:
    """Counts a call and writes it to the log; one whose answer is still to come is counted when it comes."""
    if call.parked is None:
        _take(call, answer.status)
    else:
        call.parked = _followed(call, call.parked)


def about(call: Call) -> dict[str, str | None]:
    """What a line of the log says beside its words: which call, and which payment it is about."""
    return {"request_id": call.request_id, "payment_id": payment_of(call)}


def _take(call: Call, status: int) -> None:
    took_s = call.sandbox.clock.monotonic() - call.started_s
    call.sandbox.counts.call(call.operation.name, status, took_s)
    if _LOG.isEnabledFor(logging.DEBUG):
        _write(call, status, took_s * 1000)


def _followed(call: Call, parked: Parked) -> Parked:
    """The same, counted with the answer that leaves."""

    def came(done: Any) -> None:
        if not done.cancelled() and done.exception() is None:
            _take(call, done.result().status)

    def late() -> Deliverable:
        answer = parked.late()
        _take(call, answer.status)
        return answer

    parked.ready.add_done_callback(came)
    return Parked(parked.ready, parked.timeout_s, late)


def _write(call: Call, status: int, took_ms: float) -> None:
    operation, fault = call.operation.name, call.plan.fault if call.plan else None
    told = {
        "operation": operation,
        "status": status,
        "took_ms": round(took_ms, 3),
        "cause": call.refusal.cause if call.refusal else None,
        "fault": fault,
        "key": call.key.redacted if call.key else None,
        "replayed": call.replayed or None,
    }
    words = f"{call.method} {cleaned_text(call.path)} {operation}: {status} in {took_ms:.1f} ms"
    _LOG.debug("%s", f"{words}, {fault}" if fault else words, extra={**about(call), **told})
