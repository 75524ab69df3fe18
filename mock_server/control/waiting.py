"""Long polls: an answer that is parked until there is enough to tell, its time is over, or its workspace has gone."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress

from mock_server.control.stages import with_headers
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.faults import Parked
from mock_server.http.context import Answer, Call
from mock_server.http.errors import answer_refusal


def when_enough(
    call: Call, log: str, look: Callable[[], Answer | None], so_far: Callable[[], Answer], wait_s: float
) -> Answer:
    """The answer that `look` gives, at once or after a line of the log; what there is by then when the time is over.

    `look` gives None while there is not enough; it is asked again after each line, by whoever wrote it, so it must
    be quick. A reset ends the wait with `workspace_gone`.
    """
    enough = look()
    if enough is not None or wait_s <= 0:
        return enough or so_far()
    space = call.home.space
    ready: Future[Answer] = Future()

    def wake() -> None:
        if ready.done():
            return
        answer = answer_refusal(INTERFACE, Refusal(Cause.WORKSPACE_GONE)) if space.closed else look()
        if answer is not None:
            # Two writers may both have brought enough, or the time is just over.
            with suppress(InvalidStateError):
                ready.set_result(with_headers(call, answer))

    leave = space.on_append(log, wake)
    ready.add_done_callback(lambda _: leave())
    wake()  # what came between the first look and now
    call.parked = Parked(ready, wait_s, lambda: with_headers(call, so_far()))
    return Answer(200, b"")
