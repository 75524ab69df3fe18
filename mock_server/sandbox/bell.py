"""A bell: rung by whoever changes something, heard by whoever waits for that; it is kept nowhere."""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import count
from typing import Final

Wake = Callable[[], None]
_LOG: Final = logging.getLogger("mock_server.sandbox")


class Bell:
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
            for wake in tuple(self._waiting):
                _call(wake)

    def on_ring(self, wake: Wake) -> Callable[[], None]:
        """Calls `wake` at each ring; gives the undo."""
        self._waiting.add(wake)
        return lambda: self._waiting.discard(wake)


def _call(wake: Wake) -> None:
    """Calls; what it raises is its own matter, and no reason to fail whoever changed something."""
    try:
        wake()
    except Exception:
        _LOG.exception("a listener failed")
