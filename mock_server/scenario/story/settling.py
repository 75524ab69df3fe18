"""When a workspace has settled: no event is on its way to a receiver; and when nothing more can happen there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from operator import not_
from threading import Event
from typing import Any, Final

from mock_server.clock import SystemClock

MOST: Final = 1_000
LOOK_EVERY_MS: Final = 50
"""How often a pending delivery is checked (ours)."""
Read = Callable[[str], Any]
"""Gives the answer to a GET of a path below `/_sandbox/`."""


def settle(read: Read, timeout_s: float) -> None:
    """Waits until no first attempt is being made or due by the workspace's clock, at most this real time."""
    awaited(read, lambda: _is_sending(read), not_, timeout_s)


def awaited(read: Read, look: Callable[[], Any], is_enough: Callable[[Any], bool], within_s: float) -> Any:
    """What `look` finds when that is enough, when nothing more can happen without a call, or after a real time."""
    clock = SystemClock()
    end = clock.monotonic() + within_s
    while not is_enough(found := look()) and (left_s := end - clock.monotonic()) > 0:
        if not _can_change(read, left_s):
            return look()
        Event().wait(LOOK_EVERY_MS / 1000)
    return found


def _can_change(read: Read, within_s: float) -> bool:
    clock = read("clock")  # first: what is scheduled makes events
    to = datetime.fromisoformat(clock["now"]) + timedelta(seconds=0 if clock["frozen"] else within_s)
    told = read(f"webhooks?limit={MOST}")["data"]
    due = [one["next_attempt_at"] for one in told if one["fate"] is None and not one["is_delivered"]]
    due += [clock["next_due"]["at"]] if clock["next_due"] else []
    return len(told) == MOST or clock["advancing"] or any(at is None or datetime.fromisoformat(at) <= to for at in due)


def _is_sending(read: Read) -> bool:
    told = read(f"webhooks?limit={MOST}")["data"]
    waiting = [one["next_attempt_at"] for one in told if is_on_its_way(one)]
    now = read("clock")["now"] if waiting else ""
    return any(due is None or due <= now for due in waiting)


def is_on_its_way(event: Mapping[str, Any]) -> bool:
    """Whether the first delivery attempt of an event is still to come."""
    return not event["deliveries"] and event["is_delivered"] is None and event["fate"] is None
