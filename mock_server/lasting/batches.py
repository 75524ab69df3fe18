"""The data of one commit, where it is written, and what is known about a workspace that is not in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from msgspec import Struct

from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.faults import PassOn
from mock_server.store.protocol import StateRefused

Row = tuple[str, bytes, bytes | None]
"""Part, key, and the value; None if the row is deleted. Part and key are unique in a batch."""
Ask = Callable[..., list[Any]]
"""Sends a statement with its values; gives its rows, or else the number of changed rows. Raises DataLost."""
FORMAT: Final = 2
"""The version of the tables and their contents. Format 1 was never released."""
NUMBERS: Final = 32
"""The number of bits for a start's spaces in their numbers; the bits above are the start, so that each is unique."""
SLICE: Final = 500
"""How many rows are read or deleted before other threads get their turn."""
_READ: Final = (
    "SELECT part, key, value FROM rows WHERE space = %s AND (part, key) > (%s, %s) ORDER BY part, key LIMIT %s"
)
_VALUE: Final = "SELECT value FROM rows WHERE space = %s AND part = %s AND key = %s"
_CLEAR: Final = "DELETE FROM rows WHERE {row_id} IN (SELECT {row_id} FROM rows WHERE space = %s LIMIT %s)"
NOTHING_CHANGED: Final = "nothing was changed. Try again when it can"
NOT_KNOWN: Final = (
    "it is not known whether anything was changed. Repeat the call only with the X-Idempotency-Key that it had; "
    "after one without a key, look first"
)
LOST: Final = "another replica may have taken the workspace over"
GARBAGE: Final = (
    "WITH RECURSIVE found (space) AS (SELECT min(space) FROM rows UNION ALL "
    "SELECT (SELECT min(space) FROM rows WHERE space > found.space) FROM found WHERE found.space IS NOT NULL) "
    "SELECT space FROM found WHERE space IS NOT NULL "
    "AND NOT EXISTS (SELECT 1 FROM workspaces AS w WHERE w.space = found.space)"
)


class DataLost(Exception):
    """The file or database cannot be written or read at present; the text says why."""


def not_saved(trouble: str, outcome: str = NOTHING_CHANGED) -> Refusal:
    """The refusal of a call whose change cannot be saved."""
    return Refusal(Cause.NOT_SAVED, reason=trouble, outcome=outcome)


@contextmanager
def refused_where_lost(outcome: str = NOTHING_CHANGED) -> Iterator[None]:
    """Turns a DataLost into the refusal of the call."""
    try:
        yield
    except DataLost as lost:
        raise not_saved(str(lost), outcome) from lost


class Fenced(Exception):
    """Nothing of a batch was written, because the workspaces with these `names` belong to another replica now."""

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__(", ".join(sorted(names)))
        self.names = names


class Token(Struct):
    """A replica's proof that it owns a workspace: its start, its fence number, the number of its commits."""

    owner: int
    fence: int
    version: int = 0


class Resting(Struct, frozen=True):
    """The space with the rows of a name (None: there are none), and the real time (ms) of its next scheduled event."""

    name: str
    space: int | None
    due_at: int | None = None
    token: Token | None = None
    """Only with replicas."""
    merchant: str | None = None


class Known(Struct, frozen=True):
    """The result of looking for a workspace that is not in memory: nothing, its owner's address, or a problem."""

    until: float
    """Until this time (monotonic seconds), it is not looked for again."""
    url: str | None = None
    trouble: str | None = None

    def check(self, forget: Callable[[], object]) -> None:
        """Passes the call on, or refuses it as `not_saved`, unless nothing was found."""
        if self.trouble is not None:
            raise not_saved(self.trouble)
        if self.url is not None:
            raise PassOn(self.url, forget)


class Batch(Struct):
    """One commit: rows by space, workspaces, new shapes; `number` is its last change's, `gone` are removed spaces."""

    rows: dict[int, list[Row]]
    workspaces: list[Resting]
    shapes: Mapping[int, str]
    number: int = 0
    gone: Sequence[int] = ()

    def puts(self) -> list[tuple[Any, ...]]:
        """The rows to write."""
        return [(space, *row) for space, rows in self.rows.items() for row in rows if row[2] is not None]

    def drops(self) -> list[tuple[Any, ...]]:
        """The keys of the rows to delete."""
        return [(space, *row[:2]) for space, rows in self.rows.items() for row in rows if row[2] is None]

    def without(self, names: frozenset[str]) -> Batch:
        gone = {workspace.space for workspace in self.workspaces if workspace.name in names}
        rows = {space: found for space, found in self.rows.items() if space not in gone}
        workspaces = [workspace for workspace in self.workspaces if workspace.name not in names]
        return Batch(rows, workspaces, self.shapes, self.number, self.gone)


class Rows(ABC):
    """A file or a database with rows; every failure is a DataLost."""

    path: str
    reads: Ask
    writes: Ask
    row_id: str
    """The database's name for a row's position."""

    def check_format(self, version: int) -> None:
        """Raises StateRefused if it was written by a version that this one cannot read."""
        if version != FORMAT:
            other = "a newer version" if version > FORMAT else "a version from before the first release"
            raise StateRefused(f"{self.path} was written by {other} (format {version}; this one knows {FORMAT})")

    def workspaces(self) -> list[Resting]:
        """Every workspace that this server owns at its start."""
        return []

    def garbage(self) -> list[int]:
        """The spaces whose rows belong to no workspace, because it was reset or closed."""
        return [space for (space,) in self.writes(GARBAGE)]

    def shapes(self) -> dict[int, str]:
        """The shapes of all records, by their numbers."""
        return dict(self.reads("SELECT number, shape FROM shapes"))

    def rows(self, space: int) -> Iterator[list[tuple[str, bytes, bytes]]]:
        """A space's rows in slices; other threads can write between them."""
        part, key = "", b""
        while found := self.reads(_READ, space, part, key, SLICE):
            yield found
            part, key, _ = found[-1]

    def value(self, space: int, part: str, key: str) -> bytes | None:
        """The value of a row, or None."""
        return next((value for (value,) in self.reads(_VALUE, space, part, coded(key))), None)

    def count(self, space: int, part: str) -> int:
        """The number of rows of a part of a space."""
        return int(self.reads("SELECT count(*) FROM rows WHERE space = %s AND part = %s", space, part)[0][0])

    def clear(self, space: int) -> bool:
        """Deletes some rows of a removed space; gives whether there are more."""
        return self.writes(_CLEAR.format(row_id=self.row_id), space, SLICE) == [SLICE]

    @abstractmethod
    def write(self, batch: Batch) -> None:
        """Writes all of it in one commit, or nothing. Raises Fenced if another replica owns one of its workspaces."""

    @abstractmethod
    def close(self) -> None:
        """Closes it."""


def coded(text: str) -> bytes:
    """A text as a key: ids can contain characters that a text in PostgreSQL cannot."""
    return text.encode("utf-8", "surrogatepass")


def decoded(key: bytes) -> str:
    """The text of a key."""
    return key.decode("utf-8", "surrogatepass")
