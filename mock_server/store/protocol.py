"""The interface to all state that could be changed concurrently.

Nothing outside the store holds a lock, a Condition, a dict of state or a counter. A *space* is one generation of a
workspace (or the server's own: registry, snapshots). Work inside `transact` is pure: it may run again from the start,
so it reads and writes through its transaction only and takes stream numbers from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, Generic, Protocol, TypeVar

from msgspec import Struct

from mock_server.domain.paging import Page, Query

R = TypeVar("R")
T = TypeVar("T")

NEVER = 2**63 - 1
"""The time of what never happens."""

CLAIMS: Final = "idempotency"
"""The kind of data of stored answers."""


class DumpRefused(ValueError):
    """A dump that this version cannot load; the message names the position."""


class StateRefused(Exception):
    """Stored state that this server cannot use; the text says where it is, and why."""


class StateDamaged(StateRefused):
    """Stored state that is damaged."""


MACHINE_FAULTS: Final = (MemoryError, OSError, ImportError)
"""Exceptions while a dump is read that are never its fault."""


class Index(Struct, Generic[R], frozen=True):
    """A value by which lists can filter records: the attribute `of`, or the result of the function `of`.

    None is not indexed; a tuple is several values.
    """

    name: str
    of: str | Callable[[R], object]

    def reader(self) -> Callable[[R], object]:
        """The function that reads its value from a record."""
        return attrgetter(self.of) if isinstance(self.of, str) else self.of


class RecordKind(Struct, Generic[R], frozen=True):
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
    """One line of an append-only log: its sequence number (1, 2, … never reused) and its value.

    `beside` are bytes that the line shares with a record; they are not in dumps.
    """

    sequence: int
    value: Any
    beside: bytes | None = None


class Claim(Struct, frozen=True):
    """The owner of an idempotency key, and the stored answer once there is one.

    `digest` is the HMAC of the body's canonical form; `answer` is None while the call is in progress.
    """

    owner: str
    digest: bytes
    expires_at: int
    answer: Any = None


class Transaction(Protocol):
    """A consistent view of one space; writes are visible to its own later reads, and saved at its end."""

    # records
    def get(self, kind: RecordKind[R], key: str) -> R | None: ...
    def put(self, kind: RecordKind[R], record: R) -> R: ...
    def remove(self, kind: RecordKind[R], key: str) -> bool: ...
    def version(self, kind: RecordKind[R], key: str) -> int:
        """How often this record was put (0: not there); answers are cached under it.

        A record that was removed and is put again counts from 1.
        """

    def encoded(self, kind: RecordKind[R], key: str) -> bytes:
        """A record's compact form as it stands now, shared with the table and not copied; KeyError if not there.

        `store.records.decode(kind, data)` decodes it. Events store their objects this way.
        """

    def find(self, kind: RecordKind[R], query: Query) -> Page[R]: ...
    def count(self, kind: RecordKind[R], query: Query) -> int:
        """The number of matches; limit and offset are ignored."""

    def tally(self, kind: RecordKind[R], index: str, query: Query | None = None) -> Mapping[object, int]:
        """Counts per value of one index, over all matches; without values that do not occur, in any order."""

    def scan(self, kind: RecordKind[R], query: Query) -> Iterator[R]:
        """Every match in (created, number) order, newest first unless ascending, decoded one by one.

        Limit and offset are ignored; records that the transaction removes in the meantime are omitted.
        """

    def oldest(self, kind: RecordKind[R]) -> R | None:
        """The first record in (created, number) order, however many there are."""

    # numbers
    def next(self, stream: str) -> int:
        """The next number (0, 1, …) of a random stream; unused again if the transaction fails."""

    def counter(self, name: str) -> int: ...
    def counters(self, prefix: str) -> Mapping[str, int]:
        """All counters with this prefix."""

    def add(self, name: str, by: int = 1) -> int:
        """Adds to a counter and gives its new value."""

    # small facts of the space: clock, seed, active scenarios …
    def fact(self, name: str) -> Any: ...
    def set_fact(self, name: str, value: Any) -> None:
        """Stores a JSON-like value (None removes it)."""

    def facts(self, prefix: str) -> Mapping[str, Any]: ...

    # logs
    def append(self, log: str, value: Any) -> int: ...
    def entries(self, log: str, after: int = 0, limit: int | None = None) -> Sequence[LogEntry]: ...
    def lines(self, log: str, after: int, limit: int) -> Sequence[tuple[int, bytes | tuple[bytes, bytes]]]:
        """The same lines as they are stored; `store.logs.heads` tells which of them are needed."""

    def amend(self, log: str, sequence: int, value: Any) -> bool:
        """Replaces the value of a log's line, if the line still exists."""

    def forget(self, log: str) -> int:
        """Empties a log and gives the number of lines; sequence numbers continue."""

    def drop_oldest(self, log: str) -> None:
        """Drops a log's oldest line, as if the log were full."""

    # what is bounded by bytes
    def is_over(self, sort: str) -> bool:
        """Whether this space is over its byte limit for a kind of data."""

    def room(self, sort: str) -> int:
        """How many more bytes of a kind may be stored, here and in all spaces together."""

    # due work
    def schedule(self, at: int, what: str, subject: str, argument: str = "") -> Due: ...
    def unschedule(self, what: str | None, subject: str) -> int:
        """Cancels the scheduled events of a subject (one kind, or all) and gives their number."""

    def next_due(self, what: Sequence[str] | None = None) -> Due | None:
        """The earliest scheduled event (of the given kinds), which stays in the queue."""

    def take_due(self, until: int, what: Sequence[str] | None = None) -> Due | None:
        """Removes and gives the earliest scheduled event at or before a time (of the given kinds)."""

    def all_due(self) -> Sequence[Due]: ...
    def due_of(self, subject: str) -> Sequence[Due]:
        """The scheduled events of a subject, in order; the time does not depend on the other entries."""

    def count_due(self) -> int:
        """The number of scheduled events."""


class Space(Protocol):
    """One generation of one workspace's state."""

    @property
    def name(self) -> str: ...
    @property
    def generation(self) -> int: ...
    @property
    def closed(self) -> bool:
        """True once a reset or eviction has replaced this space."""

    def transact(self, work: Callable[[Transaction], T], *, ends: bool = False) -> T:
        """Runs pure work; all of its writes are saved together, or none if it raises.

        `ends`: it finishes work in progress, so it runs even while changes are refused because nothing can be saved.
        """

    def on_first_change(self, then: Callable[[], object]) -> bool:
        """Calls `then`, which may only use the server's space, before it is first saved; gives whether at once."""

    def scan(self, kind: RecordKind[R], query: Query) -> Iterator[R]:
        """Every match in its present state, decoded one by one without a lock, for reports over a whole workspace."""

    def keys(self, kind: RecordKind[Any]) -> Sequence[Sequence[str]]:
        """All present keys, oldest first and in parts, in constant time.

        Some may belong to removed records.
        """

    def due_at(self) -> int:
        """The time of the earliest scheduled event (NEVER if none): one cheap read for every request."""

    def fact(self, name: str, /) -> Any:
        """One small fact, read without a transaction."""

    def get(self, kind: RecordKind[R], key: str, *, late: bool = False) -> R | None:
        """One record, read without a transaction.

        `late`: in the middle of a call. If others change it too, it may be the value from the start of the call.
        """

    def next(self, stream: str) -> int: ...
    def at_rest(self, kind: RecordKind[R], record: R) -> bytes | None:
        """The compact form of exactly this record, shared with the table; None if it was replaced."""

    def append(self, log: str, value: Any, beside: bytes | None = None, *, lasts: bool = True) -> int:
        """Appends to a log outside of a transaction (the journal is not part of the work that it records).

        With persistent storage, a line about a call that changed nothing need not be saved.
        """

    def amend(self, log: str, sequence: int, value: Any) -> bool: ...
    def dropped(self, log: str) -> int:
        """The number of lines dropped from a limited log; for `idempotency`, of answers."""

    def kept_bytes(self) -> Mapping[str, int]:
        """The number of stored bytes of each kind with a byte limit."""

    def hit(self, name: str, window: int, calls: int = 1) -> int:
        """Counts one call in a window of a rate limit and gives the window's count; older windows are forgotten."""

    def wait_for(self, log: str, after: int, timeout_s: float) -> bool:
        """Blocks until a log has a line after `after`, the space is closed, or the timeout (real time) is over."""

    def on_append(self, log: str, wake: Callable[[], None]) -> Callable[[], None]:
        """Calls `wake` after each append to a log, and once when the space closes; gives the undo."""

    # idempotency leases
    def claim(self, key: str, owner: str, digest: bytes, now: int, expires_at: int) -> Claim | None:
        """Claims a key for its owner (None), or returns the existing claim (unless it expired by `now`)."""

    def settle_claim(self, key: str, owner: str, answer: Any) -> bool: ...
    def release_claim(self, key: str, owner: str) -> bool: ...

    def dump(self, each: Callable[[list[Any]], Any] = ...) -> dict[str, Any]:
        """Everything without the journal, as one JSON-like document; `each` converts a record or a claim."""

    def dump_log(self, log: str, whole: Callable[[LogEntry], Any]) -> list[Any]:
        """A log's lines as JSON, each converted by `whole`."""


class Store(Protocol):
    """The spaces of one server."""

    def space(self, name: str) -> Space | None:
        """The present generation, or None; resets its idle time."""

    def open(self, name: str, first: Callable[[Transaction], object]) -> Space:
        """The present generation, created by `first` if needed. Over the limit, the space idle longest is evicted."""

    def replace(
        self, name: str, first: Callable[[Transaction], object], dump: Mapping[str, Any] | None = None
    ) -> Space:
        """Replaces a space with a new one in constant time (a restore loads `dump` first)."""

    def close(self, name: str) -> bool: ...
    def names(self) -> Sequence[str]: ...
    def clear(self, stays: str) -> int:
        """Closes all spaces, and empties the server's own except for facts with this prefix; gives their number."""
