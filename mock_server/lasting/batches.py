"""What is written in one commit, and what is known of a workspace whose rows nobody has read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Protocol

from msgspec import Struct

Row = tuple[str, str, bytes | None]
"""Part, key, and the value; None where there is no such row any more."""
NUMBERS: Final = 32
"""The numbers of a start's spaces have so many bits, so that none is given twice; above them stands the start."""


class DataLost(Exception):
    """What keeps the rows cannot be written or read any more, for now; the text says why."""


class Fenced(Exception):
    """A batch of which nothing was written, since workspaces of these `names` are another replica's by now."""

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__(", ".join(sorted(names)))
        self.names = names


class Token(Struct):
    """By what a replica proves that a workspace is its own: its start, the fence it drew, its commits until now."""

    owner: int
    fence: int
    version: int = 0


class Resting(Struct, frozen=True):
    """Where a name's rows are (None: it has none any more), and the real instant (ms) of its next due work, if any."""

    name: str
    space: int | None
    due_at: int | None = None
    token: Token | None = None
    """Where others could own it."""
    merchant: str | None = None
    """Whose it is, where the name's row says so."""


class Batch(Struct):
    """What one commit writes: rows by space, workspaces (of a name the last one holds), new shapes of records."""

    rows: dict[int, list[Row]]
    workspaces: list[Resting]
    shapes: Mapping[int, str]

    @property
    def size(self) -> int:
        """How many rows it writes."""
        return sum(map(len, self.rows.values()))

    def without(self, names: frozenset[str]) -> Batch:
        """The same without some workspaces."""
        gone = {one.space for one in self.workspaces if one.name in names}
        rows = {space: found for space, found in self.rows.items() if space not in gone}
        return Batch(rows, [one for one in self.workspaces if one.name not in names], self.shapes)


class Rows(Protocol):
    """What keeps the rows: a file, or a database."""

    path: str

    def workspaces(self) -> list[Resting]: ...
    def garbage(self) -> list[int]: ...
    def shapes(self) -> dict[int, str]: ...
    def rows(self, space: int) -> Iterator[list[tuple[str, str, bytes]]]: ...
    def value(self, space: int, part: str, key: str) -> bytes | None: ...
    def count(self, space: int, part: str) -> int: ...
    def write(self, batch: Batch) -> None: ...
    def clear(self, space: int) -> bool: ...
    def close(self) -> None: ...


def joined(before: Batch | None, batch: Batch) -> Batch:
    """What could not be saved, and behind it what came since then: of a row the later value holds."""
    if before is None:
        return batch
    numbers = {**before.rows, **batch.rows}
    rows = {number: [*before.rows.get(number, ()), *batch.rows.get(number, ())] for number in numbers}
    return Batch(
        {number: list({row[:2]: row for row in found}.values()) for number, found in rows.items()},
        [*before.workspaces, *batch.workspaces],
        {**before.shapes, **batch.shapes},
    )
