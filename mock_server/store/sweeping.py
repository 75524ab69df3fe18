"""Frees the memory of closed spaces in slices, so that nobody waits for it."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any
from weakref import finalize, ref

from mock_server.store.state import SpaceState

_LIGHT = 1000
"""A state with fewer objects is freed at once."""
_SLICE = 256
_GIVE_BACK_EACH = 100
"""After this number of slices memory is returned: 2 to 4 ms each time, instead of 70 ms at once for a million."""
_PAUSE_S = 0.0005

_COLLECT_AFTER_S = (0.05, 0.5, 5.0)
"""Delay before collecting cycles that hold a closed space; by then its work in progress has ended."""

_Queue = SimpleQueue["SpaceState | ref[Any] | None"]


class Sweeper:
    """Frees the states of unused spaces; its thread starts with the first large one."""

    def __init__(self, swept: Callable[[], object] = lambda: None) -> None:
        self._queue: _Queue = SimpleQueue()
        self._swept = swept
        self.thread: Thread | None = None

    def watch(self, space: object, state: SpaceState) -> None:
        """Frees the state once the space is gone; work in progress on a closed space keeps it until then."""
        finalize(space, self.take, state).atexit = False

    def take(self, state: SpaceState) -> None:
        """Frees a state: a small one at once, a large one in the background."""
        if state.weight() < _LIGHT:
            return
        self._put(state)

    def loosen(self, space: object, state: SpaceState) -> None:
        """Ensures that a large closed space is freed, although its views form reference cycles with it.

        The garbage collector may never run by itself in an idle server.
        """
        if state.weight() >= _LIGHT:
            self._put(ref(space))

    def _put(self, what: SpaceState | ref[Any]) -> None:
        if self.thread is None:
            thread = Thread(target=_run, args=(self._queue, self._swept), name="store-sweeper", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # the system gives no thread now: what is let go of goes at once
                return
            self.thread = thread
            finalize(self, self._queue.put, None).atexit = False
        self._queue.put(what)


def _run(queue: _Queue, swept: Callable[[], object]) -> None:
    """The thread's work; it holds no reference to the sweeper, and ends with it."""
    never = Event()
    while (found := queue.get()) is not None:
        if isinstance(found, ref):
            _collect(found, never.wait)
            continue
        sweep(found, lambda: never.wait(_PAUSE_S))
        del found
        swept()


def _collect(space: ref[Any], pause: Callable[[float], object]) -> None:
    """Runs the garbage collector until the space is gone, or seems to be in use."""
    for seconds in _COLLECT_AFTER_S:
        pause(seconds)
        if space() is None:
            return
        gc.collect()


def sweep(state: SpaceState, pause: Callable[[], object]) -> None:
    """Frees a state, with a pause after each slice, and returns the memory to the system."""
    give_back = _giver()
    pause()
    for number, _ in enumerate(slices(state), 1):
        pause()
        if number % _GIVE_BACK_EACH == 0:
            give_back()
    give_back()


def _giver() -> Callable[[], object]:
    """Returns freed memory to the system: glibc only does so on request; elsewhere there is nothing to do."""
    import ctypes

    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return lambda: None
    return lambda: trim(0)


def slices(state: SpaceState) -> Iterator[None]:
    """Frees a state in slices."""
    state.record_cache.forget({table.serial for table in state.tables.values()})
    for container in _containers(state):
        while container:
            for _ in range(min(_SLICE, len(container))):
                _drop_one(container)
            yield


def _containers(state: SpaceState) -> Iterator[Any]:
    for table in state.tables.values():
        yield from table.containers()
    for log in state.logs.values():
        yield log.lines
    yield from state.due.containers()
    yield from state.claims.containers()


def _drop_one(container: Any) -> None:
    if isinstance(container, dict):
        container.popitem()
    else:
        container.pop()
