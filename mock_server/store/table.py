"""All records of one kind in one space, and the cache of decoded records for all spaces of a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any, Final, Generic, TypeVar

from mock_server.domain.paging import Page, Query
from mock_server.recent import Recent
from mock_server.store import records
from mock_server.store.byte_bounds import RECORD, ByteCounter
from mock_server.store.index import Indexed, Rank
from mock_server.store.matching import Match
from mock_server.store.protocol import RecordKind, Undo
from mock_server.store.records import Kept, codec_of

R = TypeVar("R")
RecordCache = Recent[tuple[int, str], Any]
"""Decoded records by a table's serial number and a key; each table is used only with its space's lock."""

_serials = count()
_EVERYTHING: Final = Query()
AT_ONCE: Final = 500
"""This number of records is entered into the indexes at once, which takes up to 6 ms; more are entered in slices."""


class IndexesWait(Exception):
    """A question for indexes that more records wait for than are entered at once; the table enters them, in slices."""

    def __init__(self, table: RecordTable[Any]) -> None:
        super().__init__(table.kind.name)
        self.table = table


def weight(kept: Kept) -> int:
    """The stored size of a record, with its shared bytes."""
    return RECORD + (len(kept[0]) + len(kept[1]) if isinstance(kept, tuple) else len(kept))


class RecordTable(Generic[R]):
    """Sealed records by key, recently used decoded ones, and their indexes."""

    __slots__ = ("_byte_counter", "_codec", "_indexed", "_record_cache", "kind", "next_number", "rows", "serial")

    def __init__(self, kind: RecordKind[R], record_cache: RecordCache, byte_counter: ByteCounter | None = None) -> None:
        self.kind = kind
        self._byte_counter = byte_counter
        self.rows: dict[str, Kept] = {}
        self.next_number = 0
        self.serial = next(_serials)
        self._codec = codec_of(kind.type)
        self._record_cache = record_cache
        self._indexed: Indexed[R] = Indexed(kind.indexes)

    # reading

    def get(self, key: str) -> R | None:
        """The record, or None."""
        record: R | None = self._record_cache.young.get((self.serial, key))  # without a call for most
        if record is None and (kept := self.rows.get(key)) is not None:
            record = self._decoded(key, kept)
        return record

    def at_rest(self, record: R) -> bytes | None:
        """The stored form of exactly this record; None if it was replaced, or was not used recently."""
        key = self.kind.key(record)
        kept = self.rows.get(key) if self._record_cache.young.get((self.serial, key)) is record else None
        return kept if isinstance(kept, bytes) else None

    def version(self, key: str) -> int:
        """How often the record was put; 0 if it does not exist."""
        kept = self.rows.get(key)
        return 0 if kept is None else records.stamp(kept)[0]

    def find(self, query: Query) -> Page[R]:
        """One page of what matches."""
        found = self._match(query)
        keys = self._indexed.ranks.keys
        positions = found.page(query.offset, query.limit, ascending=query.ascending)
        return Page(tuple([self._read(keys[at]) for at in positions]), found.total, query.offset)

    @property
    def waiting(self) -> int:
        """The number of records that the first question enters into the indexes."""
        return self._indexed.waiting

    def enter_waiting(self, most: int = AT_ONCE) -> bool:
        """Enters up to this number of records into the indexes; whether all of them are there now."""
        return self._indexed.complete(lambda key: self._codec.record(self.rows[key]), most)

    def _need(self, *names: str) -> None:
        """Has all records in these indexes, or raises IndexesWait."""
        indexed = self._indexed
        if indexed.waiting_names and not indexed.waiting_names.isdisjoint(names):
            if indexed.waiting > AT_ONCE:
                raise IndexesWait(self)
            self.enter_waiting()

    def _match(self, query: Query) -> Match:
        """What matches, between the cursors; KeyError if one does not exist."""
        self._need(*query.filters)
        after, before = self._rank(query.newer_than), self._rank(query.older_than)
        return self._indexed.match(query, self._read, after, before)

    def _rank(self, key: str | None) -> Rank | None:
        if key is None:
            return None
        _, number, created = records.stamp(self.rows[key])
        return created, number

    def oldest(self) -> str | None:
        """The key of the first record in order, or None."""
        return self._indexed.first(self._read)

    def count(self, query: Query) -> int:
        """How many match."""
        return len(self.rows) if query == _EVERYTHING else self._match(query).total

    def tally(self, index: str, query: Query | None) -> dict[object, int]:
        """Counts per value of an index; KeyError if there is no such index."""
        self._need(index)
        postings = self._indexed.postings[index]
        return dict(postings.counts(None if query is None else self._match(query).among()))

    def keys(self, query: Query) -> list[str]:
        """The keys of all matches, in order."""
        found = self._match(query)
        keys = self._indexed.ranks.keys
        return [keys[at] for at in found.page(0, found.total, ascending=query.ascending)]

    def parts(self) -> Sequence[Sequence[str]]:
        """The keys in order, in immutable parts, including those of removed records."""
        keys = self._indexed.ranks.keys
        return [*keys.full, tuple(keys.rest)]

    def standing(self, query: Query) -> Iterator[R]:
        """All matches in their present state, decoded one by one; once created it needs no lock."""
        record = self._codec.record
        rows = [self.rows[key] for key in self.keys(query)]
        return (record(row) for row in rows)

    # writing

    def put(self, record: R, version: int = 1) -> Undo:
        """Stores a record, new (with this version) or changed; ValueError if its creation time changed."""
        key, created = self.kind.key(record), self.kind.created(record)
        old = self.rows.get(key)
        if old is None:
            number = self.next_number
            kept = self._codec.seal(record, version, number, created)
            self._indexed.enter(created, number, key, record)
            self.rows[key] = kept
            self.next_number = number + 1
            if self._byte_counter is not None:
                self._byte_counter.here += weight(kept)
            else:  # what is limited in bytes, as events, is seldom read soon, and not kept decoded
                cache = self._record_cache
                cache.young[self.serial, key] = record  # as `put` does, without a call
                if len(cache.young) > cache.half:
                    cache.turn()
            return partial(self._withdraw, key)
        version, number, was = records.stamp(old)
        if was != created:
            raise ValueError(f"{self.kind.name} {key} was created at {was}, not at {created}")
        before = self._decoded(key, old)
        self._replace(key, before, record, self._codec.seal(record, version + 1, number, created))
        return partial(self._replace, key, record, before, old)

    def load(self, number: int, version: int, named: Mapping[str, Any]) -> None:
        """Loads a record from a dump; ValueError unless numbers are ascending and keys are unique."""
        record = self._codec.from_plain(named)
        key = self.kind.key(record)
        if number < self.next_number or version < 1 or key in self.rows:
            raise ValueError(f"{self.kind.name} {key} has number {number} and version {version}")
        self.next_number = number
        self.put(record, version)

    def take(self, key: str, kept: Kept) -> None:
        """Loads a stored record; numbers must be ascending."""
        _, number, created = records.stamp(kept)
        self._indexed.enter(created, number, key, self._codec.record(kept))
        self.rows[key] = kept
        if self._byte_counter is not None:
            self._byte_counter.here += weight(kept)
        self.next_number = max(self.next_number, number + 1)

    def remove(self, key: str) -> Undo | None:
        """Removes a record; None if it does not exist."""
        old = self.rows.get(key)
        if old is None:
            return None
        _, number, created = records.stamp(old)
        self._indexed.leave(created, number, partial(self._decoded, key, old))
        self._forget(key)
        return partial(self._revive, key, old)

    def tidy(self) -> None:
        """Removes the holes of removed records if there are many; only when nothing may be undone."""
        self._indexed.tidy(len(self.rows), self._read)

    def containers(self) -> Iterator[Any]:
        """The large containers in it, to be emptied in slices when the table is freed."""
        yield self.rows
        yield from self._indexed.containers()

    # within

    def _decoded(self, key: str, kept: Kept) -> R:
        cached = (self.serial, key)
        record: R | None = self._record_cache.get(cached)
        if record is None:
            record = self._codec.record(kept)
            self._record_cache.put(cached, record)
        return record

    def _read(self, key: str) -> R:
        return self._decoded(key, self.rows[key])

    def _replace(self, key: str, before: R, after: R, kept: Kept) -> None:
        _, number, created = records.stamp(kept)
        self._indexed.change(created, number, before, after)
        if self._byte_counter is not None:
            self._byte_counter.here += weight(kept) - weight(self.rows[key])
        self.rows[key] = kept
        self._record_cache.put((self.serial, key), after)

    def _forget(self, key: str) -> None:
        kept = self.rows.pop(key)
        if self._byte_counter is not None:
            self._byte_counter.here -= weight(kept)
        self._record_cache.drop((self.serial, key))

    def _withdraw(self, key: str) -> None:
        """Undoes an insert; the last number belongs to this record."""
        kept = self.rows[key]
        _, number, created = records.stamp(kept)
        self._indexed.withdraw(created, number, partial(self._decoded, key, kept))
        self._forget(key)
        self.next_number = number

    def _revive(self, key: str, kept: Kept) -> None:
        """Undoes a removal."""
        _, number, created = records.stamp(kept)
        self._indexed.come_back(created, number, self._decoded(key, kept))
        self.rows[key] = kept
        if self._byte_counter is not None:
            self._byte_counter.here += weight(kept)
