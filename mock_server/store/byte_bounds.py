"""How many bytes are stored of each kind of data: in one space, and in all spaces of a server together.

Data that two kinds share (an event and a journal entry show the same payment) counts in both, so limits are enforced
with a margin.
"""

from __future__ import annotations

from collections.abc import Mapping
from sys import getsizeof
from threading import Lock
from typing import Any, Final

from msgspec import Struct

UNBOUNDED: Final = 1 << 62
STEP: Final = 16_384
"""A space updates the server's total in steps of this number of bytes."""
REPORTED_EVERY: Final = 256
"""After the first dropped entry, this number is reported at once."""
LINE: Final = 128
RECORD: Final = 512
FACT: Final = 1_024
"""The size of an entry, record or text in addition to its bytes, so that many empty ones are limited too."""


class Most(Struct, frozen=True):
    """How many bytes of a kind may be stored, in one space and in all together."""

    here: int = UNBOUNDED
    total: int = UNBOUNDED


class Total:
    """The stored bytes of one kind in all spaces."""

    __slots__ = ("bytes", "lock", "most")

    def __init__(self, most: int) -> None:
        self.lock = Lock()
        self.most = most
        self.bytes = 0

    @property
    def over(self) -> int:
        """How many bytes are over the limit."""
        return self.bytes - self.most


class ByteCounter:
    """The stored bytes of one kind in one space; change `here` only with the space's lock."""

    __slots__ = ("_report_at", "_total", "dropped", "here", "most", "reported")

    def __init__(self, most: int = UNBOUNDED, total: Total | None = None) -> None:
        self.most = most
        self.here = 0
        self.reported = 0
        self.dropped = 0
        """Dropped entries since the last report."""
        self._report_at = 1
        self._total = total

    @property
    def is_over(self) -> bool:
        """Whether this space is over its limit."""
        return self.here > self.most

    @property
    def room(self) -> int:
        """How many more bytes may be stored, here and in all spaces together."""
        here = self.most - self.here
        return here if self._total is None else min(here, -self._total.over - (self.here - self.reported))

    @property
    def is_heavy(self) -> bool:
        """Whether there is something to report: a change of size, or dropped entries."""
        return self.dropped >= self._report_at or not -STEP < self.here - self.reported < STEP

    def report(self) -> bool:
        """Adds the size of this space to the total; gives whether all spaces together are over the limit."""
        total = self._total
        if total is None:
            return False
        if not -STEP < self.here - self.reported < STEP:
            with total.lock:
                if self._total is not None:
                    total.bytes += self.here - self.reported
                    self.reported = self.here
        return total.bytes > total.most

    def leave(self) -> None:
        """Removes the size of this space from the total, when it is closed."""
        total = self._total
        if total is not None:
            with total.lock:
                total.bytes -= self.reported
                self._total = None

    def fall(self) -> int:
        """How many entries were dropped since the last call."""
        fallen, self.dropped = self.dropped, 0
        self._report_at = REPORTED_EVERY
        return fallen


def weight_of(fact: Any) -> int:
    """The approximate size of a fact's texts, in bytes; each item of a list counts as a fact."""
    if fact is None:
        return 0
    if isinstance(fact, list):
        return sum(FACT + len(str(item)) for item in fact)
    values = fact.values() if isinstance(fact, Mapping) else (fact,)
    return FACT + sum(getsizeof(value) for value in values if isinstance(value, str | bytes))
