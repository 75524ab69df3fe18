"""The last step: an answer becomes Flask's response, and what the line shall do with it is left for the server."""

from __future__ import annotations

from functools import partial

from flask import Response

from mock_server.domain.faults import LEFT_FIRST, LINE, PARKED
from mock_server.http import journal
from mock_server.http.context import Answer, Call
from mock_server.http.holding import coming, held


def leave_plans(call: Call, answer: Answer) -> None:
    """A plan for the line goes into the environ, where the server looks for it."""
    if call.written:
        call.environ[LEFT_FIRST] = partial(journal.note_left_first, call.home.space, call.written, call.request_id)
    if call.plan is not None:
        call.environ[LINE] = call.plan
    if call.held:
        call.parked = held(call, answer)
    elif call.later is not None:
        call.parked = coming(call.later, answer)
    if call.parked is not None:
        call.environ[PARKED] = call.parked


def finished(call: Call, answer: Answer) -> Response:
    """Flask's response to a call, its plans left for the server."""
    leave_plans(call, answer)
    return response(answer)


def response(answer: Answer) -> Response:
    """An answer as Flask sends it."""
    made = Response(answer.body, answer.status)
    made.headers.clear()
    for name, value in answer.headers:
        made.headers.add(name, value)
    return made
