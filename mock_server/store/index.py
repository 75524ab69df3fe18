"""The order of one kind's records and their indexes, kept consistent.

A position is the rank in (created, number). Records nearly always arrive in order and are appended. Those out of order
(history, two simultaneous calls) are appended as well, and are sorted in together before the order is used.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
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
DECODED_COST = 64
"""Decoding a record takes about as long as checking this number of postings (measured)."""
_BITS = 10
_CHUNK = 1 << _BITS


class Indexed(Generic[R]):
    """Positions of records by (created, number), and by every value of every index."""

    __slots__ = (
        "_alive", "_columns", "_decoded_cost", "_entries", "_holes", "_read", "_readers", "is_complete", "postings",
        "ranks",
    )  # fmt: skip

    def __init__(self, indexes: tuple[Index[R], ...], *, decoded_cost: int = DECODED_COST, holes: int = HOLES) -> None:
        self._decoded_cost = decoded_cost
        self._holes = holes
        self.ranks = Ranks()
        self._alive: Posting | None = None
        self.postings = {index.name: Postings() for index in indexes}
        """The indexes by their names; empty until they are complete."""
        self.is_complete = False
        """Whether the indexes have the records, and get each change: from when somebody needs them."""
        self._columns = tuple(
            (index.reader(), self.postings[index.name].add, self.postings[index.name].discard) for index in indexes
        )
        plain = [index for index in indexes if isinstance(index.of, str)]
        others = [index for index in indexes if not isinstance(index.of, str)]
        self._read = attrgetter("__class__", "__class__", *(str(index.of) for index in plain))
        """Reads all indexed attributes in one step; two that every object has ensure that it is always a tuple."""
        self._readers = tuple(index.reader() for index in others)
        self._entries = tuple(
            (self.postings[index.name].held, self.postings[index.name].add) for index in (*plain, *others)
        )

    def complete(self, read: Read[R]) -> None:
        """Enters all records into the indexes, if they are not there yet."""
        for position in range(0 if self.is_complete else len(self.ranks)):
            if holds(self._alive, position):
                self._enter(read(self.ranks.keys[position]), position)
        self.is_complete = True

    # one record

    def enter(self, created: int, number: int, key: str, record: R) -> None:
        """Adds a new record; TypeError for a value that cannot be indexed, with nothing written."""
        ranks = self.ranks
        at = len(ranks.created)
        position = ranks.gone + at
        if self.is_complete:
            self._enter(record, position)
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

    def _enter(self, record: R, position: int) -> None:
        values = self._read(record)[2:]
        for of in self._readers:
            values += (of(record),)
        hash(values)
        for raw, (held, add) in zip(values, self._entries, strict=True):
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

    def change(self, created: int, number: int, before: R, after: R) -> None:
        """Moves a record from its old values to its new ones."""
        if not self.is_complete:
            return
        changes = [
            (add, discard, old, new)
            for of, add, discard in self._columns
            if (new := of(after)) is not (old := of(before)) and new != old
        ]
        if not changes:
            return
        hash(tuple([new for _, _, _, new in changes]))
        position = self.ranks.locate(created, number)
        for add, discard, old, new in changes:
            discard(old, position)
            add(new, position)

    def leave(self, created: int, number: int, record: R) -> None:
        """Removes a record; its position stays as a hole."""
        self._unmark(record, self.ranks.locate(created, number))

    def come_back(self, created: int, number: int, record: R) -> None:
        """Undoes a removal; nothing was tidied in between."""
        self._mark(record, self.ranks.locate(created, number))

    def withdraw(self, created: int, number: int, record: R) -> None:
        """Undoes an addition, including the position."""
        position = self.ranks.locate(created, number)
        self._unmark(record, position)
        self._rename(position, range(position + 1, len(self.ranks)))
        self.ranks.drop(position)

    # all records

    def match(self, query: Query, read: Read[R], after: Rank | None = None, before: Rank | None = None) -> Match:
        """What matches between two ranks, with all records in order; KeyError for a filter without an index."""
        if query.filters:
            self.complete(read)
        self._settle(read)
        start, stop = self.ranks.window(query.created_gte, query.created_lte)
        start = start if after is None else max(start, self.ranks.locate(*after) + 1)
        stop = stop if before is None else max(start, min(stop, self.ranks.locate(*before)))
        return match(self.postings, self._alive, query.filters, start, stop)

    def first(self, read: Read[R]) -> str | None:
        """The key of the first record, or None."""
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

    def _mark(self, record: R, position: int) -> None:
        if self.is_complete:
            self._enter(record, position)
        self._alive = position if self._alive is None else grown(self._alive, position)

    def _unmark(self, record: R, position: int) -> None:
        for of, _, discard in self._columns if self.is_complete else ():
            discard(of(record), position)
        self._alive = shrunk(self._alive, position)

    def _settle(self, read: Read[R]) -> None:
        """Sorts late records in: a short run record by record, a long one index by index."""
        if self.ranks.is_settled:
            return
        first, order = self.ranks.due_order()
        if len(order) * self._decoded_cost < sum(len(postings.held) for postings in self.postings.values()):
            self._reenter(first, order, read)
        else:
            self._rename(first, order)
            self.ranks.rearrange(first, order)

    def _reenter(self, first: int, order: Sequence[int], read: Read[R]) -> None:
        keys = self.ranks.keys
        present = [(new, old, read(keys[old])) for new, old in enumerate(order, first) if holds(self._alive, old)]
        for _, old, record in present:
            self._unmark(record, old)
        self.ranks.rearrange(first, order)
        for new, _, record in present:
            self._mark(record, new)

    def _rename(self, first: int, order: Sequence[int]) -> None:
        """Gives each old position from `first` on its new one in `order` (0 if it is dropped)."""
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
    """Creation time, number and key of every position, in the order of the numbers where they are not settled yet.

    Positions of removed records stay until a rearrangement, or until there are a thousand in front of all others.
    """

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
