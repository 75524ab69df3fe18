"""A bell: rung by whoever changes something, heard by whoever waits for that; it is kept nowhere."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from mock_server.store.waiting import Wake, call_each


class Signal:
    """`number` is another one after each ring; no two rings share one, so none is ever missed."""

    __slots__ = ("_numbers", "_waiting", "number")

    def __init__(self) -> None:
        self.number = 0
        self._numbers = count(1)
        self._waiting: set[Wake] = set()

    def ring(self) -> None:
        """Tells everybody who waits; on this thread, so they must be quick."""
        self.number = next(self._numbers)
        if self._waiting:
            call_each(tuple(self._waiting))

    def on_ring(self, wake: Wake) -> Callable[[], None]:
        """Calls `wake` at each ring; gives the undo."""
        self._waiting.add(wake)
        return lambda: self._waiting.discard(wake)
