"""What callers and the store agree on: kinds of records, scheduled events, lines of logs, claims, and errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar

from msgspec import Struct, ValidationError

R = TypeVar("R")

NEVER = 2**63 - 1
"""The time of what never happens."""
Undo = Callable[[], object]
"""Undoes one write; several are undone in reverse order."""

CLAIMS: Final = "idempotency"
"""The kind of data of stored answers."""
JOURNAL: Final = "journal"
"""The log of calls."""


class DumpRefused(ValueError):
    """A dump that this version cannot load; the message names the position."""


class StateRefused(ValueError):
    """Stored state that this server cannot use; the text says where it is, and why."""


class StateDamaged(StateRefused):
    """Stored state that is damaged."""


MACHINE_FAULTS: Final = (MemoryError, OSError, ImportError)
"""Exceptions while a dump is read that are never its fault."""


@contextmanager
def faults_of(where: str) -> Iterator[None]:
    """Turns any error of reading what is stored into a DumpRefused with its place, except those of the machine."""
    try:
        yield
    except MACHINE_FAULTS:
        raise
    except Exception as wrong:
        said = wrong if isinstance(wrong, DumpRefused | ValidationError) else f"{type(wrong).__name__} {wrong}"
        raise DumpRefused(f"{where}: {said}") from wrong


class Index(Struct, Generic[R], frozen=True):
    """A value by which lists can filter records: the attribute `of`, or the result of the function `of`.

    None is not indexed; a tuple is several values. The function is only called if the attribute `where` is not None.
    `on_demand`: records wait for the first question to be entered.
    """

    name: str
    of: str | Callable[[R], object]
    where: str = "__class__"
    on_demand: bool = False

    def reader(self) -> Callable[[R], object]:
        """The function that reads its value from a record in which `where` is not None."""
        return attrgetter(self.of) if isinstance(self.of, str) else self.of


class RecordKind(Struct, Generic[R], frozen=True, eq=False):
    """A kind of record: its key, its creation time (ms), and its indexes.

    Records are frozen Structs. Records of one kind are ordered by (created, number): the number is given by the
    store at the first put and never changes. `sort` is the kind of data for the byte limit, if there is one.
    """

    name: str
    type: type[R]
    key: Callable[[R], str]
    created: Callable[[R], int]
    indexes: tuple[Index[R], ...] = ()
    sort: str = ""


class Due(Struct, frozen=True):
    """A scheduled event: what to do, for which subject, at a time of the workspace's clock (ms)."""

    at: int
    sequence: int
    what: str
    subject: str
    argument: str = ""


class LogEntry(Struct, frozen=True):
    """One line of a log: its number (from 1, never reused), its value, and bytes shared with a record, in no dump."""

    sequence: int
    value: Any
    beside: bytes | None = None


class Claim(Struct, frozen=True):
    """The owner of an idempotency key; `digest` is the canonical body's HMAC, `answer` None while the call runs."""

    owner: str
    digest: bytes
    expires_at: int
    answer: Any = None
