"""When a workspace has settled: no event is on its way to a receiver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from mock_server.clock import SystemClock

MOST: Final = 1_000
LOOK_EVERY_MS: Final = 50
"""How often a pending delivery is checked (ours)."""


def settle(read: Callable[[str], Any], timeout_s: float) -> None:
    """Waits until no first attempt is being made or due by the workspace's clock, at most these seconds of real time.

    `read` returns the answer to a GET of a path below `/_sandbox/`. The long poll ends when the workspace ends.
    """
    clock = SystemClock()
    until = clock.monotonic() + timeout_s
    while _is_sending(read) and (left := until - clock.monotonic()) > 0:
        read(f"webhooks?count={MOST}&limit=1&wait={max(1, min(round(left * 1000), LOOK_EVERY_MS))}ms")


def _is_sending(read: Callable[[str], Any]) -> bool:
    told = read(f"webhooks?limit={MOST}")["data"]
    waiting = [one["next_attempt_at"] for one in told if is_on_its_way(one)]
    now = read("clock")["now"] if waiting else ""
    return any(due is None or due <= now for due in waiting)


def is_on_its_way(event: Mapping[str, Any]) -> bool:
    """Whether the first delivery attempt of an event is still to come."""
    return not event["deliveries"] and event["is_delivered"] is None and event["fate"] is None
