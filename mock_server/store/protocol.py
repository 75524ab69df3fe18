"""The one door to everything that two processes could race for.

Nothing outside the store holds a lock, a Condition, a dict of state or a counter. A *space* is one workspace's
generation (or the server's own: registry, snapshots). Work inside `transact` is pure: it may run again from the start,
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
"""The instant of what never falls due."""

CLAIMS: Final = "idempotency"
"""What kept answers are weighed and counted as."""


class DumpRefused(ValueError):
    """A dump that does not say what this version can load; the message names the place."""


class StateRefused(Exception):
    """State that was kept and that this server cannot use; the text says where it is, and why."""


class StateDamaged(StateRefused):
    """State that cannot be read, because something damaged it."""


MACHINE_FAULTS: Final = (MemoryError, OSError, ImportError)
"""What may be raised while a dump is read and is never its fault."""


class Index(Struct, Generic[R], frozen=True):
    """A value that lists can filter records by: the attribute `of`, or what it gives.

    None is not indexed; a tuple is several values.
    """

    name: str
    of: str | Callable[[R], object]

    def reader(self) -> Callable[[R], object]:
        """What reads its value of a record."""
        return attrgetter(self.of) if isinstance(self.of, str) else self.of


class RecordKind(Struct, Generic[R], frozen=True):
    """A kind of record: where its key and its creation instant (ms) stand, and what it is indexed by.

    Records are frozen Structs. Records of one kind are ordered by (created, number): the number is given by the
    store at the first put and never changes. `sort` is what its bytes are weighed as, where they are bounded.
    """

    name: str
    type: type[R]
    key: Callable[[R], str]
    created: Callable[[R], int]
    indexes: tuple[Index[R], ...] = ()
    sort: str = ""


class Due(Struct, frozen=True):
    """Something that falls due: what to do, to which subject, at an instant of the workspace's clock (ms)."""

    at: int
    sequence: int
    what: str
    subject: str
    argument: str = ""


class LogEntry(Struct, frozen=True):
    """One line of an append-only log: its sequence number (1, 2, … never reused) and its value.

    `beside` are bytes that somebody else keeps too, and that the line shares; a dump has no place for them.
    """

    sequence: int
    value: Any
    beside: bytes | None = None


class Claim(Struct, frozen=True):
    """Who holds an idempotency key, and the kept answer once there is one.

    `digest` is the HMAC of the body's canonical form; `answer` is None while the owner is still at work.
    """

    owner: str
    digest: bytes
    expires_at: int
    answer: Any = None


class Transaction(Protocol):
    """A consistent view of one space; writes are seen by later reads of the same transaction, and kept at its end."""

    # records
    def get(self, kind: RecordKind[R], key: str) -> R | None: ...
    def put(self, kind: RecordKind[R], record: R) -> R: ...
    def remove(self, kind: RecordKind[R], key: str) -> bool: ...
    def version(self, kind: RecordKind[R], key: str) -> int:
        """How often this record was put (0: not there); answers are cached under it.

        A record that was removed and is put again is a new one: it counts from 1.
        """

    def encoded(self, kind: RecordKind[R], key: str) -> bytes:
        """A record's compact form as it stands now, shared with the table and not copied; KeyError if not there.

        `store.records.decode(kind, data)` reads it back. Events keep what they tell of this way.
        """

    def find(self, kind: RecordKind[R], query: Query) -> Page[R]: ...
    def count(self, kind: RecordKind[R], query: Query) -> int:
        """How many match; limit and offset are passed over."""

    def tally(self, kind: RecordKind[R], index: str, query: Query | None = None) -> Mapping[object, int]:
        """Counts per value of one index, over what matches; values that nothing has are left out, order is open."""

    def scan(self, kind: RecordKind[R], query: Query) -> Iterator[R]:
        """Every match in (created, number) order, newest first unless ascending, decoded one by one.

        Limit and offset are passed over; what the transaction removes meanwhile is left out.
        """

    def oldest(self, kind: RecordKind[R]) -> R | None:
        """The first record in (created, number) order, however many there are."""

    # numbers
    def next(self, stream: str) -> int:
        """The next number (0, 1, …) of a random stream: given back if the transaction fails."""

    def counter(self, name: str) -> int: ...
    def counters(self, prefix: str) -> Mapping[str, int]:
        """Every counter whose name begins so."""

    def add(self, name: str, by: int = 1) -> int:
        """Adds to a counter and gives its new value."""

    # small facts of the space: clock, seed, active scenarios …
    def fact(self, name: str) -> Any: ...
    def set_fact(self, name: str, value: Any) -> None:
        """Keeps a JSON-like value (None removes it)."""

    def facts(self, prefix: str) -> Mapping[str, Any]: ...

    # logs
    def append(self, log: str, value: Any) -> int: ...
    def entries(self, log: str, after: int = 0, limit: int | None = None) -> Sequence[LogEntry]: ...
    def lines(self, log: str, after: int, limit: int) -> Sequence[tuple[int, bytes | tuple[bytes, bytes]]]:
        """The same lines at rest: who looks for a few of them reads no others (`store.logs.read`)."""

    def amend(self, log: str, sequence: int, value: Any) -> bool:
        """Puts a new value in a log's line, if the line is still kept."""

    def forget(self, log: str) -> int:
        """Empties a log and gives how many lines went; sequence numbers go on."""

    def drop_oldest(self, log: str) -> None:
        """Lets a log's oldest line go, as if the log were full."""

    # what is bounded by bytes
    def is_over(self, sort: str) -> bool:
        """Whether this space keeps more bytes of a sort than it may."""

    def room(self, sort: str) -> int:
        """How many bytes of a sort may still be kept, here and in all spaces together."""

    # due work
    def schedule(self, at: int, what: str, subject: str, argument: str = "") -> Due: ...
    def unschedule(self, what: str | None, subject: str) -> int:
        """Takes back what is due for a subject (one sort, or all) and gives how many went."""

    def next_due(self, what: Sequence[str] | None = None) -> Due | None:
        """The earliest entry (of the given sorts), left where it is."""

    def take_due(self, until: int, what: Sequence[str] | None = None) -> Due | None:
        """Takes the earliest entry at or before an instant (of the given sorts) out of the queue."""

    def all_due(self) -> Sequence[Due]: ...
    def due_of(self, subject: str) -> Sequence[Due]:
        """What waits for a subject, in order, however much else waits."""

    def count_due(self) -> int:
        """How many entries wait, whenever they are due."""


class Space(Protocol):
    """One generation of one workspace's state."""

    @property
    def name(self) -> str: ...
    @property
    def generation(self) -> int: ...
    @property
    def closed(self) -> bool:
        """True once a reset or eviction put another space in this one's place."""

    def transact(self, work: Callable[[Transaction], T], *, ends: bool = False) -> T:
        """Runs pure work; everything it wrote is kept at once, or nothing if it raises.

        `ends`: it ends what was begun, so it is done also while nothing that changes data is taken on.
        """

    def scan(self, kind: RecordKind[R], query: Query) -> Iterator[R]:
        """Every match as it stands now, decoded one by one with no lock held: for reports over a whole workspace."""

    def keys(self, kind: RecordKind[Any]) -> Sequence[Sequence[str]]:
        """All keys as they stand now, oldest first and in parts, at no cost however many there are.

        Some may be of records that are gone.
        """

    def due_at(self) -> int:
        """The instant of the earliest due entry (NEVER if none): one cheap read for every request."""

    def fact(self, name: str, /) -> Any:
        """One small fact, read without a transaction."""

    def get(self, kind: RecordKind[R], key: str, *, late: bool = False) -> R | None:
        """One record, read without a transaction.

        `late`: in the middle of a call. Where others change it too, it may be what it was when the call began.
        """

    def next(self, stream: str) -> int: ...
    def at_rest(self, kind: RecordKind[R], record: R) -> bytes | None:
        """The compact form of this very record, shared with the table; None where another has its place by now."""

    def append(self, log: str, value: Any, beside: bytes | None = None, *, lasts: bool = True) -> int:
        """Appends to a log on its own (the journal is no part of the work it tells of).

        A line that tells of no change need not last where the others outlive the process.
        """

    def amend(self, log: str, sequence: int, value: Any) -> bool: ...
    def dropped(self, log: str) -> int:
        """How many lines fell out of a bounded log; of `idempotency`, how many answers."""

    def kept_bytes(self) -> Mapping[str, int]:
        """How many bytes are kept of each sort that is bounded by them."""

    def hit(self, name: str, window: int) -> int:
        """Counts one call in a window of a rate limit and gives the window's count; older windows are forgotten."""

    def wait_for(self, log: str, after: int, timeout_s: float) -> bool:
        """Blocks until a log has a line beyond `after`, the space is closed, or the real time is over."""

    def on_append(self, log: str, wake: Callable[[], None]) -> Callable[[], None]:
        """Calls `wake` after each append to a log, and once when the space closes; gives the undo."""

    # idempotency leases
    def claim(self, key: str, owner: str, digest: bytes, now: int, expires_at: int) -> Claim | None:
        """Takes a key for its owner (None), or tells who has it (a claim that expired by `now` counts as free)."""

    def settle_claim(self, key: str, owner: str, answer: Any) -> bool: ...
    def release_claim(self, key: str, owner: str) -> bool: ...

    def dump(self, each: Callable[[list[Any]], Any] = ...) -> dict[str, Any]:
        """Everything, as one JSON-like document; the journal is left out.

        `each` makes what stands in it for a record or a claim, of which there may be many.
        """

    def dump_log(self, log: str, whole: Callable[[LogEntry], Any]) -> list[Any]:
        """A log's lines as JSON, each as `whole` gives it."""


class Store(Protocol):
    """The spaces of one server."""

    def space(self, name: str) -> Space | None:
        """The present generation, or None if there is none yet; touches its idle time."""

    def open(self, name: str, first: Callable[[Transaction], object]) -> Space:
        """The present generation, made by `first` if there is none yet. Opening past the bound evicts the idlest."""

    def replace(
        self, name: str, first: Callable[[Transaction], object], dump: Mapping[str, Any] | None = None
    ) -> Space:
        """Puts a new space in the old one's place in constant time (a restore loads `dump` first)."""

    def close(self, name: str) -> bool: ...
    def names(self) -> Sequence[str]: ...
    def clear(self, stays: str) -> int:
        """Closes all of them, and empties the server's own but for facts whose names begin so; gives how many went."""
