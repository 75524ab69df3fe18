"""What a scenario does to the line: before the work, so that it never happens, or after it, so that nobody knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mock_server import jsontext
from mock_server.domain.faults import LinePlan
from mock_server.http.context import Answer, Call
from mock_server.http.errors import JSON


def line(call: Call, proceed: Callable[[Call], Answer]) -> Answer:
    """Draws the call's trouble, once, and carries out its part above the socket."""
    trouble = call.home.line(call)
    if trouble is None:
        return proceed(call)
    call.notes.append(trouble.because)
    if trouble.plan is not None:
        call.plan = _joined(call.plan, trouble.plan)
    answer = proceed(call) if trouble.works or not trouble.answers else None
    return _said(call, trouble.answer(call.sandbox.dialect), trouble.headers, answer)


def _said(
    call: Call,
    own: tuple[int, object, tuple[tuple[str, str], ...]] | None,
    headers: tuple[tuple[str, str], ...],
    answer: Answer | None,
) -> Answer:
    """The scenario's own answer where it has one, else the real one; its headers on either."""
    if own is not None:
        status, body, more = own
        text = body if isinstance(body, bytes) else jsontext.dump(body)
        return Answer(status, text, (*(() if more else (JSON,)), *more, *headers))
    return (answer or Answer(200, b"")).with_headers(*headers)


def _joined(before: LinePlan | None, plan: LinePlan) -> LinePlan:
    return plan if before is None else replace(plan, hold=before.hold, hold_timeout_s=before.hold_timeout_s)
