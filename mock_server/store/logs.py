"""Append-only logs, limited by lines and by bytes: over the limit, the oldest lines are dropped and counted.

Older lines are read seldom and resemble each other, so they are compressed, sixty-four together: a full journal takes a
fifth of the memory, and reading all of it up to 10 ms more. They count with their size before.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from msgspec import Struct

from mock_server.store import records
from mock_server.store.byte_bounds import LINE, UNBOUNDED, ByteCounter
from mock_server.store.protocol import LogEntry, Undo
from mock_server.store.records import Kept

H = TypeVar("H")
NumberedLine = tuple[int, Kept]
BLOCK: Final = 64
"""The number of lines that are compressed together."""
OPEN: Final = 128
"""The newest lines are not compressed: most tests write fewer."""
SMALL: Final = 16 * 1024
LARGE: Final = 256 * 1024
"""Nor are blocks with fewer bytes, as ids, where little is gained, or with more, which would hold up others."""


class Block(Struct, frozen=True):
    """Compressed lines: the number of the first, their texts, their shared bytes as they are, and their sizes."""

    first: int
    texts: bytes
    beside: tuple[bytes | None, ...]
    weights: tuple[int, ...]


StoredLine = tuple[int, Kept | Block]


def weight(line: StoredLine) -> int:
    """The size of a line, with its shared bytes."""
    number, kept = line
    if isinstance(kept, Block):
        return kept.weights[number - kept.first]
    return LINE + (len(kept[0]) + len(kept[1]) if isinstance(kept, tuple) else len(kept))


def opened(lines: Iterable[StoredLine]) -> Iterator[NumberedLine]:
    """The lines in their order, each block decompressed once."""
    block: Block | None = None
    texts: list[bytes] = []
    for number, kept in lines:
        if not isinstance(kept, Block):
            yield number, kept
            continue
        if kept is not block:
            block, texts = kept, records.unpack(zlib.decompress(kept.texts))
        text, beside = texts[number - kept.first], kept.beside[number - kept.first]
        yield number, text if beside is None else (text, beside)


def entry(sequence: int, kept: Kept) -> LogEntry:
    """Decodes a line."""
    if isinstance(kept, tuple):
        return LogEntry(sequence, records.unpack(kept[0]), kept[1])
    return LogEntry(sequence, records.unpack(kept))


def heads(lines: Iterable[NumberedLine], head: type[H]) -> Iterator[tuple[H, NumberedLine]]:
    """The fields of a Struct, read from each line; `entry` decodes the lines that are needed."""
    peek = records.peeker(head)
    return ((peek(line[1][0] if isinstance(line[1], tuple) else line[1]), line) for line in lines)


class Log:
    """Packed lines by number; numbers continue after lines are dropped. Up to `gaps_until`, lines can be missing."""

    __slots__ = ("bound", "byte_counter", "dropped", "gaps_until", "last", "lines")

    def __init__(self, bound: int | None = None, byte_counter: ByteCounter | None = None) -> None:
        self.bound = UNBOUNDED if bound is None else bound
        self.byte_counter = ByteCounter() if byte_counter is None else byte_counter
        self.lines: dict[int, Kept | Block] = {}
        self.last = 0
        self.dropped = 0
        self.gaps_until = 0

    def append(self, value: Any, beside: bytes | None = None) -> Sequence[StoredLine]:
        """Appends a line; gives those that were dropped for it."""
        try:
            packed = records.pack_usual(value)  # as `pack` does, without a call for most
        except records.UNUSUAL:
            packed = records.pack(value)
        kept: Kept = packed if beside is None else (packed, beside)
        self.last = sequence = self.last + 1
        self.lines[sequence] = kept
        byte_counter = self.byte_counter
        byte_counter.here += LINE + len(packed) + (0 if beside is None else len(beside))
        if not sequence % BLOCK:
            self.compress(sequence - OPEN - BLOCK + 1)
        return () if len(self.lines) <= self.bound and byte_counter.here <= byte_counter.most else self.drop_surplus()

    pass_by = append
    """Writes a line that need not last where others outlive the process."""

    def compress(self, first: int) -> None:
        """Compresses a block, if it has all of its lines."""
        numbers = range(first, first + BLOCK)
        lines = [line for line in map(self.lines.get, numbers) if isinstance(line, bytes | tuple)]
        weights = tuple(map(weight, zip(numbers, lines, strict=False)))
        if len(lines) == BLOCK and SMALL <= sum(weights) <= LARGE:
            texts, beside = zip(*[line if isinstance(line, tuple) else (line, None) for line in lines], strict=True)
            block = Block(first, zlib.compress(records.pack_usual(texts), 1), beside, weights)
            self.lines.update(dict.fromkeys(numbers, block))

    def load(self, last: int, dropped: int, lines: Sequence[Kept]) -> None:
        """Loads the lines of a dump, whose last one has this number."""
        self.last, self.dropped, self.gaps_until = last, dropped, last if dropped else 0
        self.remember(dict(enumerate(lines, last - len(lines) + 1)))

    def drop(self, until: int) -> None:
        """Drops the oldest lines until at most this number of bytes is left, but never the last line."""
        while self.byte_counter.here > until and len(self.lines) > 1:
            self.drop_oldest()

    def drop_surplus(self) -> list[StoredLine]:
        """Lets the oldest lines go that are over a bound."""
        fallen = []
        while len(self.lines) > self.bound or (self.byte_counter.is_over and len(self.lines) > 1):
            fallen.append(self.drop_oldest())
        return fallen

    def drop_oldest(self) -> StoredLine:
        """Drops the oldest line, counts it, and gives it."""
        fallen = (oldest := self._oldest()), self.lines.pop(oldest)
        self.byte_counter.here -= weight(fallen)
        self.byte_counter.dropped += 1
        self.dropped += 1
        return fallen

    def numbered(self, after: int, limit: int | None) -> Sequence[NumberedLine]:
        """The lines after a number, the oldest first."""
        first = max(after, self.last - len(self.lines)) + 1
        stop = self.last + 1 if limit is None else min(self.last + 1, first + limit)
        return list(opened((sequence, self.lines[sequence]) for sequence in range(first, stop)))

    def amend(self, sequence: int, value: Any) -> Undo | None:
        """Replaces a line's value; None if the line was dropped."""
        old = self.lines.get(sequence)
        if old is None:
            return None
        packed = records.pack(value)
        _, was = next(opened(((sequence, old),)))
        self._replace(sequence, (packed, was[1]) if isinstance(was, tuple) else packed)
        return partial(self._replace, sequence, old)

    def forget(self) -> tuple[int, Undo]:
        """Empties the log; gives the number of lines, and the undo."""
        old = self.lines.copy()
        self.lines.clear()
        self.byte_counter.here -= sum(map(weight, old.items()))
        return len(old), partial(self.remember, old)

    def put_back(self, fallen: Iterable[StoredLine]) -> None:
        """Restores lines that were dropped in a failed transaction."""
        for line in fallen:
            self.lines[line[0]] = line[1]
            self.byte_counter.here += weight(line)
            self.byte_counter.dropped -= 1
            self.dropped -= 1

    def take_back(self, fallen: Iterable[StoredLine] = ()) -> None:
        """Undoes an append, for which these lines were dropped."""
        self.byte_counter.here -= weight((self.last, self.lines.pop(self.last)))
        self.last -= 1
        self.put_back(fallen)

    def _oldest(self) -> int:
        return self.last - len(self.lines) + 1

    def _replace(self, sequence: int, kept: Kept | Block) -> None:
        self.byte_counter.here += weight((sequence, kept)) - weight((sequence, self.lines[sequence]))
        self.lines[sequence] = kept

    def remember(self, lines: Mapping[int, Kept | Block]) -> None:
        """Adds loaded lines, or those that were forgotten."""
        self.lines.update(lines)
        self.byte_counter.here += sum(map(weight, lines.items()))
