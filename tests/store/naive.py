"""What the store's contract means, said as plainly as possible: lists, loops and no index."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, Final

from mock_server.domain.paging import Query
from tests.store.things import THINGS, Thing

_READERS: Final = {known.name: known.reader() for known in THINGS.indexes}


@dataclass(frozen=True, slots=True)
class Row:
    number: int
    version: int
    record: Thing


@dataclass
class NaiveSpace:
    """Records, numbers and facts of one space."""

    rows: dict[str, Row] = field(default_factory=dict)
    next_number: int = 0
    streams: Counter[str] = field(default_factory=Counter)
    facts: dict[str, Any] = field(default_factory=dict)

    def copy(self) -> NaiveSpace:
        return NaiveSpace(self.rows.copy(), self.next_number, self.streams.copy(), self.facts.copy())

    def put(self, record: Thing) -> None:
        old = self.rows.get(record.key)
        if old is not None:
            self.rows[record.key] = replace(old, version=old.version + 1, record=record)
            return
        self.rows[record.key] = Row(self.next_number, 1, record)
        self.next_number += 1

    def remove(self, key: str) -> bool:
        return self.rows.pop(key, None) is not None

    def matches(self, query: Query) -> list[Thing]:
        rows = sorted(self.rows.values(), key=_rank)
        after, before = (_rank(self.rows[key]) if key else None for key in (query.newer_than, query.older_than))
        rows = [
            row for row in rows if (after is None or after < _rank(row)) and (before is None or _rank(row) < before)
        ]
        found = [row.record for row in rows if _matches(row.record, query)]
        return found if query.ascending else found[::-1]

    def tally(self, index: str, query: Query) -> dict[object, int]:
        return dict(Counter(value for record in self.matches(query) for value in set(_values(record, index))))


def _rank(row: Row) -> tuple[int, int]:
    return row.record.created, row.number


def _matches(record: Thing, query: Query) -> bool:
    if query.created_gte is not None and record.created < query.created_gte:
        return False
    if query.created_lte is not None and record.created > query.created_lte:
        return False
    return all(set(_values(record, index)) & set(values) for index, values in query.filters.items())


def _values(record: Thing, index: str) -> tuple[object, ...]:
    value = _READERS[index](record)
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)
