"""Freeing what a closed space held: in slices, so that nobody waits for it."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any
from weakref import finalize, ref

from mock_server.store.state import SpaceState

_LIGHT = 1000
"""A state of fewer objects is freed at once."""
_SLICE = 256
_GIVE_BACK_EACH = 100
"""After so many slices memory goes back: 2 to 4 ms each time, where all at once would be 70 ms for a million."""
_PAUSE_S = 0.0005

_COLLECT_AFTER_S = (0.05, 0.5, 5.0)
"""When circles are looked for that still hold a closed space; by then the work that was going on in it has ended."""

_Queue = SimpleQueue["SpaceState | ref[Any] | None"]


class Sweeper:
    """Takes states of spaces that nobody uses any more; its thread starts with the first heavy one."""

    def __init__(self, swept: Callable[[], object] = lambda: None) -> None:
        self._queue: _Queue = SimpleQueue()
        self._swept = swept
        self.thread: Thread | None = None

    def watch(self, space: object, state: SpaceState) -> None:
        """Takes the state once the space is gone; work that began on a closed space keeps it until then."""
        finalize(space, self.take, state).atexit = False

    def take(self, state: SpaceState) -> None:
        """Lets a state go: a light one at once, a heavy one in the background."""
        if state.weight() < _LIGHT:
            return
        self._put(state)

    def loosen(self, space: object, state: SpaceState) -> None:
        """Sees to it that a heavy space that was closed goes: its views hang together in circles with it.

        The collector would come by in its own time, which may be never in a server that has become quiet.
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
    """The thread's work; it does not know the sweeper, whose end is its own."""
    never = Event()
    while (found := queue.get()) is not None:
        if isinstance(found, ref):
            _collect(found, never.wait)
            continue
        sweep(found, lambda: never.wait(_PAUSE_S))
        del found
        swept()


def _collect(space: ref[Any], pause: Callable[[float], object]) -> None:
    """Collects until the space is gone, or somebody seems to want it."""
    for seconds in _COLLECT_AFTER_S:
        pause(seconds)
        if space() is None:
            return
        gc.collect()


def sweep(state: SpaceState, pause: Callable[[], object]) -> None:
    """Frees a state, with a pause after each slice, and gives the memory back to the machine."""
    give_back = _giver()
    pause()
    for number, _ in enumerate(slices(state), 1):
        pause()
        if number % _GIVE_BACK_EACH == 0:
            give_back()
    give_back()


def _giver() -> Callable[[], object]:
    """How freed memory goes back: glibc keeps it unless asked; elsewhere nothing is to be done."""
    import ctypes

    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return lambda: None
    return lambda: trim(0)


def slices(state: SpaceState) -> Iterator[None]:
    """Frees a state bit by bit."""
    state.hot.forget({table.serial for table in state.tables.values()})
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
