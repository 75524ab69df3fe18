"""Append-only logs, bounded: what is over the bound falls out at the old end and is counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from mock_server.store import values
from mock_server.store.protocol import Entry

Undo = Callable[[], object]
Kept = bytes | tuple[bytes, bytes]
"""A line at rest: its packed value, and what it shares with others where there is any."""


def entry(sequence: int, kept: Kept) -> Entry:
    """A line that is read."""
    if isinstance(kept, tuple):
        return Entry(sequence, values.unpack(kept[0]), kept[1])
    return Entry(sequence, values.unpack(kept))


class Log:
    """Packed lines by sequence number; numbers go on when lines are gone."""

    __slots__ = ("bound", "dropped", "last", "lines")

    def __init__(self, bound: int | None = None) -> None:
        self.bound = bound
        self.lines: dict[int, Kept] = {}
        self.last = 0
        self.dropped = 0

    def append(self, value: Any, beside: bytes | None = None) -> tuple[int, Undo]:
        """Writes a line; gives its number and the way back."""
        packed = values.pack(value)
        kept: Kept = packed if beside is None else (packed, beside)
        self.last = sequence = self.last + 1
        self.lines[sequence] = kept
        if self.bound is None or len(self.lines) <= self.bound:
            return sequence, self._take_back
        oldest = sequence - self.bound
        fallen = self.lines.pop(oldest)
        self.dropped += 1
        return sequence, partial(self._take_back, oldest, fallen)

    def entries(self, after: int, limit: int | None) -> Sequence[Entry]:
        """The kept lines beyond a number, the oldest first."""
        first = max(after, self.last - len(self.lines)) + 1
        stop = self.last + 1 if limit is None else min(self.last + 1, first + limit)
        return [entry(sequence, self.lines[sequence]) for sequence in range(first, stop)]

    def amend(self, sequence: int, value: Any) -> Undo | None:
        """Writes a line's value anew; None if it is not kept any more."""
        old = self.lines.get(sequence)
        if old is None:
            return None
        packed = values.pack(value)
        self.lines[sequence] = (packed, old[1]) if type(old) is tuple else packed
        return partial(self.lines.__setitem__, sequence, old)

    def forget(self) -> tuple[int, Undo]:
        """Empties the log; gives how many lines went, and the way back."""
        old, self.lines = self.lines, {}
        return len(old), partial(setattr, self, "lines", old)

    def _take_back(self, oldest: int = 0, fallen: Kept | None = None) -> None:
        del self.lines[self.last]
        self.last -= 1
        if fallen is not None:
            self.lines[oldest] = fallen
            self.dropped -= 1
