"""The last step: the plan for the connection is left to the server.

An answer may wait for webhooks that are sent before it (scenario language: `deliver: before_response`). Only the
answer waits: other calls are served meanwhile, even for the same payment.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any

from mock_server.domain.faults import LEFT_FIRST, LINE, PARKED, SHOWN, Parked, Waitable
from mock_server.domain.outcomes import Reason
from mock_server.http.observe import BECAUSE, about, because_text
from mock_server.http.recording import record
from mock_server.http.running import Answer, Call, Later


def leave_plans(call: Call, answer: Answer) -> Answer:
    """The answer, after a plan for the connection was put into the environ, where the server reads it."""
    if call.scenario_headers:
        names = {name.lower() for name, _ in call.scenario_headers}
        others = (pair for pair in answer.headers if pair[0].lower() not in names)
        own = (pair for pair in call.scenario_headers if pair[0].lower() != "content-length")
        answer = Answer(answer.status, answer.body, (*others, *own))
    if call.opened is not None:
        if call.written:
            call.environ[LEFT_FIRST] = partial(record, call, "left_first")
        if call.sandbox.lasting is not None:
            call.environ[SHOWN] = call.opened.space
    # A refusal's traceback holds the call, so both, and the body, would stay until a collection of garbage.
    call.refusal, call.body = None, call.body if call.held else None
    if call.plan is not None:
        call.environ[LINE] = call.plan
    if call.held:
        call.parked = held(call, answer)
    elif call.later is not None:
        call.parked = coming(call.later, answer)
    if call.parked is not None:
        call.environ[PARKED] = call.parked
        call.parked, call.later, call.held = None, None, []  # they hold the call too
    return answer


def held(call: Call, answer: Answer) -> Parked:
    """The answer, parked until the webhooks before it are answered or their time is over."""
    ready: Future[Answer] = Future()
    # Counted when it leaves: what comes first in a scenario's `in_order` comes first here.
    ready.add_done_callback(lambda _: record(call, "assertions", answer))

    def leave() -> None:
        with suppress(InvalidStateError):  # it left without them, or its client has gone
            ready.set_result(answer)

    when_all(call.held, leave)
    return Parked(ready, call.workspace.deciding.setting("before_response_timeout"), lambda: _late(call, answer))


def coming(later: Later, answer: Answer) -> Parked:
    """The answer, parked until its body is known."""
    ready: Future[Answer] = Future()
    made, stored = later.body, later.then

    def delivered(whole: Answer) -> Answer:
        for then in stored:
            then(whole)
        return whole

    def come(done: Future[Any]) -> None:
        whole = delivered(Answer(answer.status, made(done.result()), answer.headers))
        with suppress(InvalidStateError):  # it left without it, or its client has gone
            ready.set_result(whole)

    later.waits_for.add_done_callback(come)
    return Parked(ready, later.timeout_s, lambda: delivered(answer))


def when_all(waited_for: list[Waitable], leave: Callable[[], None]) -> None:
    """Calls `leave` once, when all of them are done."""
    most, numbers = len(waited_for), count(1)  # no two threads get the same number: `next` is one step

    def done(_: object) -> None:
        if next(numbers) == most:
            leave()

    for one in waited_for:
        one.add_done_callback(done)


def _late(call: Call, answer: Answer) -> Answer:
    """The answer with the reason why it waited no longer, which is also logged and put into the journal."""
    seconds = call.workspace.deciding.setting("before_response_timeout")
    text = (
        f"the receiver did not answer the webhook within {seconds:g} s, so this response was sent first. The receiver "
        "probably has a single worker, which is waiting for this call: give it a second worker, or make the call "
        "outside of its request handler"
    )
    note = Reason("webhook", text)
    logging.getLogger("mock_server.webhooks").warning("%s: %s", call.operation.name, text, extra=about(call))
    call.notes.insert(0, note)
    record(call, "note", note)
    if call.sandbox.settings.plain_headers:
        return answer
    others = tuple(pair for pair in answer.headers if pair[0] != BECAUSE)
    return Answer(answer.status, answer.body, (*others, (BECAUSE, because_text(call.notes))))
