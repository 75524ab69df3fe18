"""The order of one kind's records and their indexes, kept consistent.

A position is the rank in (created, number). Records nearly always arrive in order and are appended. Those out of order
(history, two simultaneous calls) are appended as well, and are sorted in together before the order is used.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from heapq import merge
from operator import attrgetter
from typing import Any, Generic, TypeVar

from mock_server.domain.paging import Query
from mock_server.store.matching import Match, match
from mock_server.store.postings import STRETCH, Posting, Postings, grown, holds, lowest, moved, shrunk
from mock_server.store.protocol import Index

R = TypeVar("R")
Read = Callable[[str], R]
"""Gives the record of a key, for sorting in a short run."""

Rank = tuple[int, int]  # creation instant and number
HOLES = 1024
"""Number of holes that may stay, however few records there are."""
ALL = sys.maxsize
"""More than there are of anything."""
DECODED_COST = 64
"""Decoding a record takes about as long as checking this number of postings (measured)."""
_BITS = 10
_CHUNK = 1 << _BITS


class Columns(Generic[R]):
    """Some indexes of a kind: the positions of records by each of their values."""

    __slots__ = ("_postings", "_readers", "have_any", "nothing", "read")

    def __init__(self, indexes: Sequence[tuple[Index[R], Postings]]) -> None:
        self._postings = tuple((postings.held, postings.add, postings.discard) for _, postings in indexes)
        plain = (index.of if isinstance(index.of, str) else index.where for index, _ in indexes)
        self.read = attrgetter("__class__", "__class__", *plain)
        """Reads all attributes in one step; two that every object has ensure that it is always a tuple."""
        self.nothing = (None,) * len(indexes)
        self.have_any = False
        """Whether a record was ever entered here."""
        self._readers = tuple((at, index.of) for at, (index, _) in enumerate(indexes) if not isinstance(index.of, str))

    def values(self, record: R) -> tuple[object, ...]:
        """The record's values; TypeError for one that cannot be indexed."""
        values = list(self.read(record)[2:])
        for at, of in self._readers:
            if values[at] is not None:
                values[at] = of(record)
        found = tuple(values)
        hash(found)
        return found

    def enter(self, record: R, position: int) -> None:
        """Adds a record; TypeError for a value that cannot be indexed, with nothing written."""
        self.have_any = True
        for raw, (held, add, _) in zip(self.values(record), self._postings, strict=True):
            if raw is None:
                continue
            # What `Postings.add` does, without a call for most values: a record has a dozen of them.
            posting = held.get(raw)
            if posting is None and type(raw) is not tuple:
                held[raw] = position
            elif posting is None or type(posting) is int or type(posting) is bytes:
                add(raw, position)
            else:
                posting.add(position)

    def leave(self, record: R, position: int) -> None:
        """Removes a record."""
        for raw, (_, _, discard) in zip(self.values(record), self._postings, strict=True):
            discard(raw, position)

    def move(self, old: tuple[object, ...], new: tuple[object, ...], position: int) -> None:
        """Moves a record from its old values to its new ones."""
        for was, raw, (_, add, discard) in zip(old, new, self._postings, strict=True):
            if raw is not was and raw != was:
                discard(was, position)
                add(raw, position)


class Indexed(Generic[R]):
    """Positions by (created, number) and by the values of every index; before `entered` they are in all indexes."""

    __slots__ = (
        "_alive", "_all", "_decoded_cost", "_holes", "_late", "_soon", "entered", "postings", "ranks", "waiting_names",
    )  # fmt: skip

    def __init__(self, indexes: tuple[Index[R], ...], *, decoded_cost: int = DECODED_COST, holes: int = HOLES) -> None:
        self._decoded_cost = decoded_cost
        self._holes = holes
        self.ranks = Ranks()
        self._alive: Posting | None = None
        self.postings = {index.name: Postings() for index in indexes}
        pairs = [(index, self.postings[index.name]) for index in indexes]
        self._all, self._soon, self._late = (
            Columns([pair for pair in pairs if pair[0].on_demand in which])
            for which in ((False, True), (False,), (True,))
        )
        self.waiting_names = frozenset(index.name for index in indexes if index.on_demand)
        """The indexes that wait for the first question; none once all records are in them."""
        self.entered = 0 if self.waiting_names else ALL

    @property
    def waiting(self) -> int:
        """The number of positions whose records are not in all indexes yet."""
        return 0 if self.entered == ALL else len(self.ranks) - max(self.entered, self.ranks.gone)

    def complete(self, read: Read[R], most: int = ALL) -> bool:
        """Enters up to this number of the records that wait; whether all, and those to come, are in all indexes."""
        first, end = max(self.entered, self.ranks.gone), len(self.ranks)
        self.entered = min(first + most, end)
        for position in range(first, self.entered):
            if holds(self._alive, position):
                self._late.enter(read(self.ranks.keys[position]), position)
        if self.entered == end:
            self.entered, self.waiting_names = ALL, frozenset()
        return self.entered == ALL

    # one record

    def enter(self, created: int, number: int, key: str, record: R) -> None:
        """Adds a new record; TypeError for a value that cannot be indexed, with nothing written."""
        ranks = self.ranks
        at = len(ranks.created)
        position = ranks.gone + at
        if position < self.entered:
            self._all.enter(record, position)
        elif self._soon.read(record)[2:] != self._soon.nothing:
            self._soon.enter(record, position)
        if ranks.settled == at and (not at or ranks.created[-1] <= created):
            ranks.settled = at + 1
        ranks.created.append(created)
        ranks.numbers.append(number)
        ranks.keys.rest.append(key)
        if not (position + 1) % _CHUNK:
            ranks.keys.fold()
        alive = self._alive
        if alive is None or type(alive) is int or type(alive) is bytes:
            self._alive = position if alive is None else grown(alive, position)
        else:
            alive.add(position)

    def change(self, created: int, number: int, before: R, after: R) -> None:
        """Moves a record from its old values to its new ones."""
        columns = self._columns(0 if self.entered in (0, ALL) else self.ranks.locate(created, number))
        old, new = columns.values(before), columns.values(after)
        if old != new:
            columns.move(old, new, self.ranks.locate(created, number))

    def leave(self, created: int, number: int, record: Callable[[], R]) -> None:
        """Removes a record; its position stays as a hole. It is only read if an index may have it."""
        self._unmark(record, self.ranks.locate(created, number))

    def come_back(self, created: int, number: int, record: R) -> None:
        """Undoes a removal; nothing was tidied in between."""
        self._mark(record, self.ranks.locate(created, number))

    def withdraw(self, created: int, number: int, record: Callable[[], R]) -> None:
        """Undoes an addition, including the position."""
        position = self.ranks.locate(created, number)
        self._unmark(record, position)
        self._rename(position, range(position + 1, len(self.ranks)))
        self.ranks.drop(position)

    # all records

    def match(self, query: Query, read: Read[R], after: Rank | None = None, before: Rank | None = None) -> Match:
        """What matches between two ranks, with all records in order; KeyError for a filter without an index."""
        self._settle(read)
        start, stop = self.ranks.window(query.created_gte, query.created_lte)
        start = start if after is None else max(start, self.ranks.locate(*after) + 1)
        stop = stop if before is None else min(stop, self.ranks.locate(*before))
        return match(self.postings, self._alive, query.filters, start, max(start, stop))

    def first(self, read: Read[R]) -> str | None:
        """The key of the first record, or None."""
        if self.ranks.settled != len(self.ranks.created):  # as `_settle` asks, without a call
            self._settle(read)
        return None if self._alive is None else self.ranks.keys[lowest(self._alive)]

    def tidy(self, records: int, read: Read[R]) -> None:
        """Removes the holes if there are many, those at the front first; only when no removal may be undone."""
        ranks = self.ranks
        if len(ranks.created) - records > self._holes and ranks.is_settled:
            ranks.forget(len(ranks) if self._alive is None else lowest(self._alive))
        if len(ranks.created) - records > self._holes + records:
            alive = self.match(Query(), read)
            order = alive.page(0, alive.total, ascending=True)
            self._rename(ranks.gone, order)
            ranks.rearrange(ranks.gone, order)

    def containers(self) -> Iterator[Any]:
        """The large containers in it."""
        yield from (postings.held for postings in self.postings.values())
        yield self.ranks.keys.full

    # within

    def _columns(self, position: int) -> Columns[R]:
        """The indexes that have the record of a position, or get it with this change."""
        return self._all if position < self.entered else self._soon

    def _mark(self, record: R, position: int) -> None:
        self._columns(position).enter(record, position)
        self._alive = position if self._alive is None else grown(self._alive, position)

    def _unmark(self, record: Callable[[], R], position: int) -> None:
        columns = self._columns(position)
        if columns is self._all or columns.have_any:
            columns.leave(record(), position)
        self._alive = shrunk(self._alive, position)

    def _settle(self, read: Read[R]) -> None:
        """Sorts late records in: a short run record by record, a long one index by index."""
        if self.ranks.is_settled:
            return
        first, order = self.ranks.due_order()
        if first < self.entered < ALL:  # they may go where records wait: those that are in do so again
            for name in self.waiting_names:
                self.postings[name].held.clear()
            self.entered = 0
        if len(order) * self._decoded_cost < sum(len(postings.held) for postings in self.postings.values()):
            self._reenter(first, order, read)
        else:
            self._rename(first, order)
            self.ranks.rearrange(first, order)

    def _reenter(self, first: int, order: Sequence[int], read: Read[R]) -> None:
        keys = self.ranks.keys
        present = [(new, keys[old], old) for new, old in enumerate(order, first) if holds(self._alive, old)]
        for _, key, old in present:
            self._unmark(partial(read, key), old)
        self.ranks.rearrange(first, order)
        for new, key, _ in present:
            self._mark(read(key), new)

    def _rename(self, first: int, order: Sequence[int]) -> None:
        """Gives each old position from `first` on its new one in `order` (0 if it is dropped)."""
        if first < self.entered < ALL:  # the order is ascending then
            self.entered = first + bisect_left(order, self.entered)
        if not order:
            return
        renamed = array("I", bytes(4 * (len(self.ranks) - first)))
        for new, old in enumerate(order, first):
            renamed[old - first] = new
        for postings in self.postings.values():
            postings.move(first, renamed)
        if self._alive is not None:
            self._alive = moved(self._alive, first, renamed)


class Keys:
    """A list of strings, kept in tuples: a million of them is a thousand objects to the garbage collector."""

    __slots__ = ("full", "gone", "rest")

    def __init__(self) -> None:
        self.full: list[tuple[str, ...]] = []
        self.rest: list[str] = []
        self.gone = 0
        """The number of tuples that were dropped in front of these."""

    def fold(self) -> None:
        """Folds the rest into a tuple if it is long enough; after each key that was appended to it."""
        if len(self.rest) == _CHUNK:
            self.full.append(tuple(self.rest))
            self.rest = []

    def __getitem__(self, at: int) -> str:
        chunk = (at >> _BITS) - self.gone
        part = self.full[chunk] if chunk < len(self.full) else self.rest
        return part[at & (_CHUNK - 1)]

    def cut(self, length: int) -> None:
        """Drops all keys from an index on."""
        chunk = (length >> _BITS) - self.gone
        if chunk < len(self.full):
            self.rest = list(self.full[chunk])
            del self.full[chunk:]
        del self.rest[length & (_CHUNK - 1) :]


class Ranks:
    """Creation time, number and key of every position; those of removed records stay until a rearrangement."""

    __slots__ = ("created", "gone", "keys", "numbers", "settled")

    def __init__(self) -> None:
        self.created = array("q")
        self.numbers = array("I")
        self.keys = Keys()
        self.gone = 0
        """The first position of these arrays."""
        self.settled = 0
        """Up to this place in the arrays, they are in order; from here on they are in the order of their numbers."""

    def __len__(self) -> int:
        """The next position."""
        return self.gone + len(self.created)

    @property
    def is_settled(self) -> bool:
        """Whether all positions are in order."""
        return self.settled == len(self.created)

    def locate(self, created: int, number: int) -> int:
        """The position of an existing record."""
        numbers, gone = self.numbers, self.gone
        if gone <= number < gone + len(numbers) and numbers[number - gone] == number:
            return number
        settled = self.settled
        if settled < len(numbers) and number >= numbers[settled]:
            return gone + bisect_left(numbers, number, settled)
        low = bisect_left(self.created, created, 0, settled)
        return gone + bisect_left(numbers, number, low, bisect_right(self.created, created, low, settled))

    def window(self, gte: int | None, lte: int | None) -> tuple[int, int]:
        """The positions [start, stop) of records that were created within [gte, lte]; only when settled."""
        start = 0 if gte is None else bisect_left(self.created, gte)
        stop = len(self.created) if lte is None else bisect_right(self.created, lte)
        return self.gone + start, self.gone + max(start, stop)

    def due_order(self) -> tuple[int, list[int]]:
        """The first position that is out of order, and the positions from there on in the correct order."""
        settled, created = self.settled, self.created
        first = bisect_right(created, min(created[settled:]), 0, settled)
        rank, end = created.__getitem__, len(created)  # of one instant they stand in the order of their numbers
        parts = (sorted(range(at, min(at + STRETCH, end)), key=rank) for at in range(first, end, STRETCH))
        return self.gone + first, [self.gone + at for at in merge(*parts, key=rank)]

    def rearrange(self, first: int, order: Sequence[int]) -> None:
        """Reorders the positions from `first` on as in `order` (old positions; omitted ones are dropped)."""
        gone = self.gone
        created = array("q", [self.created[at - gone] for at in order])
        numbers = array("I", [self.numbers[at - gone] for at in order])
        keys = [self.keys[at] for at in order]
        del self.created[first - gone :]
        del self.numbers[first - gone :]
        self.keys.cut(first)
        self.created.extend(created)
        self.numbers.extend(numbers)
        for key in keys:
            self.keys.rest.append(key)
            self.keys.fold()
        self.settled = len(self.created)

    def drop(self, position: int) -> None:
        """Removes one position; those after it move down by one."""
        settled = self.settled
        self.rearrange(position, range(position + 1, len(self)))
        self.settled = settled - 1 if position - self.gone < settled else settled

    def forget(self, until: int) -> None:
        """Forgets the positions before one, in whole tuples of keys; nothing refers to them any more."""
        chunks = (until - self.gone) >> _BITS
        length = chunks << _BITS
        del self.created[:length], self.numbers[:length], self.keys.full[:chunks]
        self.gone += length
        self.keys.gone += chunks
        self.settled -= length
