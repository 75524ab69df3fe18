"""Long work beside a server that answers: one at a time, in short turns, and with no pause of the collector in it.

A thread that only computes gives way every five milliseconds, several such threads one after the other, and a full
collection not at all. Whoever waits for one short answer would wait for all of that.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from threading import Lock
from typing import Final, TypeVar

from mock_server.clock import give_way

T = TypeVar("T")
SHORT: Final = 16_384
"""Signs of a text that is read in a few milliseconds, and so need not wait for a longer one (ours)."""
AT_ONCE: Final = 32
"""After how many small things another thread may go on: less than a millisecond's work."""
_IS_LONG: Final[ContextVar[bool]] = ContextVar("long_work", default=False)
_ONE: Final = Lock()


@contextmanager
def long_work(size: int) -> Iterator[None]:
    """Within it a text of this size is worked on; a long one waits until the one before it is done.

    Nothing that is made of a text leads round in a circle, so there is nothing for the collector to find meanwhile.
    """
    if size <= SHORT:
        yield
        return
    with _ONE:
        token, was_on = _IS_LONG.set(True), gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            _IS_LONG.reset(token)
            if was_on:
                gc.enable()


def in_turns(items: Iterable[T], at_once: int = AT_ONCE) -> Iterable[T]:
    """The items; while long work is done, other threads get their turn after every few."""
    return _in_turns(items, at_once) if _IS_LONG.get() else items


def _in_turns(items: Iterable[T], at_once: int) -> Iterator[T]:
    rest = iter(items)
    while part := list(islice(rest, at_once)):
        yield from part
        give_way()
