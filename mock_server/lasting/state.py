"""A space's state as rows: the rows that changed since the last save, and a state from rows that were read.

A row is (part, key, value); a part is everything of one kind. Values that follow from the rows (the last line's number,
the next sequence) are not stored; if rows were deleted, a row of the part `meta` has these values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

import msgspec

from mock_server.lasting.batches import Row, Rows, coded, decoded
from mock_server.store import records
from mock_server.store.byte_bounds import ByteCounter
from mock_server.store.logs import Block, Log, NumberedLine, StoredLine, opened
from mock_server.store.protocol import Due, DumpRefused, RecordKind, StateRefused, faults_of
from mock_server.store.records import Kept
from mock_server.store.state import WEIGHED_LOGS, SpaceState
from mock_server.store.table import RecordCache, RecordTable

R = TypeVar("R")

RECORD: Final = "record."
LOG: Final = "log."
STREAM: Final = "stream"
COUNTER: Final = "counter"
FACT: Final = "fact"
DUE: Final = "due"
CLAIM: Final = "claim"
META: Final = "meta"
_LENGTH: Final = 4
_due = msgspec.msgpack.Decoder(tuple[int, str, str, str]).decode
_number, _numbers = partial(msgspec.convert, type=int), partial(msgspec.convert, type=list[int])


class LastingState(SpaceState):
    """A state that notes which of its rows changed."""

    __slots__ = ("parts", "touched")

    def __init__(
        self, cache: RecordCache, bounds: Mapping[str, int], max_claims: int, byte_counters: dict[str, ByteCounter]
    ) -> None:
        super().__init__(cache, bounds, max_claims, byte_counters)
        self.touched: dict[str, Noted[Any, Any]] = {}
        """The parts in which something changed."""
        self.parts: dict[str, Noted[Any, Any]] = {}
        self.streams = self._noted(STREAM)
        self.counters = self._noted(COUNTER)
        self.facts = self._noted(FACT)
        self.due.entries = self._noted(DUE)
        self.claims.held = self._noted(CLAIM)

    def _noted(self, part: str) -> Noted[Any, Any]:
        made = self.parts[part] = Noted(part, self.touched)
        return made

    def log(self, name: str) -> _LastingLog:
        log = self.logs.get(name)
        if log is None:
            byte_counter = self.byte_counters.get(name) if name in WEIGHED_LOGS else None
            log = self.logs[name] = _LastingLog(self._noted(LOG + name), self._bounds.get(name), byte_counter)
        assert isinstance(log, _LastingLog)
        return log

    def _learned(self, kind: RecordKind[R]) -> RecordTable[R]:
        table = super()._learned(kind)
        rows = self._noted(RECORD + kind.name)
        rows.update(table.rows)  # there are some when a snapshot is restored
        table.rows = rows
        return table

    # saving

    def changes(self, *, is_whole: bool = False) -> list[Row]:
        """The rows that changed since the last call; with the lock held.

        `is_whole`: with the `meta` rows of all parts, because nothing of the state was saved before.
        """
        found: list[Row] = []
        with_meta: list[str] = []
        for part, noted in self.touched.items():
            write = _WRITE.get(part, joined)
            passing = self.log(part.removeprefix(LOG)).passing if part.startswith(LOG) else ()
            has_gone = part == DUE
            for key in noted.changed:
                if key in passing:
                    continue
                value = noted.get(key)
                has_gone = has_gone or value is None
                found.append((part, coded(str(key)), None if value is None else write(value)))
            if has_gone:
                with_meta.append(part)
            noted.changed = {}
        self.touched.clear()
        if is_whole:
            with_meta = [*(RECORD + name for name in self.tables), *(LOG + name for name in self.logs), DUE, CLAIM]
        return [*found, *((META, coded(part), records.pack(self._meta(part))) for part in with_meta)]

    def settle(self, again: Iterable[tuple[str, Any]]) -> None:
        """Forgets the changes by loading: everything is saved, except some keys of parts, which are written again."""
        for noted in self.touched.values():
            noted.changed = {}
        self.touched.clear()
        for part, key in again:
            self.parts[part].note(key)
        for log in self.logs.values():
            log.drop_surplus()  # its limit may be lower now

    def _meta(self, part: str) -> list[int]:
        """The values of a part that do not follow from its rows."""
        if part.startswith(RECORD):
            return [self.tables[part.removeprefix(RECORD)].next_number]
        if part.startswith(LOG):
            log = self.log(part.removeprefix(LOG))
            return [log.last, log.dropped - log.passed]
        return [self.due.next_sequence] if part == DUE else [self.claims.evicted]


def joined(kept: records.Kept) -> bytes:
    """A line or a record as one value, with the shared part beside it."""
    if isinstance(kept, tuple):
        return b"\1" + len(kept[0]).to_bytes(_LENGTH, "little") + kept[0] + kept[1]
    return b"\0" + kept


def parted(value: bytes) -> records.Kept:
    """The reverse of `joined`."""
    if value[:1] == b"\0":
        return value[1:]
    begin = 1 + _LENGTH
    end = begin + int.from_bytes(value[1:begin], "little")
    return value[begin:end], value[end:]


_WRITE: Final[Mapping[str, Callable[[Any], bytes]]] = {
    STREAM: records.pack,
    COUNTER: records.pack,
    FACT: records.pack,
    DUE: bytes,
    CLAIM: bytes,
}


def by_part(
    slices: Iterable[Iterable[tuple[str, bytes, bytes]]], breathe: Callable[[], object]
) -> dict[str, dict[str, bytes]]:
    """A space's rows for `read`; `breathe` is called after each slice."""
    parts: dict[str, dict[str, bytes]] = {}
    for rows in slices:
        with faults_of("keys"):
            for part, key, value in rows:
                parts.setdefault(part, {})[decoded(key)] = value
        breathe()
    return parts


def new_shapes(rows: Rows, kinds: Iterable[RecordKind[Any]]) -> dict[int, str]:
    """Registers the records' shapes of earlier versions, so that they can be read; gives the new shapes."""
    types = {kind.type.__qualname__: kind.type for kind in kinds}
    earlier = rows.shapes()
    for shape in earlier.values():
        with faults_of(f"{rows.path} has shapes of records that cannot be read"):
            name = shape.split('"', 2)[1]
        if name not in types:
            raise StateRefused(f"{rows.path} holds records of a kind that this version does not know: {name}")
        records.remember(shape, types[name])
    codecs = map(records.codec_of, types.values())
    return {codec.sort: codec.shape for codec in codecs if codec.sort not in earlier}


def read(
    state: LastingState,
    parts: Mapping[str, Mapping[str, bytes]],
    kinds: Iterable[RecordKind[Any]],
    breathe: Callable[[], object] = lambda: None,
) -> None:
    """Puts the rows of a space, by part and key, into its empty state; rows that must be written again are noted there.

    `breathe` is called between records. Raises DumpRefused with the part that is wrong.
    """
    known: dict[str, RecordKind[Any]] = {RECORD + kind.name: kind for kind in kinds}
    with faults_of(META):
        meta = {part: _numbers(records.unpack(value)) for part, value in parts.get(META, {}).items()}
    again: list[tuple[str, str]] = []
    for part in {**parts, **dict.fromkeys(meta)}:
        rows, says = parts.get(part, {}), meta.get(part, [])
        with faults_of(part):
            if part in known:
                keys = _read_records(state.table(known[part]), rows, says, breathe)
            elif (take := _READ.get(LOG if part.startswith(LOG) else part)) is not None:
                keys = take(state, part, rows, says) or []
            else:
                raise DumpRefused(f"{part}: unknown part")
            again += [(part, key) for key in keys]
    state.settle(again)


# These give the keys of the rows that must be written again, if there can be any.


def _read_records(
    table: RecordTable[Any], rows: Mapping[str, bytes], says: list[int], breathe: Callable[[], object]
) -> list[str]:
    found: dict[str, records.Kept] = {}
    earlier: list[str] = []
    for key, value in rows.items():
        kept = parted(value)
        found[key] = now = records.as_now(table.kind.type, kept)
        if now is not kept:
            earlier.append(key)
        breathe()
    for key in sorted(found, key=lambda key: records.stamp(found[key])[1]):
        table.take(key, found[key])
        breathe()
    table.next_number = max([table.next_number, *says])
    return earlier


def _read_log(state: LastingState, part: str, rows: Mapping[str, bytes], says: list[int]) -> None:
    last, dropped = says or (0, 0)
    lines = {number: parted(rows[str(number)]) for number in sorted(map(int, rows))}
    state.log(part.removeprefix(LOG)).take(last, dropped, lines)


def _read_numbers(state: LastingState, part: str, rows: Mapping[str, bytes], says: list[int]) -> None:
    state.parts[part].update((name, _number(records.unpack(value))) for name, value in rows.items())


def _read_facts(state: LastingState, part: str, rows: Mapping[str, bytes], says: list[int]) -> None:
    for name, value in rows.items():
        state.set_fact(name, records.unpack(value))


def _read_due(state: LastingState, part: str, rows: Mapping[str, bytes], says: list[int]) -> None:
    for sequence in sorted(map(int, rows)):
        at, what, subject, argument = _due(rows[str(sequence)])
        state.due.put(Due(at, sequence, what, subject, argument))
    state.due.next_sequence = max([state.due.next_sequence, *says])


def _read_claims(state: LastingState, part: str, rows: Mapping[str, bytes], says: list[int]) -> list[str]:
    claims = state.claims
    claims.evicted = sum(says)
    return [key for key in sorted(rows, key=lambda key: claims.turn_of(rows[key])) if not claims.take(key, rows[key])]


_READ: Final[Mapping[str, Callable[[LastingState, str, Mapping[str, bytes], list[int]], list[str] | None]]] = {
    META: lambda state, part, rows, says: None,
    LOG: _read_log,
    STREAM: _read_numbers,
    COUNTER: _read_numbers,
    FACT: _read_facts,
    DUE: _read_due,
    CLAIM: _read_claims,
}


K = TypeVar("K")
V = TypeVar("V")


class Noted(dict[K, V]):
    """A dict that notes its changed keys, and in `touched` that there are any, when the store's methods change it."""

    __slots__ = ("changed", "part", "touched")

    def __init__(self, part: str, touched: dict[str, Noted[Any, Any]]) -> None:
        super().__init__()
        self.part = part
        self.changed: dict[K, None] = {}
        self.touched = touched

    def note(self, key: K) -> None:
        """Notes that the value of a key has changed or was deleted."""
        self.changed[key] = None
        self.touched[self.part] = self

    def __setitem__(self, key: K, value: V) -> None:
        self.changed[key] = None
        self.touched[self.part] = self
        dict.__setitem__(self, key, value)

    def __delitem__(self, key: K) -> None:
        self.note(key)
        dict.__delitem__(self, key)

    def pop(self, key: K, *default: Any) -> Any:
        if key in self:
            self.note(key)
        return dict.pop(self, key, *default)

    def update(self, items: Any = (), /, **more: Any) -> None:
        for key, value in dict(items, **more).items():
            self[key] = value

    def clear(self) -> None:
        for key in self:
            self.note(key)
        dict.clear(self)


class _LastingLog(Log):
    """A log with passing lines, which are not saved: after a restart its lines have gaps, up to `gaps_until`."""

    __slots__ = ("first", "passed", "passing")

    def __init__(self, lines: Noted[int, Kept | Block], bound: int | None, byte_counter: ByteCounter | None) -> None:
        super().__init__(bound, byte_counter)
        self.lines: Noted[int, Kept | Block] = lines
        self.passing: set[int] = set()
        self.first = 1
        """No earlier line is stored."""
        self.passed = 0
        """The number of missing lines between those that were loaded."""

    def take(self, last: int, dropped: int, lines: Mapping[int, Kept]) -> None:
        """Takes the loaded lines, in their order."""
        self.remember(lines)
        self.last = self.gaps_until = max(last, *lines) if lines else last
        self.first = next(iter(lines), self.last + 1)
        # The missing lines count as dropped.
        self.passed = self.last + 1 - self.first - len(lines)
        self.dropped = dropped + self.passed

    def pass_by(self, value: Any, beside: bytes | None = None) -> Sequence[StoredLine]:
        """Writes a line that is not saved, and causes no commit, even if it displaces others."""
        lines, was_touched = self.lines, self.lines.part in self.lines.touched
        self.passing.add(self.last + 1)
        fallen = self.append(value, beside)
        if not was_touched:
            del lines.touched[lines.part]
        return fallen

    def compress(self, first: int) -> None:
        """Compresses nothing: lines are saved one by one."""

    def drop_oldest(self) -> StoredLine:
        dropped = super().drop_oldest()
        if self.first in self.passing:
            self.passing.discard(self.first)
            del self.lines.changed[self.first]  # it was never saved
        return dropped

    def _oldest(self) -> int:
        while self.first not in self.lines:
            self.first += 1
        return self.first

    def put_back(self, fallen: Iterable[StoredLine]) -> None:
        lines = list(fallen)
        super().put_back(lines)
        self.first = min([self.first, *(number for number, _ in lines)])

    def numbered(self, after: int, limit: int | None) -> Sequence[NumberedLine]:
        if after >= self.gaps_until or self.first > self.gaps_until:
            return super().numbered(after, limit)
        found = sorted(number for number in self.lines if number > after)
        return list(opened((number, self.lines[number]) for number in found[:limit]))
