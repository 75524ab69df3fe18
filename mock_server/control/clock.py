"""A workspace's time: showing, freezing, resuming and advancing it (decisions "Clock")."""

from __future__ import annotations

from typing import Any

from mock_server.contract.answers.fields import AnswerShape
from mock_server.control.answers import answer
from mock_server.control.answers.server import ADVANCED, CLOCK
from mock_server.control.stages import view
from mock_server.domain.errors import Cause, FieldError, Refusal
from mock_server.domain.faults import HAS_LEFT
from mock_server.domain.instants import LATEST, iso
from mock_server.http.binding import show
from mock_server.http.recording import enter
from mock_server.http.running import Answer, Call
from mock_server.sandbox import Workspace, timekeeping


@view("control.clock")
def clock(call: Call) -> Answer:
    return answer(CLOCK, **clock_shown(call.home))


@view("control.clock_freeze")
def freeze(call: Call, at: int | None = None) -> Answer:
    return _moved(call, timekeeping.freeze(call.home, at))


@view("control.clock_resume")
def resume(call: Call) -> Answer:
    return _moved(call, timekeeping.resume(call.home))


@view("control.clock_advance")
def advance_clock(
    call: Call, *, by: int = 0, to: int | None = None, deliver: bool = True, join: bool = False
) -> Answer:
    """Advance by a time or to an instant; with `join`, a running advance is extended, and the call waits for nobody."""

    def target(now: int) -> int:
        if (at := now + by if to is None else to) > LATEST:
            raise Refusal(Cause.VALUE_INVALID, fields=(FieldError("by", "is after the year 9000"),))
        return at

    deliveries = call.sandbox.deliveries if deliver else None
    has_left = call.environ.get(HAS_LEFT, lambda: False)  # without a connection the client cannot leave
    joined = timekeeping.join(call.home, target) if join else None
    done = joined or timekeeping.advance(call.home, target, deliveries, has_left)
    more = {"fired": done.fired, "deliveries_left": done.left, "joined": joined is not None}
    return _moved(call, done.now, ADVANCED, **more)


def _moved(call: Call, now: int, shape: AnswerShape[Any] = CLOCK, **more: object) -> Answer:
    """The clock after a change, which is stored for the timelines of payments."""
    enter(call, show({"now": iso(now)}))
    return answer(shape, **{**clock_shown(call.home), "now": now}, **more)


def clock_shown(workspace: Workspace) -> dict[str, Any]:
    """A workspace's clock, by the names of rows."""
    clock = workspace.clock
    return {
        "now": workspace.now(),
        "frozen": clock.frozen_at is not None,
        "advancing": clock.advancing,
        "next_due": workspace.space.transact(lambda tx: tx.next_due()),
    }
