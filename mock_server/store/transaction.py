"""The transaction of the store in memory: it writes in place and records how to undo it."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from mock_server.domain.paging import Page, Query
from mock_server.store.byte_bounds import UNBOUNDED, ByteCounter
from mock_server.store.logs import NumberedLine, entry
from mock_server.store.protocol import Due, LogEntry, RecordKind, Undo
from mock_server.store.state import SpaceState
from mock_server.store.table import RecordTable

R = TypeVar("R")
Was = tuple[dict[str, int], str, int | None]
"""Numbers, the name of one, and its old value: by far the most common undo, so it is not a callable."""


class _Ended:
    """Replaces the state once the transaction has ended."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("a transaction was used after its end")

    __call__ = __getattr__


_ENDED: Any = _Ended()


class Transaction:
    """A consistent view of one space, with its lock held: its own later reads see its writes, which its end saves.

    Only facts are written at the end: they are read without the lock, and such reads must not see uncommitted values.
    """

    __slots__ = ("_facts", "_removed_from", "_state", "_tables", "_undo", "appended", "fact", "weighed")

    def __init__(self, state: SpaceState) -> None:
        self._state = state
        self._tables = state.by_kind
        self._undo: list[Undo | Was] = []
        self._facts: dict[str, Any] | None = None
        self.fact: Callable[[str], Any] = state.facts.get
        """Gives a fact, or None; the mapping's own method until this transaction sets one."""
        self._removed_from: dict[str, RecordTable[Any]] = {}
        self.appended: dict[str, int] | None = None
        """The logs with new lines, with the number of the last line."""
        self.weighed: ByteCounter | None = None
        """The last write with a byte limit."""

    @property
    def has_written(self) -> bool:
        """Whether anything was written so far."""
        return bool(self._undo) or self._facts is not None

    # records

    def get(self, kind: RecordKind[R], key: str) -> R | None:
        return (self._tables.get(kind) or self._state.table(kind)).get(key)

    def put(self, kind: RecordKind[R], record: R) -> R:
        if kind.sort:
            self.weighed = self._state.byte_counters.get(kind.sort)
        table = self._tables.get(kind) or self._state.table(kind)
        self._undo.append(table.put(record))
        return record

    def remove(self, kind: RecordKind[R], key: str) -> bool:
        table = self._tables.get(kind) or self._state.table(kind)
        undo = table.remove(key)
        if undo is None:
            return False
        self._undo.append(undo)
        self._removed_from[kind.name] = table
        return True

    def has(self, kind: RecordKind[R], key: str) -> bool:
        return key in (self._tables.get(kind) or self._state.table(kind)).rows

    def version(self, kind: RecordKind[R], key: str) -> int:
        """How often a record was put (0: not there; anew after a removal); answers are cached under it."""
        return (self._tables.get(kind) or self._state.table(kind)).version(key)

    def encoded(self, kind: RecordKind[R], key: str) -> bytes:
        """A record's compact form as it stands now, shared with the table and not copied.

        KeyError if it does not exist, TypeError if it has shared bytes.
        `store.records.decode(kind, data)` decodes it. Events store their objects this way.
        """
        kept = (self._tables.get(kind) or self._state.table(kind)).rows[key]
        if isinstance(kept, tuple):
            raise TypeError(f"a {kind.name} shares what it is about, and is not shared")
        return kept

    def find(self, kind: RecordKind[R], query: Query) -> Page[R]:
        return (self._tables.get(kind) or self._state.table(kind)).find(query)

    def count(self, kind: RecordKind[R], query: Query) -> int:
        """The number of matches; limit and offset are ignored."""
        return (self._tables.get(kind) or self._state.table(kind)).count(query)

    def tally(self, kind: RecordKind[R], index: str, query: Query | None = None) -> Mapping[object, int]:
        """Counts per value of one index, over all matches; without values that do not occur, in any order."""
        return self._state.table(kind).tally(index, query)

    def scan(self, kind: RecordKind[R], query: Query) -> Iterator[R]:
        """Every match in (created, number) order, newest first unless ascending, decoded one by one.

        Limit and offset are ignored; records that the transaction removes in the meantime are omitted.
        """
        for key in self._state.table(kind).keys(query):
            record = self._state.table(kind).get(key)
            if record is not None:
                yield record

    def oldest(self, kind: RecordKind[Any]) -> str | None:
        """The key of the first record in (created, number) order, however many there are."""
        return (self._tables.get(kind) or self._state.table(kind)).oldest()

    # numbers

    def next(self, stream: str) -> int:
        """The next number (0, 1, …) of a random stream; unused again if the transaction fails."""
        streams = self._state.streams
        old = streams.get(stream)
        number = old or 0
        streams[stream] = number + 1
        self._undo.append((streams, stream, old))
        return number

    def counter(self, name: str) -> int:
        return self._state.counters.get(name, 0)

    def counters(self, prefix: str) -> Mapping[str, int]:
        """All counters with this prefix, by name: after a restart they come in another order."""
        return dict(sorted(one for one in self._state.counters.items() if one[0].startswith(prefix)))

    def add(self, name: str, by: int = 1) -> int:
        """Adds to a counter and gives its new value."""
        counters = self._state.counters
        old = counters.get(name)
        counters[name] = new = (old or 0) + by
        self._undo.append((counters, name, old))
        return new

    # facts

    def set_fact(self, name: str, value: Any) -> None:
        """Stores a JSON-like value (None removes it)."""
        if self._facts is None:
            self._facts = {}
            self.fact = ChainMap(self._facts, self._state.facts).get
        self._facts[name] = value

    def facts(self, prefix: str) -> Mapping[str, Any]:
        present = (self._state.facts | (self._facts or {})).items()
        return dict(sorted(one for one in present if one[1] is not None and one[0].startswith(prefix)))

    def clear(self, stays: str) -> None:
        """Removes all records, streams and facts, except for facts with this prefix."""
        for table in self._state.tables.values():
            for key in tuple(table.rows):
                self.remove(table.kind, key)
        streams = self._state.streams
        self._undo.extend([(streams, name, streams.pop(name)) for name in tuple(streams)])
        for name in self.facts(""):
            if not name.startswith(stays):
                self.set_fact(name, None)

    # logs

    def append(self, log: str, value: Any) -> int:
        kept = self._state.logs.get(log) or self._state.log(log)
        fallen = kept.append(value)
        self._undo.append(partial(kept.take_back, fallen) if fallen else kept.take_back)
        if self.appended is None:
            self.appended = {}
        self.appended[log] = kept.last
        return kept.last

    def entries(self, log: str, after: int = 0, limit: int | None = None) -> Sequence[LogEntry]:
        return [entry(*line) for line in self._state.log(log).numbered(after, limit)]

    def lines(self, log: str, after: int, limit: int) -> Sequence[NumberedLine]:
        """The same lines as they are stored; `store.logs.heads` tells which of them are needed."""
        return self._state.log(log).numbered(after, limit)

    def amend(self, log: str, sequence: int, value: Any) -> bool:
        """Replaces the value of a log's line, if the line still exists."""
        undo = self._state.log(log).amend(sequence, value)
        if undo is None:
            return False
        self._undo.append(undo)
        return True

    def forget(self, log: str) -> int:
        """Empties a log and gives the number of lines; sequence numbers continue."""
        gone, undo = self._state.log(log).forget()
        self._undo.append(undo)
        return gone

    def drop_oldest(self, log: str) -> None:
        """Drops a log's oldest line, as if the log were full."""
        kept = self._state.log(log)
        if kept.lines:
            fallen = kept.drop_oldest()
            self._undo.append(lambda: kept.put_back((fallen,)))
            if byte_counter := self._state.byte_counters.get(log):  # of the records that its lines tell of
                byte_counter.dropped += 1
                self._undo.append(partial(setattr, byte_counter, "dropped", byte_counter.dropped - 1))

    # what is bounded by bytes

    def is_over(self, sort: str) -> bool:
        """Whether this space is over its byte limit for a kind of data."""
        byte_counter = self._state.byte_counters.get(sort)
        return byte_counter is not None and byte_counter.here > byte_counter.most

    def room(self, sort: str) -> int:
        """How many more bytes of a kind may be stored, here and in all spaces together."""
        byte_counter = self._state.byte_counters.get(sort)
        return UNBOUNDED if byte_counter is None else byte_counter.room

    # due work

    def schedule(self, at: int, what: str, subject: str, argument: str = "") -> Due:
        due, undo = self._state.due.schedule(at, what, subject, argument)
        self._undo.append(undo)
        return due

    def put_back(self, due: Due) -> None:
        """Schedules again what was taken, where it was in the order."""
        if due.sequence in self._state.due.entries:  # only a document that no server wrote
            self.schedule(due.at, due.what, due.subject, due.argument)
            return
        self._state.due.put(due)
        self._undo.append(partial(self._state.due.remove, due))

    def unschedule(self, what: str | None, subject: str) -> int:
        """Cancels the scheduled events of a subject (one kind, or all) and gives their number."""
        gone = self._state.due.unschedule(what, subject)
        self._undo.extend(partial(self._state.due.put, due) for due in gone)
        return len(gone)

    def next_due(self, what: Sequence[str] | None = None) -> Due | None:
        """The earliest scheduled event (of the given kinds), which stays in the queue."""
        return self._state.due.head(what)

    def take_due(self, until: int, what: Sequence[str] | None = None) -> Due | None:
        """Removes and gives the earliest scheduled event at or before a time (of the given kinds)."""
        due = self._state.due.take(until, what)
        if due is not None:
            self._undo.append(partial(self._state.due.put, due))
        return due

    def all_due(self) -> Sequence[Due]:
        return self._state.due.all()

    def due_of(self, subject: str) -> Sequence[Due]:
        """The scheduled events of a subject, in order; the time does not depend on the other entries."""
        return self._state.due.of(subject)

    def count_due(self) -> int:
        """The number of scheduled events."""
        return len(self._state.due.entries)

    # the end

    # Both let go of the state: whatever is asked of this transaction from then on is refused.

    def commit(self) -> None:
        if self._facts is not None:
            for name, value in self._facts.items():
                self.weighed = self._state.set_fact(name, value) or self.weighed
        for table in self._removed_from.values():
            table.tidy()
        self._state = self._tables = self._undo = self.fact = _ENDED
        self._facts = None

    def roll_back(self) -> None:
        """Undoes the writes."""
        undos = self._undo
        self._state = self._tables = self._undo = self.fact = _ENDED
        self._facts = None
        for undo in reversed(undos):
            if not isinstance(undo, tuple):
                undo()
                continue
            numbers, name, old = undo
            if old is None:
                del numbers[name]
            else:
                numbers[name] = old
