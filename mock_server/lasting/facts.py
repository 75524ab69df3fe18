"""The server's own facts if replicas share a database: merchants, issued keys, and snapshots.

A transaction on them is a transaction of the database. The place of a key and the workspaces of a merchant, which many
calls need, are read from copies that are at most a second old; the server's loop never waits for newer ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from threading import Condition, Thread
from typing import Any, Final, TypeVar

from msgspec import Struct
from psycopg import IsolationLevel
from psycopg.errors import DeadlockDetected, SerializationFailure

from mock_server.clock import Clock
from mock_server.domain.faults import ComeAgain
from mock_server.domain.paging import Page, Query
from mock_server.lasting.batches import NOT_KNOWN, NOTHING_CHANGED, Ask, DataLost, coded, decoded, not_saved
from mock_server.lasting.lines import DatabaseLine, ask
from mock_server.randomness import Randomness
from mock_server.store import records
from mock_server.store.protocol import RecordKind
from mock_server.store.space import Space
from mock_server.store.state import SpaceState
from mock_server.store.table import RecordCache, RecordTable
from mock_server.store.transaction import Transaction

R = TypeVar("R")
T = TypeVar("T")
TABLES: Final = (
    "CREATE TABLE server_rows (part text, key bytea, value bytea NOT NULL, merchant bytea, "
    "number bigint GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (part, key))",
    "CREATE INDEX ON server_rows (part, merchant, number)",
)
"""Facts, numbers of streams, and records by the names of their kinds, each with its merchant."""
_GET: Final = "SELECT key, value FROM server_rows WHERE part = %s AND key = ANY(%s)"
_FROM: Final = "SELECT key, value FROM server_rows WHERE part = %s AND key >= %s AND key < %s"
_OF: Final = "SELECT value FROM server_rows WHERE part = %s AND merchant = %s ORDER BY number"
_BYTES: Final = (
    "SELECT coalesce(sum(octet_length(value)), 0) FROM server_rows WHERE part = %s AND key >= %s AND key < %s"
)
_PUT: Final = (
    "INSERT INTO server_rows (part, key, value, merchant) VALUES (%s, %s, %s, %s) "
    "ON CONFLICT (part, key) DO UPDATE SET value = excluded.value"
)
_DROP: Final = "DELETE FROM server_rows WHERE part = %s AND key = %s RETURNING true"
_LOCK: Final = "LOCK TABLE workspaces IN EXCLUSIVE MODE"
"""Waits for every commit in progress."""
_CLEAR: Final = "DELETE FROM server_rows WHERE part <> 'secret' AND NOT (part = %s AND key >= %s AND key < %s)"
_NEW_SECRET: Final = "INSERT INTO server_rows (part, key, value) VALUES ('secret', '', %s) ON CONFLICT DO NOTHING"
_SECRET: Final = "SELECT value FROM server_rows WHERE part = 'secret'"
_END: Final = "WITH ended AS (DELETE FROM workspaces RETURNING space) SELECT space FROM ended WHERE space IS NOT NULL"
_EPOCH: Final = "UPDATE payment_sandbox SET epoch = epoch + 1 RETURNING epoch"
ISSUED, SNAPSHOT = "issued:", "snapshot:"
BUSY: Final = (SerializationFailure, DeadlockDetected)
"""Another transaction was first."""
FACT, STREAM = "fact", "stream"
MERCHANT, HOLDER, TAG = "merchant", "holder", "tag"
"""Kinds of copies; those of records have the names of their kinds."""
COPIED: Final = (ISSUED, "label:")
"""Prefixes of facts that are read from copies."""
DERIVED: Final = {"merchant:": MERCHANT, "holder:": HOLDER, "tag:": TAG}
"""Prefixes of facts that are not stored, but derived from the workspaces' rows."""
_PLACES: Final = {
    MERCHANT: "SELECT name FROM workspaces WHERE merchant = %s ORDER BY space DESC",
    HOLDER: "SELECT name FROM workspaces JOIN rows USING (space) "
    "WHERE part = 'record.' || %s AND key = %s AND merchant = %s ORDER BY space DESC",
    TAG: "SELECT name FROM workspaces JOIN rows USING (space) "
    "WHERE tag = %s AND part = 'record.ephemeral_key' AND position(%s IN value) > 0 ORDER BY space DESC",
}


class SharedTransaction(Transaction):
    """A transaction on the server's facts, as statements; everything else is this replica's own."""

    __slots__ = ("_ask",)

    def __init__(self, state: SpaceState, ask: Ask) -> None:
        super().__init__(state)
        self._ask = ask
        self.fact = partial(self._value, FACT)

    def get(self, kind: RecordKind[R], key: str) -> R | None:
        value = self._value(kind.name, key)
        return None if value is None else records.codec_of(kind.type).from_plain(value)

    def version(self, kind: RecordKind[R], key: str) -> int:
        return int(self.get(kind, key) is not None)

    def put(self, kind: RecordKind[R], record: R) -> R:
        row: Any = record  # every record of the registry has a merchant
        self._put(kind.name, kind.key(record), records.plain(row), row.merchant_id)
        return record

    def remove(self, kind: RecordKind[R], key: str) -> bool:
        return bool(self._ask(_DROP, kind.name, coded(key)))

    def find(self, kind: RecordKind[R], query: Query) -> Page[R]:
        return self._merchants(kind, query).find(query)

    def scan(self, kind: RecordKind[R], query: Query) -> Iterator[R]:
        table = self._merchants(kind, query)
        return (record for key in table.keys(query) if (record := table.get(key)) is not None)

    def _merchants(self, kind: RecordKind[R], query: Query) -> RecordTable[R]:
        """One merchant's records of a kind."""
        (merchant_id,) = query.filters["merchant_id"]
        table = RecordTable(kind, RecordCache(1))
        for (value,) in self._ask(_OF, kind.name, coded(str(merchant_id))):
            table.put(records.codec_of(kind.type).from_plain(records.unpack(value)))
        return table

    def next(self, stream: str) -> int:
        number = int(self._value(STREAM, stream) or 0)
        self._put(STREAM, stream, number + 1)
        return number

    def set_fact(self, name: str, value: Any) -> None:
        if value is None:
            self._ask(_DROP, FACT, coded(name))
        else:
            self._put(FACT, name, value)

    def facts(self, prefix: str) -> Mapping[str, Any]:
        return {decoded(name): records.unpack(value) for name, value in self._ask(_FROM, FACT, *_between(prefix))}

    def room(self, sort: str) -> int:
        return super().room(sort) - int(self._ask(_BYTES, FACT, *_between(SNAPSHOT))[0][0])

    def _value(self, part: str, key: str) -> Any:
        return next((records.unpack(value) for _, value in self._ask(_GET, part, [coded(key)])), None)

    def _put(self, part: str, key: str, value: Any, merchant: str = "") -> None:
        self._ask(_PUT, part, coded(key), records.pack(value), coded(merchant))


class SharedSpace(Space):
    """The server's own space if replicas share a database.

    `kinds` are those whose records are read outside of transactions; `beside` gives, for the fact of a key, the kind
    and key of a record that a call with this key may read late.
    """

    __slots__ = ("_beside", "_kinds", "_reads", "_writes", "copies")

    def __init__(
        self,
        url: str,
        state: SpaceState,
        clock: Clock,
        kinds: Iterable[RecordKind[Any]] = (),
        beside: Callable[[Any], _Name | None] = lambda fact: None,
    ) -> None:
        super().__init__("", 0, state, lambda fallen: None, lambda sort: None)
        self._kinds = {kind.name: kind for kind in kinds}
        self._beside = beside
        self._reads, self._writes = (DatabaseLine(url, purpose) for purpose in ("copies", "facts"))
        self.copies = _Copies(self._read, clock)
        self.fact = self._fact

    def transact(self, work: Callable[[Transaction], T], *, ends: bool = False, apart: bool = False) -> T:
        try:
            while True:  # until no other transaction was first
                is_done = False
                with self._writes.open() as connection, suppress(*BUSY):
                    connection.isolation_level = IsolationLevel.SERIALIZABLE
                    with connection.transaction():
                        result = work(SharedTransaction(self.state, partial(ask, connection)))
                        is_done = True
                    return result
        except DataLost as wrong:
            raise not_saved(str(wrong), NOT_KNOWN if is_done else NOTHING_CHANGED) from wrong
        finally:
            self.copies.forget()

    def secret(self) -> bytes:
        """What all replicas over the database know, and nobody else; the first one makes it. Raises DataLost."""
        with self._writes.open() as connection, connection.transaction():
            ask(connection, _NEW_SECRET, Randomness(None, "").root)
            ((secret,),) = ask(connection, _SECRET)
        return bytes(secret)

    def clear(self, stays: str) -> tuple[int, list[int]]:
        """Deletes everything except facts with the prefix `stays`, and ends every workspace. Raises DataLost.

        Gives the epoch that begins with this, and the spaces whose rows are to be deleted.
        """
        with self._writes.open() as connection:
            connection.isolation_level = IsolationLevel.READ_COMMITTED
            with connection.transaction():
                ask(connection, _LOCK)
                ask(connection, _CLEAR, FACT, *_between(stays))
                spaces = [space for (space,) in ask(connection, _END)]
                ((epoch,),) = ask(connection, _EPOCH)
        self.copies.forget()
        return epoch, spaces

    def get(self, kind: RecordKind[R], key: str, *, late: bool = False) -> R | None:
        record: R | None = self.copies.get((kind.name, key), late=late)
        return record

    def end(self) -> None:
        """Closes the connections."""
        self.copies.end()
        self._reads.close()
        self._writes.close()

    def _fact(self, name: str) -> Any:
        for prefix, sort in DERIVED.items():
            if name.startswith(prefix):
                return self.copies.get((sort, name.removeprefix(prefix)))
        if name.startswith(COPIED):
            return self.copies.get((FACT, name))
        return self.transact(lambda tx: tx.fact(name)) if name.startswith(SNAPSHOT) else self.state.facts.get(name)

    def _read(self, names: Iterable[_Name]) -> dict[_Name, Any]:
        """The values of these names that exist; with a key's fact also the record beside it."""
        wanted: dict[str, list[str]] = {}
        for sort, name in names:
            wanted.setdefault(sort, []).append(name)
        found: dict[_Name, Any] = {}
        asks = self._reads.all
        if facts := wanted.pop(FACT, None):
            for name, value in asks(_GET, FACT, [*map(coded, facts)]):
                found[FACT, decoded(name)] = fact = records.unpack(value)
                beside = self._beside(fact) if name.startswith(coded(ISSUED)) else None
                if beside is not None:
                    wanted.setdefault(beside[0], []).append(beside[1])
        for sort, keys in wanted.items():
            if kind := self._kinds.get(sort):
                read = records.codec_of(kind.type).from_plain
                found |= {
                    (sort, decoded(key)): read(records.unpack(value))
                    for key, value in asks(_GET, sort, [*map(coded, keys)])
                }
            else:
                found |= {(sort, key): [place for (place,) in asks(_PLACES[sort], *_parts(sort, key))] for key in keys}
        return found


def _parts(sort: str, key: str) -> Sequence[object]:
    match sort, key.split("/", 2):
        case "holder", (kind, of, merchant_id):
            return kind, coded(of), coded(merchant_id)
        case "tag", (tag, digest):
            return tag, coded(digest)
        case _:
            return (coded(key),)


def _between(prefix: str) -> tuple[bytes, bytes]:
    """The range of the keys with this prefix."""
    return coded(prefix), coded(prefix[:-1] + chr(ord(prefix[-1]) + 1))


_Name = tuple[str, str]

FRESH_S: Final = 1.0
"""The maximum age of a copy: another replica can accept a revoked key for this time."""
ROUND_S: Final = 0.4
"""How often copies that are in use are read again, so that no call has to wait for them."""
IN_USE_S: Final = 5.0
MOST: Final = 10_000


class Copy(Struct):
    """A value, and when it was requested and last used (s, monotonic)."""

    value: Any
    read_at: float
    used_at: float


class _Copies:
    """Copies by their names; `read` gives the values of those that exist, and possibly more. Raises DataLost."""

    def __init__(self, read: Callable[[Collection[_Name]], Mapping[_Name, Any]], clock: Clock) -> None:
        self.may_wait: Callable[[], bool] = lambda: True
        """Whether the current thread may wait for the database."""
        self.trouble: str | None = None
        """Why the last read failed, or None."""
        self._read = read
        self._clock = clock
        self._kept: dict[_Name, Copy] = {}
        self._asked: dict[_Name, None] = {}
        self._ready: Future[None] = Future()
        self._changed = Condition()
        self._is_reading = self._has_ended = False
        self._written = 0

    def get(self, name: _Name, *, late: bool = False) -> Any:
        """The value, or None. Refused as `not_saved`. `late`: in a call that is not repeated; it can be older."""
        now, copy = self._clock.monotonic(), self._kept.get(name)
        if copy is not None and (late or now - copy.read_at <= FRESH_S):
            copy.used_at = now
            return copy.value
        if late or self.may_wait():
            try:
                return self._refresh((name,)).get(name)
            except DataLost as wrong:
                raise not_saved(str(wrong)) from wrong
        ready = self._ask(name)
        if self.trouble is not None:
            raise not_saved(self.trouble)
        raise ComeAgain(ready)

    def forget(self) -> None:
        """Drops all copies, and what is being read, after a write by this replica."""
        self._written += 1
        self._kept.clear()

    def end(self) -> None:
        """Stops reading."""
        with self._changed:
            self._has_ended = True
            self._changed.notify()

    def _ask(self, name: _Name) -> Future[None]:
        with self._changed:
            self._asked[name] = None
            if not self._is_reading:
                self._is_reading = True
                Thread(target=self._keep_reading, name="sandbox-facts", daemon=True).start()
            self._changed.notify()
            return self._ready

    def _keep_reading(self) -> None:
        """Reads what is requested, and regularly what is in use, until nothing is."""
        while True:
            with self._changed:
                if not self._asked:
                    self._changed.wait(ROUND_S)
                since = self._clock.monotonic() - IN_USE_S
                asked, self._asked = self._asked, {}
                names = asked | {name: None for name, copy in [*self._kept.items()] if copy.used_at >= since}
                ready, self._ready = self._ready, Future()
                if self._has_ended or not names:
                    self._is_reading, self.trouble = False, None
                    ready.set_result(None)
                    return
            try:
                self._refresh(names)
                self.trouble = None
            except DataLost as wrong:
                self.trouble = str(wrong)
            ready.set_result(None)

    def _refresh(self, names: Collection[_Name]) -> Mapping[_Name, Any]:
        now, written = self._clock.monotonic(), self._written
        found = self._read(names)
        for name in (*names, *found) if written == self._written else ():
            before = self._kept.pop(name, None)
            self._kept[name] = Copy(found.get(name), now, now if before is None else before.used_at)
        while len(self._kept) > MOST:
            self._kept.pop(next(iter(self._kept)), None)
        return found
