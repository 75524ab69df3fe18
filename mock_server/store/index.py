"""The order of one kind's records and everything they are indexed by, kept in step."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from mock_server.domain.paging import Query
from mock_server.store.matching import Match, match
from mock_server.store.postings import Posting, Postings, grown, holds, lowest, moved, shrunk
from mock_server.store.protocol import Index
from mock_server.store.ranks import Ranks, moves

R = TypeVar("R")
Read = Callable[[str], R]
"""Gives the record of a key: how a short stretch is put in order."""

HOLES = 1024
"""So many positions of removed records may stay, however few records there are."""
DECODED_COST = 64
"""Decoding a record costs about as much as looking at so many postings (measured)."""


class Indexed(Generic[R]):
    """Positions of records by (created, number), and by every value of every index."""

    __slots__ = ("_alive", "_columns", "_decoded_cost", "_entries", "_holes", "_postings", "ranks")

    def __init__(self, indexes: tuple[Index[R], ...], *, decoded_cost: int = DECODED_COST, holes: int = HOLES) -> None:
        self._decoded_cost = decoded_cost
        self._holes = holes
        self.ranks = Ranks()
        self._alive: Posting | None = None
        self._postings = {index.name: Postings() for index in indexes}
        self._columns = tuple(
            (index.of, self._postings[index.name].add, self._postings[index.name].discard) for index in indexes
        )
        self._entries = tuple(
            (index.of, self._postings[index.name].held, self._postings[index.name].add) for index in indexes
        )

    # one record

    def enter(self, created: int, number: int, key: str, record: R) -> None:
        """Takes a new record in; TypeError for a value that cannot be indexed, with nothing written."""
        found = []
        for of, held, add in self._entries:
            raw = of(record)
            if raw is not None:
                found.append((raw, held, add, held.get(raw)))
        position = self.ranks.append(created, number, key)
        for raw, held, add, posting in found:
            # What `Postings.add` does, without a call for most values: a record has a dozen of them.
            if posting is None and type(raw) is not tuple:
                held[raw] = position
            elif posting is None or type(posting) is int or type(posting) is bytes:
                add(raw, position)
            else:
                posting.add(position)
        self._alive = position if self._alive is None else grown(self._alive, position)

    def change(self, created: int, number: int, before: R, after: R) -> None:
        """Moves a record from the values it had to those it has now."""
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
        """Takes a record out; its position stays as a hole."""
        self._unmark(record, self.ranks.locate(created, number))

    def come_back(self, created: int, number: int, record: R) -> None:
        """Fills the hole that a record left; nothing was tidied meanwhile."""
        self._mark(record, self.ranks.locate(created, number))

    def withdraw(self, created: int, number: int, record: R) -> None:
        """Makes it as if a record had never been taken in: its position goes too."""
        position = self.ranks.locate(created, number)
        self._unmark(record, position)
        self._rename(position, range(position + 1, len(self.ranks)))
        self.ranks.drop(position)

    # all records

    def match(self, query: Query, read: Read[R]) -> Match:
        """What matches, once late records are in their place; KeyError for a filter that is no index."""
        self._settle(read)
        start, stop = self.ranks.window(query.created_gte, query.created_lte)
        return match(self._postings, self._alive, query.filters, start, stop)

    def first(self, read: Read[R]) -> str | None:
        """The key of the first record, or None."""
        self._settle(read)
        return None if self._alive is None else self.ranks.keys[lowest(self._alive)]

    def postings(self, index: str) -> Postings:
        """One index; KeyError if there is none of this name."""
        return self._postings[index]

    def tidy(self, records: int, read: Read[R]) -> None:
        """Closes the holes once they are many; only when no removal may be taken back."""
        if len(self.ranks) - records > self._holes + records:
            alive = self.match(Query(), read)
            order = alive.page(0, alive.total, ascending=True)
            self._rename(0, order)
            self.ranks.rearrange(0, order)

    def containers(self) -> Iterator[Any]:
        """Everything large in here."""
        for postings in self._postings.values():
            yield postings.held
        yield self.ranks.keys.full

    # within

    def _mark(self, record: R, position: int) -> None:
        for of, add, _ in self._columns:
            add(of(record), position)
        self._alive = position if self._alive is None else grown(self._alive, position)

    def _unmark(self, record: R, position: int) -> None:
        for of, _, discard in self._columns:
            discard(of(record), position)
        self._alive = shrunk(self._alive, position)

    def _settle(self, read: Read[R]) -> None:
        """Puts late records in their place: a short stretch record by record, a long one index by index."""
        if self.ranks.is_settled:
            return
        first, order = self.ranks.due_order()
        if len(order) * self._decoded_cost < sum(len(postings.held) for postings in self._postings.values()):
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
        if not order:
            return
        renamed: array[int] = moves(first, order, len(self.ranks))
        for postings in self._postings.values():
            postings.move(first, renamed)
        if self._alive is not None:
            self._alive = moved(self._alive, first, renamed)
