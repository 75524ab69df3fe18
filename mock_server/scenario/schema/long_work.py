"""Long computations in a server that must keep answering: one at a time, in short turns, without garbage collection.

A thread that only computes is interrupted every five milliseconds, several such threads one after the other, and a
full collection never. Other calls would wait for all of that.
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
"""Characters of a text that is read in a few milliseconds, without waiting for others (ours)."""
_SLICES: Final[ContextVar[Slices | None]] = ContextVar("long_work", default=None)
slices: Final = _SLICES.get
"""Gives the object that lets other threads run during long work; None at other times."""
_ONE: Final = Lock()


@contextmanager
def long_work(size: int) -> Iterator[None]:
    """Within it a text of this size is processed; a long one waits until the one before it is done."""
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


def in_turns(items: Iterable[T]) -> Iterator[T]:
    """The items; during long work, other threads run in between."""
    turns = slices()
    for number, item in enumerate(items):
        yield item
        if turns is not None and not number % 8:  # asking the time takes as long as a short step
            turns()
