"""A fixed window of one minute of the workspace's clock (interface §8.4; decisions "Rate limit")."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

WINDOW_MS: Final = 60_000


class Usage(Struct, frozen=True):
    """One call's place in its window; `reset_at_s` is in real time (Unix seconds), as clients compare it."""

    limit: int
    count: int
    reset_at_s: int
    seconds_left: int
    refuses: bool = True
    frozen: bool = False

    @property
    def remaining(self) -> int:
        """Calls left in the window."""
        return max(0, self.limit - self.count)

    @property
    def over(self) -> bool:
        """Whether this call is one too many."""
        return self.refuses and self.count > self.limit


def usage(limit: int, count: int, now: int, real_now: int, refuses: bool, frozen: bool) -> Usage:
    """A call's place in the window that `now` lies in; the window's end is told in real time."""
    left_ms = WINDOW_MS - now % WINDOW_MS
    return Usage(limit, count, -(-(real_now + left_ms) // 1000), max(1, -(-left_ms // 1000)), refuses, frozen)
