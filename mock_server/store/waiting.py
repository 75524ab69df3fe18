"""Waiting for news: for a log's next line, or for a signal that is not stored."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from itertools import count
from threading import Lock

Wake = Callable[[], None]


class LogWaiters:
    """The last line of every log, and who waits for the next; its own lock lets a space close while work goes on."""

    __slots__ = ("_lock", "closed", "last", "listeners", "published")

    def __init__(self) -> None:
        self.closed = False
        self._lock = Lock()
        self.last: dict[str, int] = {}
        """The number of each log's last line."""
        self.published: Callable[[dict[str, int]], None] = self.last.update
        """Notes the last lines of logs; called in the order of the lines."""
        self.listeners: dict[str, list[Wake]] = {}
        """Mostly none: who writes looks here before a call of `wake`."""

    def wake(self, logs: Iterable[str]) -> None:
        """Wakes all who wait for these logs; called without a lock."""
        for log in logs:
            call_each(tuple(self.listeners.get(log, ())))

    def on_append(self, log: str, wake: Wake) -> Callable[[], None]:
        """Calls `wake` after each line and at the close (at once if closed already); gives the undo."""
        with self._lock:
            if not self.closed:
                self.listeners.setdefault(log, []).append(wake)
                return lambda: self._leave(log, wake)
        wake()
        return lambda: None

    def close(self) -> None:
        """Ends all waits, once."""
        with self._lock:
            if self.closed:
                return
            self.closed = True
            listeners, self.listeners = self.listeners, {}
        for wakes in listeners.values():
            call_each(wakes)

    def _leave(self, log: str, wake: Wake) -> None:
        with self._lock:
            wakes = self.listeners.get(log, [])
            if wake in wakes:
                wakes.remove(wake)
            if not wakes:
                self.listeners.pop(log, None)


def call_each(wakes: Iterable[Wake]) -> None:
    """Calls each listener; an exception of one does not fail the call that wrote or changed something."""
    for wake in wakes:
        try:
            wake()
        except Exception:
            logging.getLogger(__name__).exception("a listener failed")


class Signal:
    """A bell: rung after a change, heard by everybody who waits for it.

    `number` changes with each ring and is never reused, so no ring is missed.
    """

    __slots__ = ("_numbers", "_waiting", "number")

    def __init__(self) -> None:
        self.number = 0
        self._numbers = count(1)
        self._waiting: set[Wake] = set()

    def ring(self) -> None:
        """Calls all listeners; on this thread, so they must be quick."""
        self.number = next(self._numbers)
        if self._waiting:
            call_each(tuple(self._waiting))

    def on_ring(self, wake: Wake) -> Callable[[], None]:
        """Calls `wake` at each ring; gives the undo."""
        self._waiting.add(wake)
        return lambda: self._waiting.discard(wake)
