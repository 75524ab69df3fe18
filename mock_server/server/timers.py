"""Callbacks that wait for an instant, in the order of their instants."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count
from typing import Final

KEPT_CANCELLED: Final = 256


class Timer:
    """One callback that waits; cancelled, it will not be called."""

    __slots__ = ("_owner", "then")

    def __init__(self, owner: Timers, then: Callable[[], object]) -> None:
        self._owner = owner
        self.then: Callable[[], object] | None = then

    def cancel(self) -> None:
        """Forget the callback; again, or after it was called, this does nothing."""
        if self.then is not None:
            self.then = None
            self._owner.note_cancelled()


class Timers:
    """The timers of one loop; instants are seconds of whatever clock the loop reads."""

    __slots__ = ("_cancelled", "_heap", "_numbers")

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Timer]] = []
        self._numbers = count()
        self._cancelled = 0

    def __len__(self) -> int:
        """Return how many timers are kept, cancelled ones included."""
        return len(self._heap)

    def add(self, at: float, then: Callable[[], object]) -> Timer:
        """Have `then` called once `at` has come."""
        timer = Timer(self, then)
        heapq.heappush(self._heap, (at, next(self._numbers), timer))
        return timer

    def next_at(self) -> float | None:
        """Return the instant of the earliest timer, None without any."""
        heap = self._heap
        while heap and heap[0][2].then is None:
            heapq.heappop(heap)
            self._cancelled -= 1
        return heap[0][0] if heap else None

    def take_due(self, now: float) -> list[Callable[[], object]]:
        """Return the callbacks whose instant has come, earliest first, and forget them."""
        due: list[Callable[[], object]] = []
        while (at := self.next_at()) is not None and at <= now:
            timer = heapq.heappop(self._heap)[2]
            if timer.then is not None:
                due.append(timer.then)
                timer.then = None
        return due

    def note_cancelled(self) -> None:
        """Sweep the heap when most of it is cancelled, so that timers called off early do not pile up."""
        self._cancelled += 1
        if self._cancelled > KEPT_CANCELLED and self._cancelled * 2 > len(self._heap):
            self._heap = [entry for entry in self._heap if entry[2].then is not None]
            heapq.heapify(self._heap)
            self._cancelled = 0
