"""Time: nothing else in the package reads the machine's clock."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.machinery import BuiltinImporter
from threading import Lock, Semaphore, local
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    import time
else:  # a copy: test tools such as freezegun stop the functions of the module that all share, and not in all frames
    time = BuiltinImporter.create_module(BuiltinImporter.find_spec("time"))
    BuiltinImporter.exec_module(time)

processor_s = time.thread_time
"""Seconds of processor time that this thread has used."""


class Clock(Protocol):
    """Real time, in the two forms that the server needs."""

    def now_ms(self) -> int:
        """Return the wall time in milliseconds since the epoch, UTC."""

    def monotonic(self) -> float:
        """Return seconds that never run backwards, for delays and time-outs."""


class SystemClock:
    """The machine's own clock. If that is set back, the wall time goes on until the machine's has caught up."""

    def __init__(
        self, wall_ns: Callable[[], int] = time.time_ns, even_ns: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._wall_ns, self._even_ns = wall_ns, even_ns
        self._last, self._set_back = 0, (0, 0)

    def now_ms(self) -> int:
        now = self._wall_ns() // 1_000_000
        if now < self._last:
            now, at, (shown, then) = self._last, self._even_ns() // 1_000_000, self._set_back
            now += max(0, at - then) if shown == now else 0
            self._set_back = now, max(at, then)
        self._last = now
        return now

    def follow(self) -> None:
        """Goes back to the machine's time, where nothing is left whose time must not run backwards."""
        self._last = 0

    monotonic = staticmethod(time.monotonic)


class Slices:
    """Cuts long work into slices, so that the other threads of the process can run: called between its steps.

    The interpreter switches threads by itself too, but each of their steps would wait for its switch interval.
    """

    def __init__(self, work_s: float = 0.002, rest_s: float = 0.0005) -> None:
        self._work_s = work_s
        self._rest_s = rest_s
        self._until = time.perf_counter() + work_s

    def __call__(self) -> None:
        """Sleeps a moment if the slice is over."""
        if time.perf_counter() >= self._until:
            time.sleep(self._rest_s)
            self._until = time.perf_counter() + self._work_s


_COUNTING: Final = Lock()
_was_on: Final[list[bool]] = []
"""Whether garbage was collected before each of those who work without it now; the first entry is about the process."""


@contextmanager
def uncollected() -> Iterator[None]:
    """Turns the garbage collector off during long work without reference cycles; the last of several turns it on."""
    with _COUNTING:
        _was_on.append(gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _COUNTING:
            if _was_on.pop() and not _was_on:
                gc.enable()


_TURN: Final = local()


@contextmanager
def in_turn(turn: Semaphore) -> Iterator[None]:
    """Computes while the thread has its turn."""
    with turn:
        _TURN.held = turn
        try:
            yield
        finally:
            _TURN.held = None


@contextmanager
def turn_given_up() -> Iterator[None]:
    """Lets another thread have this one's turn, if it has one, while it waits for another server."""
    turn: Semaphore | None = getattr(_TURN, "held", None)
    if turn is None:
        yield
        return
    turn.release()
    try:
        yield
    finally:
        turn.acquire()
