"""A workspace's time: what it is, freezing, resuming and advancing it (decisions "Clock")."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mock_server.control import requests
from mock_server.control.binding import Control
from mock_server.control.requests.commands import AdvanceClock, FreezeClock
from mock_server.control.requests.limits import LATEST
from mock_server.domain.errors import Cause, FieldError, Refusal
from mock_server.domain.faults import HAS_LEFT
from mock_server.domain.instants import iso
from mock_server.http.context import Answer, Call
from mock_server.http.journal import write
from mock_server.http.show import show
from mock_server.sandbox import Workspace, timekeeping
from mock_server.sandbox.timekeeping import Fired

views = Control()


@views.view("control.clock")
def clock(call: Call) -> Answer:
    return show(clock_shown(call.home))


@views.view("control.clock_freeze", requests.FREEZE)
def freeze(call: Call, command: FreezeClock) -> Answer:
    return _moved(call, timekeeping.freeze(call.home, command.at))


@views.view("control.clock_resume", requests.NOTHING)
def resume(call: Call, command: None) -> Answer:
    return _moved(call, timekeeping.resume(call.home))


@views.view("control.clock_advance", requests.ADVANCE)
def advance_clock(call: Call, command: AdvanceClock) -> Answer:
    deliveries = call.sandbox.deliveries if command.deliver else None
    has_left = call.environ.get(HAS_LEFT, _stays)
    done = timekeeping.advance(call.home, lambda now: target(command, now), deliveries, has_left)
    left = {"deliveries_left": done.left} if done.left else {}
    return _moved(call, done.now, {"fired": [_fired(one) for one in done.fired], **left})


def _stays() -> bool:
    """What is known of a client without a line: it waits."""
    return False


def _moved(call: Call, now: int, more: Mapping[str, object] = MappingProxyType({})) -> Answer:
    """How the time stands after a move, which is kept for the stories of payments."""
    write(call, show({"now": iso(now)}))
    return show({**clock_shown(call.home), "now": iso(now), **more})


def target(command: AdvanceClock, now: int) -> int:
    """The instant that a command advances to. Refused as `value_invalid` beyond what a clock can show."""
    to = command.to if command.to is not None else now + (command.by or 0)
    if to > LATEST:
        raise Refusal(Cause.VALUE_INVALID, fields=(FieldError("by", "goes beyond the year 9000"),))
    return to


def clock_shown(workspace: Workspace) -> dict[str, Any]:
    """How a workspace's time stands."""
    clock = workspace.clock
    head = workspace.space.transact(lambda tx: tx.next_due())
    return {
        "now": iso(workspace.now()),
        "frozen": clock.frozen_at is not None,
        "advancing": clock.advancing,
        "next_due": None if head is None else _due(head.at, head.what, head.subject),
    }


def _fired(one: Fired) -> dict[str, Any]:
    return _due(one.at, one.what, one.subject)


def _due(at: int, what: str, subject: str) -> dict[str, Any]:
    return {"at": iso(at), "what": what, "subject": subject}
