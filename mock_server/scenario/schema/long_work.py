"""Long work beside a server that answers: one at a time, in short turns, and with no pause of the collector in it.

A thread that only computes gives way every five milliseconds, several such threads one after the other, and a full
collection not at all. Whoever waits for one short answer would wait for all of that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Final, TypeVar

from mock_server.clock import Slices, uncollected

T = TypeVar("T")
SHORT: Final = 16_384
"""Signs of a text that is read in a few milliseconds, and so need not wait for a longer one (ours)."""
_SLICES: Final[ContextVar[Slices | None]] = ContextVar("long_work", default=None)
_ONE: Final = Lock()


@contextmanager
def long_work(size: int) -> Iterator[None]:
    """Within it a text of this size is worked on; a long one waits until the one before it is done."""
    if size <= SHORT:
        yield
        return
    with _ONE:
        token = _SLICES.set(Slices())
        try:
            with uncollected():
                yield
        finally:
            _SLICES.reset(token)


def slices() -> Slices | None:
    """What gives other threads their turns while long work is done; None while none is."""
    return _SLICES.get()


def in_turns(items: Iterable[T]) -> Iterable[T]:
    """The items; while long work is done, other threads get their turns in between."""
    turns = slices()
    return items if turns is None else _in_turns(items, turns)


def _in_turns(items: Iterable[T], turns: Slices) -> Iterator[T]:
    for item in items:
        yield item
        turns()
