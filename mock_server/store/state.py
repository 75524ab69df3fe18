"""The state of one space."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import Any, Final, TypeVar

from mock_server.store.byte_bounds import ByteCounter, weight_of
from mock_server.store.due_queue import DueQueue
from mock_server.store.idempotency import Claims
from mock_server.store.logs import Log
from mock_server.store.protocol import CLAIMS, JOURNAL, RecordKind, faults_of
from mock_server.store.table import RecordCache, RecordTable

R = TypeVar("R")

News = tuple[list[str], dict[str, int]]
WEIGHED_LOGS: Final = frozenset({JOURNAL})
WEIGHED_FACTS: Final = {"scenarios.text.": "scenarios", "scenarios.next": "scenarios", "snapshot:": "snapshots"}
"""Prefixes of facts with long texts, and their kind of data."""


class Rates:
    """Calls in two windows per limit, so that those on either side of a boundary count in the right one.

    Any other window counts as new, even an earlier one, because an empty workspace's clock may be set back; older ones
    are deleted. The counts are part of no transaction, so they have their own lock.
    """

    __slots__ = ("_lock", "windows")

    def __init__(self) -> None:
        self._lock = Lock()
        self.windows: dict[str, tuple[int, int, int, int]] = {}
        """Of each limit the latest window and its count, the previous one and its count."""

    def hit(self, name: str, window: int, calls: int = 1) -> int:
        """Counts one call, or as many as are given; gives the window's count."""
        with self._lock:
            last, count, before, count_before = self.windows.get(name, (window, 0, window, 0))
            if window == last:
                self.windows[name] = (last, count + calls, before, count_before)
                return count + calls
            if window == before:
                self.windows[name] = (last, count, before, count_before + calls)
                return count_before + calls
            self.windows[name] = (window, calls, last, count)
            return calls


class SpaceState:
    """Tables, numbers, facts, logs, scheduled events, claims and rates; change it only with the space's lock."""

    __slots__ = (
        "__weakref__", "_bounds", "by_kind", "byte_counters", "claims", "counters", "due", "facts", "logs",
        "rates", "record_cache", "streams", "tables", "unlearned",
    )  # fmt: skip

    def __init__(
        self, cache: RecordCache, bounds: Mapping[str, int], max_claims: int, byte_counters: dict[str, ByteCounter]
    ) -> None:
        self.record_cache = cache
        self.byte_counters = byte_counters
        self._bounds = bounds
        self.tables: dict[str, RecordTable[Any]] = {}
        self.by_kind: dict[RecordKind[Any], RecordTable[Any]] = {}
        """Those that were used, found in one step."""
        self.unlearned: dict[str, Mapping[str, Any]] = {}
        """Records of a dump whose kind was not used yet, in the form of the dump."""
        self.streams: dict[str, int] = {}
        self.counters: dict[str, int] = {}
        self.facts: dict[str, Any] = {}
        self.logs: dict[str, Log] = {}
        self.due = DueQueue()
        self.claims = Claims(max_claims, self.byte_counters.get(CLAIMS))
        self.rates = Rates()

    def table(self, kind: RecordKind[R]) -> RecordTable[R]:
        """The table of a kind, created on first use; ValueError if another kind has its name."""
        table = self.tables.get(kind.name)
        if table is None:
            table = self.tables[kind.name] = self._learned(kind)
            self.unlearned.pop(kind.name, None)
        elif table.kind is not kind:
            raise ValueError(f"two kinds are named {kind.name}")
        self.by_kind[kind] = table
        return table

    def log(self, name: str) -> Log:
        """A log, created on first use."""
        log = self.logs.get(name)
        if log is None:
            log = self.logs[name] = Log(
                self._bounds.get(name), self.byte_counters.get(name) if name in WEIGHED_LOGS else None
            )
        return log

    def weight(self) -> int:
        """The approximate number of objects to free, or of pages; calls in progress may add some meanwhile."""
        rows = sum(len(table.rows) for table in tuple(self.tables.values()))
        lines = sum(len(log.lines) for log in tuple(self.logs.values()))
        pages = sum(one.here for one in self.byte_counters.values()) >> 12
        return rows + lines + len(self.due.entries) + len(self.claims.held) + pages

    def set_fact(self, name: str, value: Any) -> ByteCounter | None:
        """Stores a fact (None removes it); gives its byte counter, if its kind has a limit."""
        byte_counter = next(
            (self.byte_counters.get(sort) for prefix, sort in WEIGHED_FACTS.items() if name.startswith(prefix)), None
        )
        if byte_counter is not None:
            byte_counter.here += weight_of(value) - weight_of(self.facts.get(name))
        if value is None:
            self.facts.pop(name, None)
        else:
            self.facts[name] = value
        return byte_counter

    def report(self) -> News:
        """Adds the sizes to the totals; gives the kinds over the server's limit, and the dropped entries."""
        over = [sort for sort, byte_counter in self.byte_counters.items() if byte_counter.report()]
        return over, {sort: one.fall() for sort, one in self.byte_counters.items() if one.dropped}

    def leave(self) -> None:
        """Removes the sizes from the server's totals."""
        for byte_counter in self.byte_counters.values():
            byte_counter.leave()

    def _learned(self, kind: RecordKind[R]) -> RecordTable[R]:
        table = RecordTable(kind, self.record_cache, self.byte_counters.get(kind.sort))
        known = self.unlearned.get(kind.name)
        if known is None:
            return table
        for at, row in enumerate(known["rows"]):
            with faults_of(f"records of {kind.name}, row {at}"):
                number, version, named = row
                table.load(number, version, named)
        table.next_number = max(table.next_number, known["next"])
        return table
