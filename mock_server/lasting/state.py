"""A space's state as rows: what of it changed since it was last saved, and a state made of rows that were read.

A row is (part, key, value); a part is everything of one sort. Of what can be told from the rows themselves (the last
line's number, the next sequence) nothing else is kept; where rows went, a row of the part `meta` says the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

import msgspec

from mock_server.lasting.batches import Row, Rows
from mock_server.lasting.noted import LastingLog, Noted
from mock_server.store import records, values
from mock_server.store.byte_bounds import Pan
from mock_server.store.protocol import Due, DumpRefused, Kept, RecordKind, StateRefused
from mock_server.store.state import WEIGHED_LOGS, SpaceState
from mock_server.store.table import Hot, RecordTable

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


class LastingState(SpaceState):
    """A state that knows which of its rows changed."""

    __slots__ = ("touched",)

    def __init__(self, hot: Hot, bounds: Mapping[str, int], max_claims: int, pans: dict[str, Pan] | None) -> None:
        super().__init__(hot, bounds, max_claims, pans)
        self.touched: list[Noted[Any, Any]] = []
        self.streams: Noted[str, int] = Noted(STREAM, self.touched)
        self.counters: Noted[str, int] = Noted(COUNTER, self.touched)
        self.facts: Noted[str, Any] = Noted(FACT, self.touched)
        self.due.entries = Noted(DUE, self.touched)
        self.claims.held = Noted(CLAIM, self.touched)

    def log(self, name: str) -> LastingLog:
        log = self.logs.get(name)
        if log is None:
            pan = self.pans.get(name) if name in WEIGHED_LOGS else None
            log = self.logs[name] = LastingLog(Noted(LOG + name, self.touched), self._bounds.get(name), pan)
        assert isinstance(log, LastingLog)
        return log

    def _learned(self, kind: RecordKind[R]) -> RecordTable[R]:
        table = super()._learned(kind)
        rows: Noted[str, records.Kept] = Noted(RECORD + kind.name, self.touched)
        rows.update(table.rows)  # there are some where a snapshot is put back
        table.rows = rows
        return table

    # saving

    def changes(self) -> list[Row]:
        """The rows that are other ones than when this was last asked; called with the lock held."""
        found: list[Row] = []
        for noted in self.touched:
            part, write = noted.part, _WRITE.get(noted.part, joined)
            passing = self.log(part.removeprefix(LOG)).passing if part.startswith(LOG) else ()
            has_gone = False
            for key in noted.changed:
                if key in passing:
                    continue
                value = noted.get(key)
                has_gone = has_gone or value is None
                found.append((part, str(key), None if value is None else write(value)))
            if noted.changed and (has_gone or part == DUE):
                found.append((META, part, values.pack(self._meta(part))))
            noted.changed = {}
        self.touched.clear()
        for name, log in self.logs.items():
            if isinstance(log, LastingLog) and log.faded:
                found += [(LOG + name, str(number), None) for number in log.faded]
                found.append((META, LOG + name, values.pack(self._meta(LOG + name))))
                log.faded = []
        return found

    def metas(self) -> list[Row]:
        """What no row tells, of every part: a state that was not made step by step has said nothing of it yet."""
        parts = [*(RECORD + name for name in self.tables), *(LOG + name for name in self.logs), DUE, CLAIM]
        return [(META, part, values.pack(self._meta(part))) for part in parts]

    def _meta(self, part: str) -> list[int]:
        """What the rows of a part that are left do not tell."""
        if part.startswith(RECORD):
            return [self.tables[part.removeprefix(RECORD)].next_number]
        if part.startswith(LOG):
            log = self.log(part.removeprefix(LOG))
            return [log.last, log.dropped - log.passed]
        return [self.due.next_sequence] if part == DUE else [self.claims.evicted]


# at rest and back


def joined(kept: Kept | records.Kept) -> bytes:
    """A line or a record as one text, with what is shared beside it."""
    if isinstance(kept, tuple):
        return b"\1" + len(kept[0]).to_bytes(_LENGTH, "little") + kept[0] + kept[1]
    return b"\0" + kept


def parted(value: bytes) -> Kept:
    """What `joined` was given."""
    if value[:1] == b"\0":
        return value[1:]
    begin = 1 + _LENGTH
    end = begin + int.from_bytes(value[1:begin], "little")
    return value[begin:end], value[end:]


def _whole_number(value: int) -> bytes:
    return b"%d" % value


_WRITE: Final[Mapping[str, Callable[[Any], bytes]]] = {
    STREAM: _whole_number,
    COUNTER: _whole_number,
    FACT: values.pack,
    DUE: bytes,
    CLAIM: bytes,
}


def by_part(
    slices: Iterable[Iterable[tuple[str, str, bytes]]], breathe: Callable[[], object]
) -> dict[str, dict[str, bytes]]:
    """A space's rows, as `read` takes them; `breathe` is called after each slice."""
    parts: dict[str, dict[str, bytes]] = {}
    for rows in slices:
        for part, key, value in rows:
            parts.setdefault(part, {})[key] = value
        breathe()
    return parts


def new_shapes(rows: Rows, kinds: Iterable[RecordKind[Any]]) -> dict[int, str]:
    """Makes known how earlier versions wrote records, so that theirs are read; gives what is new in this one."""
    types = {kind.type.__qualname__: kind.type for kind in kinds}
    earlier = rows.shapes()
    for shape in earlier.values():
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
    """Puts the rows of a space, by part and key, into its empty state; what has changed by reading is noted there.

    `breathe` is called between records, of which there may be many. Raises DumpRefused with the part that does not fit.
    """
    known: dict[str, RecordKind[Any]] = {RECORD + kind.name: kind for kind in kinds}
    meta = {part: values.unpack(value) for part, value in parts.get(META, {}).items()}
    for part in {**parts, **dict.fromkeys(meta)}:
        rows, says = parts.get(part, {}), meta.get(part, [])
        try:
            if part.startswith(RECORD):
                _read_records(state, known[part], rows, says, breathe)
            elif part.startswith(LOG):
                _read_log(state, part.removeprefix(LOG), rows, says)
            elif part != META:
                _READ[part](state, rows, says)
        except KeyError as unknown:
            raise DumpRefused(f"{part}: unknown part") from unknown
        except (TypeError, ValueError, IndexError, OverflowError) as wrong:
            raise DumpRefused(f"{part}: {type(wrong).__name__} {wrong}") from wrong
    state.touched[:] = [noted for noted in state.touched if noted.changed]


def _read_records(
    state: LastingState,
    kind: RecordKind[Any],
    rows: Mapping[str, bytes],
    says: list[int],
    breathe: Callable[[], object],
) -> None:
    table = state.table(kind)
    found: dict[str, records.Kept] = {}
    earlier: set[str] = set()
    for key, value in rows.items():
        kept = parted(value)
        found[key] = now = records.as_now(kind.type, kept)
        if now is not kept:
            earlier.add(key)
        breathe()
    for key in sorted(found, key=lambda key: records.place(found[key])[1]):
        table.take(key, found[key])
        breathe()
    _unnote(table.rows, (key for key in found if key not in earlier))
    table.next_number = max([table.next_number, *says])


def _read_log(state: LastingState, name: str, rows: Mapping[str, bytes], says: list[int]) -> None:
    log = state.log(name)
    last, dropped = says or (0, 0)
    log.take(last, dropped, {number: parted(rows[str(number)]) for number in sorted(map(int, rows))})
    _unnote(log.lines, tuple(log.lines))


def _read_numbers(numbers: dict[str, int], rows: Mapping[str, bytes]) -> None:
    for name, value in rows.items():
        numbers[name] = int(value)
    _unnote(numbers, rows)


def _read_facts(state: LastingState, rows: Mapping[str, bytes]) -> None:
    for name, value in rows.items():
        state.set_fact(name, values.unpack(value))
    _unnote(state.facts, rows)


def _read_due(state: LastingState, rows: Mapping[str, bytes], says: list[int]) -> None:
    for sequence in sorted(map(int, rows)):
        at, what, subject, argument = _due(rows[str(sequence)])
        state.due.put(Due(at, sequence, what, subject, argument))
    state.due.next_sequence = max([state.due.next_sequence, *says])
    _unnote(state.due.entries, map(int, rows))


def _read_claims(state: LastingState, rows: Mapping[str, bytes], says: list[int]) -> None:
    claims = state.claims
    held = claims.held
    assert isinstance(held, Noted)
    for key, value in sorted(rows.items(), key=lambda row: claims.turn_of(row[1])):
        if claims.take(key, value):
            _unnote(held, (key,))
        else:
            held.note(key)
    claims.evicted = sum(says)


def _unnote(noted: Mapping[Any, Any], keys: Iterable[Any]) -> None:
    """Forgets that these changed: they are as they were read."""
    assert isinstance(noted, Noted)
    for key in keys:
        noted.changed.pop(key, None)


_READ: Final[Mapping[str, Callable[[LastingState, Mapping[str, bytes], list[int]], None]]] = {
    STREAM: lambda state, rows, says: _read_numbers(state.streams, rows),
    COUNTER: lambda state, rows, says: _read_numbers(state.counters, rows),
    FACT: lambda state, rows, says: _read_facts(state, rows),
    DUE: _read_due,
    CLAIM: _read_claims,
}
