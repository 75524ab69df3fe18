"""What is written in one commit, what keeps it, and what is known of a workspace whose rows nobody has read."""

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
"""Part, key, and the value; None where there is no such row any more. A row's part and key come once in a batch."""
Ask = Callable[..., list[Any]]
"""Sends a statement with its values; gives what it gives, or else how many rows it changed. Raises DataLost."""
FORMAT: Final = 2
"""Of the tables and of what is in them. Nobody was given one with the format 1."""
NUMBERS: Final = 32
"""The numbers of a start's spaces have so many bits, so that none is given twice; above them stands the start."""
SLICE: Final = 500
"""So many rows are read, or cleared away, before others get their turn."""
_READ: Final = (
    "SELECT part, key, value FROM rows WHERE space = %s AND (part, key) > (%s, %s) ORDER BY part, key LIMIT %s"
)
_VALUE: Final = "SELECT value FROM rows WHERE space = %s AND part = %s AND key = %s"
_CLEAR: Final = "DELETE FROM rows WHERE {place} IN (SELECT {place} FROM rows WHERE space = %s LIMIT %s)"
NOTHING_CHANGED: Final = "nothing was changed"
NOT_KNOWN: Final = "it is not known whether anything was changed"
LOST: Final = "another replica may have taken the workspace over"
GARBAGE: Final = (
    "WITH RECURSIVE found (space) AS (SELECT min(space) FROM rows UNION ALL "
    "SELECT (SELECT min(space) FROM rows WHERE space > found.space) FROM found WHERE found.space IS NOT NULL) "
    "SELECT space FROM found WHERE space IS NOT NULL "
    "AND NOT EXISTS (SELECT 1 FROM workspaces AS w WHERE w.space = found.space)"
)


class DataLost(Exception):
    """What keeps the rows cannot be written or read any more, for now; the text says why."""


def not_saved(trouble: str, outcome: str = NOTHING_CHANGED) -> Refusal:
    """The refusal of a call whose change cannot be saved."""
    return Refusal(Cause.NOT_SAVED, reason=trouble, outcome=outcome)


@contextmanager
def refused_where_lost(outcome: str = NOTHING_CHANGED) -> Iterator[None]:
    """Within it, a DataLost is the refusal of the call."""
    try:
        yield
    except DataLost as lost:
        raise not_saved(str(lost), outcome) from lost


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


class Known(Struct, frozen=True):
    """What was found when a workspace was asked for that is not here: nothing, its owner's address, or trouble."""

    until: float
    """So long (monotonic seconds) it is not asked for again."""
    url: str | None = None
    trouble: str | None = None

    def tell(self) -> None:
        """Passes the call on, or refuses it as `not_saved`, unless there was nothing."""
        if self.trouble is not None:
            raise not_saved(self.trouble)
        if self.url is not None:
            raise PassOn(self.url)


class Batch(Struct):
    """What one commit writes: rows by space, workspaces (of a name the last one holds), new shapes of records.

    `number` is that of the last change in it; `gone` are the spaces that are no more with it.
    """

    rows: dict[int, list[Row]]
    workspaces: list[Resting]
    shapes: Mapping[int, str]
    number: int = 0
    gone: Sequence[int] = ()

    @property
    def size(self) -> int:
        """How many rows it writes."""
        return sum(map(len, self.rows.values()))

    def puts(self) -> list[tuple[Any, ...]]:
        """The rows that there are from then on."""
        return [(space, *row) for space, rows in self.rows.items() for row in rows if row[2] is not None]

    def drops(self) -> list[tuple[Any, ...]]:
        """Where rows stand that there are no more."""
        return [(space, *row[:2]) for space, rows in self.rows.items() for row in rows if row[2] is None]

    def without(self, names: frozenset[str]) -> Batch:
        """The same without some workspaces."""
        gone = {one.space for one in self.workspaces if one.name in names}
        rows = {space: found for space, found in self.rows.items() if space not in gone}
        workspaces = [one for one in self.workspaces if one.name not in names]
        return Batch(rows, workspaces, self.shapes, self.number, self.gone)


class Rows(ABC):
    """What keeps the rows: a file, or a database; every failure is a DataLost."""

    path: str
    reads: Ask
    writes: Ask
    place: str
    """How the database calls where a row stands."""

    def check_format(self, version: int) -> None:
        """Raises StateRefused where another version has written it that this one does not read."""
        if version != FORMAT:
            other = "a newer version" if version > FORMAT else "a version from before the first release"
            raise StateRefused(f"{self.path} was written by {other} (format {version}; this one knows {FORMAT})")

    def workspaces(self) -> list[Resting]:
        """Every workspace that is this server's before it has claimed any."""
        return []

    def garbage(self) -> list[int]:
        """The spaces whose rows are nobody's: of workspaces that were reset or closed."""
        return [space for (space,) in self.writes(GARBAGE)]

    def shapes(self) -> dict[int, str]:
        """The shapes of all records, by their numbers."""
        return dict(self.reads("SELECT number, shape FROM shapes"))

    def rows(self, space: int) -> Iterator[list[tuple[str, bytes, bytes]]]:
        """A space's rows in slices; others write between them."""
        part, key = "", b""
        while found := self.reads(_READ, space, part, key, SLICE):
            yield found
            part, key, _ = found[-1]

    def value(self, space: int, part: str, key: str) -> bytes | None:
        """One row's value, if there is such a row."""
        return next((value for (value,) in self.reads(_VALUE, space, part, coded(key))), None)

    def count(self, space: int, part: str) -> int:
        """How many rows a part of a space has."""
        return int(self.reads("SELECT count(*) FROM rows WHERE space = %s AND part = %s", space, part)[0][0])

    def clear(self, space: int) -> bool:
        """Clears some rows of a space away that is no more; whether there are others."""
        return self.writes(_CLEAR.format(place=self.place), space, SLICE) == [SLICE]

    @abstractmethod
    def write(self, batch: Batch) -> None:
        """Writes all of it in one commit, or nothing. Raises Fenced where workspaces of it are others' by now."""

    @abstractmethod
    def close(self) -> None:
        """Lets it go."""


# ids come from paths and from snapshots that somebody wrote: no text of PostgreSQL's holds all that one of ours may


def coded(text: str) -> bytes:
    """A text as a key."""
    return text.encode("utf-8", "surrogatepass")


def decoded(key: bytes) -> str:
    """The text of a key."""
    return key.decode("utf-8", "surrogatepass")
