"""What a scenario does to the line: before the work, so that it never happens, or after it, so that nobody knows."""

from __future__ import annotations

from collections.abc import Callable

from mock_server import jsontext
from mock_server.http.context import Answer, Call
from mock_server.http.errors import JSON
from mock_server.http.running import line_moment
from mock_server.sandbox.deciding import FaultDecision

NO_ANSWER = Answer(200, b"{}", (JSON,))
"""What the line breaks where the operation never took place."""


def line(call: Call, proceed: Callable[[Call], Answer]) -> Answer:
    """Draws the call's trouble, once, and carries out its part above the socket."""
    workspace = call.home
    if workspace.deciding.is_quiet and not has_own_scenario(call):
        return proceed(call)
    trouble = workspace.deciding.line(line_moment(call))
    if trouble is None:
        return proceed(call)
    if not trouble.because.decided:
        return _left_alone(trouble, call, proceed)
    call.notes.append(trouble.because)
    call.plan = trouble.plan or call.plan
    for what in trouble.sorts:
        call.sandbox.counts.fault(what)
    real = proceed(call) if trouble.works else NO_ANSWER
    return _said(trouble, call, real)


def _left_alone(trouble: FaultDecision, call: Call, proceed: Callable[[Call], Answer]) -> Answer:
    """The call as if nobody had looked; what nearly happened to it is told after what did."""
    try:
        return proceed(call)
    finally:
        call.notes.append(trouble.because)


def _said(trouble: FaultDecision, call: Call, real: Answer) -> Answer:
    """The scenario's own answer where it has one, else the real one; its headers on either."""
    own = trouble.own_answer(call.sandbox.dialect)
    if own is None:
        return real.with_headers(*trouble.headers)
    status, body, headers = own
    text = body if isinstance(body, bytes) else jsontext.dump(body)
    typed = () if any(name.lower() == "content-type" for name, _ in headers) else (JSON,)
    return Answer(status, text, (*typed, *headers, *trouble.headers))


def has_own_scenario(call: Call) -> bool:
    """Whether the call itself names a scenario, in a header or in its metadata."""
    if "HTTP_X_SANDBOX_SCENARIO" in call.environ:
        return True
    metadata = call.body.get("metadata") if isinstance(call.body, dict) else None
    return isinstance(metadata, dict) and "sandbox_scenario" in metadata
