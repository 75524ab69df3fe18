"""The state of one generation of a workspace (or of the server: registry, snapshots), in memory.

Nothing outside the store holds a lock, a Condition, a dict of state or a counter. Work inside `transact` is pure: it
may run again from the start, so it reads and writes through its transaction only and takes stream numbers from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, repeat
from operator import attrgetter
from threading import Lock, get_ident
from typing import Any, Final, TypeVar

from mock_server.clock import Slices
from mock_server.domain.limits import LIST_MAX
from mock_server.domain.paging import Query
from mock_server.store import dumps
from mock_server.store.index import ALL
from mock_server.store.logs import Log
from mock_server.store.protocol import CLAIMS, Claim, LogEntry, RecordKind
from mock_server.store.state import SpaceState
from mock_server.store.table import AT_ONCE, IndexesWait, RecordTable, weight
from mock_server.store.transaction import Transaction
from mock_server.store.waiting import LogWaiters

R = TypeVar("R")
T = TypeVar("T")
_SLICE: Final = 250
"""This number of records is entered into the indexes while others wait: that takes 3 ms."""
HEAVY: Final = 1 << 21
"""Writing an answer of so many bytes takes 3 ms."""


class Gate:
    """A lock for pure work, which detects a deadlock: entering it twice is a programming error."""

    __slots__ = ("_lock", "owner")

    def __init__(self) -> None:
        self._lock = Lock()
        self.owner = 0
        """The thread that holds it now, or 0."""

    def __enter__(self) -> None:
        me = get_ident()
        if self.owner == me:
            raise RuntimeError("a space was used from within its own transaction")
        self._lock.acquire()
        self.owner = me

    def __exit__(self, *_: object) -> None:
        self.owner = 0
        self._lock.release()


class Space:
    """A state behind one lock, which is held during pure work and never during a wait."""

    __slots__ = ("__weakref__", "_gate", "_make_room", "_on_drop", "_waiting", "due_at", "fact", "generation", "hit",
                 "name", "state")  # fmt: skip

    def __init__(
        self,
        name: str,
        generation: int,
        state: SpaceState,
        on_drop: Callable[[Mapping[str, int]], object],
        make_room: Callable[[str], object],
    ) -> None:
        self.name = name
        self._on_drop = on_drop
        self._make_room = make_room
        self.generation = generation
        self.state = state
        self.fact: Callable[[str], Any] = state.facts.get
        """Used a dozen times per call, so it is the mapping's own method."""
        self.due_at: Callable[[], int] = partial(attrgetter("earliest"), state.due)
        """The time of the earliest scheduled event (NEVER if none): one cheap read for every request."""
        self.hit = state.rates.hit
        """Counts one call, or as many as are given, in a window of a rate limit, and gives the window's count."""
        self._gate = Gate()
        self._waiting = LogWaiters()
        self._waiting.published({log: kept.last for log, kept in state.logs.items()})

    @property
    def closed(self) -> bool:
        """True once a reset or eviction has replaced this space."""
        return self._waiting.closed

    @property
    def is_busy(self) -> bool:
        """Whether a transaction is in progress."""
        return self._gate.owner != 0

    def transact(self, work: Callable[[Transaction], T], *, ends: bool = False, apart: bool = False) -> T:
        """Runs pure work; all of its writes are saved together, or none if it raises.

        Where it asks indexes that many records wait for, it runs again once they are in; others do not wait for it.
        `ends`: it finishes work in progress, so it runs even while changes are refused because nothing can be saved.
        `apart`: it is no part of the call that runs it, and can be saved before the rest of that call.
        """
        try:
            with self._gate:
                transaction = Transaction(self.state)
                try:
                    result = work(transaction)
                    transaction.commit()
                except BaseException:
                    transaction.roll_back()
                    raise
                weighed = transaction.weighed
                news = self.state.report() if weighed is not None and weighed.is_heavy else None
                appended = transaction.appended
                if appended is not None:
                    self._waiting.published(appended)
        except IndexesWait as asked:
            self._enter_waiting(asked.table)
            return self.transact(work, ends=ends, apart=apart)
        if appended is not None and self._waiting.listeners:
            self._waiting.wake(appended)
        if news is not None:
            self._look_after(*news)
        return result

    def lists_slowly(self, kind: str, *, by_index: bool) -> bool:
        """Whether a list of a kind may take long: many records wait to be indexed, or the newest are large."""
        table, known = self.state.tables.get(kind), self.state.unlearned.get(kind)
        if by_index and (table.waiting if table else len(known["rows"]) if known else 0) > AT_ONCE:
            return True
        return table is not None and sum(map(weight, islice(reversed(table.rows.values()), LIST_MAX))) > HEAVY

    def _enter_waiting(self, table: RecordTable[Any]) -> None:
        """Enters a table's records into its indexes, in slices: other calls come between them."""
        breathe = Slices(0.0)
        for most in (*repeat(_SLICE, 2 * table.waiting // _SLICE), ALL):  # late records may send it back to the start
            with self._gate:
                if table.enter_waiting(most):
                    return
            breathe()

    def on_first_change(self, then: Callable[[], object]) -> bool:
        """Calls `then`, which may only use the server's space, before it is first saved; gives whether at once."""
        then()
        return True

    def get(self, kind: RecordKind[R], key: str, *, late: bool = False) -> R | None:
        """One record, read without a transaction. `late`: in the middle of a call, maybe as it was at its start."""
        with self._gate:
            return self.state.table(kind).get(key)

    def scan(self, kind: RecordKind[R], query: Query) -> Iterator[R]:
        """Every match in its present state, decoded one by one without a lock, for reports over a whole workspace."""
        return self.transact(lambda _: self.state.table(kind).standing(query))

    def keys(self, kind: RecordKind[Any]) -> Sequence[Sequence[str]]:
        """All present keys, oldest first and in parts, in constant time. Some may belong to removed records."""
        with self._gate:
            return self.state.table(kind).parts()

    def at_rest(self, kind: RecordKind[R], record: R) -> bytes | None:
        """The compact form of exactly this record, shared with the table; None if it was replaced, or is not here."""
        with self._gate:
            table = self.state.tables.get(kind.name)
            return None if table is None else table.at_rest(record)

    def append(self, log: str, value: Any, beside: bytes | None = None, *, lasts: bool = True) -> int:
        """Appends to a log outside of a transaction (the journal is not part of the work that it records).

        With persistent storage, a line about a call that changed nothing need not be saved.
        """
        with self._gate:
            kept = self.state.logs.get(log) or self.state.log(log)
            (kept.append if lasts else kept.pass_by)(value, beside)
            sequence = kept.last
            news = self.state.report() if kept.byte_counter.is_heavy else None
            self._waiting.published({log: sequence})
        if self._waiting.listeners:
            self._waiting.wake((log,))
        if news is not None:
            self._look_after(*news)
        return sequence

    def dropped(self, log: str) -> int:
        """The number of lines dropped from a limited log; for `idempotency`, of answers."""
        if log == CLAIMS:
            return self.state.claims.evicted
        return (self.state.logs.get(log) or Log()).dropped

    def gaps_until(self, log: str) -> int:
        """Up to this number, lines that did not last can be missing; zero if none can."""
        return kept.gaps_until if (kept := self.state.logs.get(log)) else 0

    def kept_bytes(self) -> Mapping[str, int]:
        """The number of stored bytes of each kind with a byte limit."""
        return {sort: byte_counter.here for sort, byte_counter in self.state.byte_counters.items()}

    def drop(self, sort: str, until: int) -> None:
        """Drops the oldest entries of a kind until at most this number of bytes is left."""
        with self._gate:
            (self.state.claims if sort == CLAIMS else self.state.log(sort)).drop(until)
            _, fallen = self.state.report()
        self._look_after((), fallen)

    def last(self, log: str) -> int:
        """The number of a log's last line; 0 if it never had one. No lock is needed."""
        return self._waiting.last.get(log, 0)

    def on_append(self, log: str, wake: Callable[[], None]) -> Callable[[], None]:
        """Calls `wake` after each append to a log, and once when the space closes; gives the undo."""
        return self._waiting.on_append(log, wake)

    def on_close(self, wake: Callable[[], None]) -> None:
        """Calls `wake` when the space closes: at once if it has."""
        self._waiting.on_append("", wake)  # no log has this name

    def claim(self, key: str, owner: str, digest: bytes, now: int, expires_at: int) -> Claim | None:
        """Claims a key for its owner (None), or returns the existing claim (unless it expired by `now`)."""
        with self._gate:
            return self.state.claims.claim(key, owner, digest, now, expires_at)

    def settle_claim(self, key: str, owner: str, answer: Any) -> bool:
        """Stores the answer of the call that has the claim; False if it lost it meanwhile."""
        claims = self.state.claims
        with self._gate:
            is_settled = claims.settle(key, owner, answer)
            news = self.state.report() if claims.byte_counter.is_heavy else None
        if news is not None:
            self._look_after(*news)
        return is_settled

    def release_claim(self, key: str, owner: str) -> bool:
        """Gives the key free for another call; False if this owner had lost it meanwhile."""
        with self._gate:
            return self.state.claims.release(key, owner)

    def dump(self, each: Callable[[list[Any]], Any] = dumps.itself) -> dict[str, Any]:
        """Everything without the journal, as one JSON-like document; `each` converts a record or a claim."""
        with self._gate:
            taken = dumps.SpaceDump(self.state)
        return taken.document(each)

    def dump_log(self, log: str, whole: Callable[[LogEntry], Any]) -> dict[str, Any]:
        """A log as a part of a dump, each line converted by `whole`."""
        with self._gate:
            kept = self.state.logs.get(log) or Log()
            taken = kept.last, kept.dropped, kept.lines.copy()
        return dumps.of_log(*taken, whole)

    def close(self) -> None:
        """Marks the space as replaced; work that began here still ends here."""
        self.state.leave()
        self._waiting.close()

    def _look_after(self, over: Iterable[str], fallen: Mapping[str, int]) -> None:
        """Without the lock: reports dropped entries, and frees memory if the whole server stores too much."""
        if fallen:
            self._on_drop(fallen)
        for sort in over:
            self._make_room(sort)
