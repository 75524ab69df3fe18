"""How many bytes are kept of each sort: in one space, and in all spaces of a server together.

What two sorts share (an event and a line of the journal show the same payment) weighs in both, so a bound is kept with
something to spare.
"""

from __future__ import annotations

from collections.abc import Mapping
from sys import getsizeof
from threading import Lock
from typing import Any, Final

from msgspec import Struct

UNBOUNDED: Final = 1 << 62
STEP: Final = 16_384
"""A space adds what it keeps to the server's total in steps of so many bytes."""
REPORTED_EVERY: Final = 256
"""After the first that falls out, so many are reported at once."""
LINE: Final = 128
RECORD: Final = 512
FACT: Final = 1_024
"""What one line, record or text costs beside its bytes: also many empty ones are bounded."""


class Most(Struct, frozen=True):
    """How many bytes may be kept of a sort, in one space and in all together."""

    here: int = UNBOUNDED
    total: int = UNBOUNDED


class Total:
    """What all spaces keep of one sort."""

    __slots__ = ("bytes", "lock", "most")

    def __init__(self, most: int) -> None:
        self.lock = Lock()
        self.most = most
        self.bytes = 0

    @property
    def over(self) -> int:
        """How many bytes are kept too many."""
        return self.bytes - self.most


class Pan:
    """What one space keeps of one sort; whoever changes `here` holds the space's lock."""

    __slots__ = ("_report_at", "_total", "dropped", "here", "most", "reported")

    def __init__(self, most: int = UNBOUNDED, total: Total | None = None) -> None:
        self.most = most
        self.here = 0
        self.reported = 0
        self.dropped = 0
        """What fell out since it was last reported."""
        self._report_at = 1
        self._total = total

    @property
    def is_over(self) -> bool:
        """Whether this space keeps too much."""
        return self.here > self.most

    @property
    def room(self) -> int:
        """How many bytes may still be kept, here and in all spaces together."""
        here = self.most - self.here
        return here if self._total is None else min(here, -self._total.over - (self.here - self.reported))

    @property
    def is_heavy(self) -> bool:
        """Whether there is something to report: so many bytes more or less, or something that fell out."""
        return self.dropped >= self._report_at or not -STEP < self.here - self.reported < STEP

    def report(self) -> bool:
        """Adds what is kept here to the total; whether all spaces together keep too much."""
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
        """Takes what is kept here out of the total: the space is closed."""
        total = self._total
        if total is not None:
            with total.lock:
                total.bytes -= self.reported
                self._total = None

    def fall(self) -> int:
        """How many fell out since this was last asked."""
        fallen, self.dropped = self.dropped, 0
        self._report_at = REPORTED_EVERY
        return fallen


class ByteBounds:
    """A server's totals by sort, and a pan for each sort of each space."""

    def __init__(self, most: Mapping[str, Most]) -> None:
        self.most = most
        self.totals = {sort: Total(one.total) for sort, one in most.items()}

    def pans(self) -> dict[str, Pan]:
        """The pans of a new space."""
        return {sort: Pan(one.here, self.totals[sort]) for sort, one in self.most.items()}


def weight_of(fact: Any) -> int:
    """About how many bytes the texts of a fact take."""
    if fact is None:
        return 0
    values = fact.values() if isinstance(fact, Mapping) else (fact,)
    return FACT + sum(getsizeof(value) for value in values if isinstance(value, str | bytes))
