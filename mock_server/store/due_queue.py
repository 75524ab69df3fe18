"""The scheduled events of one space, by (time, sequence): one lane per kind of event, and an index by subject."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial
from heapq import heapify, heappop, heappush
from operator import attrgetter
from typing import Any

import msgspec

from mock_server.store.protocol import NEVER, Due, Undo

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(tuple[int, str, str, str]).decode
_order = attrgetter("at", "sequence")
_STALE = 4096
"""Number of marks of deleted entries that may stay in the lanes, however few entries there are."""
_SPAN_BITS = 16
"""A span is 65 536 ms."""
_SEQUENCE_BITS = 48
_SEQUENCE = (1 << _SEQUENCE_BITS) - 1
_WITHIN = (1 << _SPAN_BITS) - 1


class DueQueue:
    """Entries as packed (at, what, subject, argument) by sequence; lanes only determine their order."""

    __slots__ = ("_lanes", "_subjects", "earliest", "entries", "marks", "next_sequence")

    def __init__(self) -> None:
        self.entries: dict[int, bytes] = {}
        self.next_sequence = 0
        self.earliest = NEVER
        """The earliest time; can be read without the lock."""
        self._lanes: defaultdict[str, DueLane] = defaultdict(DueLane)
        self.marks = 0
        self._subjects: dict[str, int | bytes] = {}

    def schedule(self, at: int, what: str, subject: str, argument: str) -> tuple[Due, Undo]:
        """Adds an entry; gives it and its undo."""
        due = Due(at, self.next_sequence, what, subject, argument)
        self.put(due)
        return due, partial(self._take_back, due)

    def put(self, due: Due) -> None:
        """Adds an entry with its sequence."""
        self.entries[due.sequence] = _pack((due.at, due.what, due.subject, due.argument))
        self.next_sequence = max(self.next_sequence, due.sequence + 1)
        self._mark(due.what, due.at, due.sequence)
        self._point(due.subject, due.sequence)
        self.earliest = min(self.earliest, due.at)

    def unschedule(self, what: str | None, subject: str) -> list[Due]:
        """Cancels the entries of a subject: of one kind, or all."""
        gone = [due for due in self.of(subject) if what is None or due.what == what]
        for due in gone:
            self.remove(due)
        return gone

    def of(self, subject: str) -> list[Due]:
        """The entries of a subject, in order."""
        pointed = self._subjects.get(subject, b"")
        sequences = [pointed] if isinstance(pointed, int) else array("Q", pointed)
        return sorted(map(self._due, sequences), key=_order)

    def head(self, what: Iterable[str] | None = None) -> Due | None:
        """The earliest entry (of some kinds), or None."""
        names = list(self._lanes) if what is None else what
        heads = [head for name in names if (head := self._head(name)) is not None]
        return min(heads, key=_order, default=None)

    def take(self, until: int, what: Iterable[str] | None) -> Due | None:
        """Removes and gives the earliest entry at or before a time (of some kinds)."""
        if self.earliest > until:
            return None
        due = self.head(what)
        if due is None or due.at > until:
            return None
        self.remove(due)
        return due

    def all(self) -> list[Due]:
        """Every entry in order."""
        return sorted(map(self._due, self.entries), key=_order)

    def containers(self) -> Iterator[Any]:
        """The large containers in it."""
        yield self.entries
        yield self._subjects

    def _due(self, sequence: int) -> Due:
        at, what, subject, argument = _unpack(self.entries[sequence])
        return Due(at, sequence, what, subject, argument)

    def _head(self, name: str) -> Due | None:
        """The earliest entry of a lane, after removing marks of deleted entries."""
        lane = self._lanes.get(name)
        while lane is not None and (mark := lane.head()) is not None:
            at, sequence = mark
            if sequence in self.entries:
                due = self._due(sequence)
                if due.at == at and due.what == name:
                    return due
            lane.pop()
            self.marks -= 1
        return None

    def _mark(self, name: str, at: int, sequence: int) -> None:
        self._lanes[name].push(at, sequence)
        self.marks += 1

    def _point(self, subject: str, sequence: int) -> None:
        pointed = self._subjects.get(subject)
        if pointed is None:
            self._subjects[subject] = sequence
        elif isinstance(pointed, int):
            self._subjects[subject] = array("Q", (pointed, sequence)).tobytes()
        else:
            self._subjects[subject] = pointed + array("Q", (sequence,)).tobytes()

    def _unpoint(self, subject: str, sequence: int) -> None:
        pointed = self._subjects[subject]
        rest = b""
        if not isinstance(pointed, int):
            rest = array("Q", [other for other in array("Q", pointed) if other != sequence]).tobytes()
        if rest:
            self._subjects[subject] = rest
        else:
            del self._subjects[subject]

    def remove(self, due: Due) -> None:
        """Cancels one entry."""
        del self.entries[due.sequence]
        self._unpoint(due.subject, due.sequence)
        if self.marks > _STALE + 2 * len(self.entries):
            self._lanes, self.marks = defaultdict(DueLane), 0
            for other in map(self._due, self.entries):
                self._mark(other.what, other.at, other.sequence)
        if due.at <= self.earliest:
            head = self.head()
            self.earliest = NEVER if head is None else head.at

    def _take_back(self, due: Due) -> None:
        self.remove(due)
        self.next_sequence = due.sequence


class DueLane:
    """One kind of event as (time, sequence), the earliest first: millions may wait, few are inspected.

    Distant entries are in one unsorted array per minute or so; only the nearest such minute is a heap. A cancelled
    entry stays here until it is next; callers must know which entries are still valid.
    """

    __slots__ = ("_far", "_near", "_near_span", "_spans")

    def __init__(self) -> None:
        self._near: list[int] = []
        self._near_span = 0
        self._far: dict[int, array[int]] = {}
        self._spans: list[int] = []

    def push(self, at: int, sequence: int) -> None:
        span, mark = at >> _SPAN_BITS, (at & _WITHIN) << _SEQUENCE_BITS | sequence
        if self._near and span == self._near_span:
            heappush(self._near, mark)
        else:
            self._put_far(span, array("Q", (mark,)))

    def head(self) -> tuple[int, int] | None:
        """The earliest pair, or None."""
        if self._spans and (not self._near or self._spans[0] < self._near_span):
            self._come_near()
        if not self._near:
            return None
        mark = self._near[0]
        return self._near_span << _SPAN_BITS | mark >> _SEQUENCE_BITS, mark & _SEQUENCE

    def pop(self) -> None:
        """Removes the pair that `head` gave."""
        heappop(self._near)

    def _come_near(self) -> None:
        if self._near:
            self._put_far(self._near_span, array("Q", self._near))
        self._near_span = heappop(self._spans)
        self._near = self._far.pop(self._near_span).tolist()
        heapify(self._near)

    def _put_far(self, span: int, marks: array[int]) -> None:
        lying = self._far.get(span)
        if lying is None:
            self._far[span] = marks
            heappush(self._spans, span)
        else:
            lying.extend(marks)
