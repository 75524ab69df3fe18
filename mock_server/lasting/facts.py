"""The server's own facts where several replicas share a database: who there is, which keys open what, and snapshots.

A transaction on them is one of the database's. What many calls ask, which place a key opens and which workspaces are a
merchant's, is read from copies that are a second old at most; on the server's loop nobody waits for newer ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Any, Final, TypeVar

import psycopg
from psycopg import IsolationLevel
from psycopg.errors import DeadlockDetected, SerializationFailure

from mock_server.clock import Clock
from mock_server.domain.paging import Page, Query
from mock_server.lasting.batches import DataLost
from mock_server.lasting.copies import Copies, Name
from mock_server.lasting.patient import PATIENCE_S, Patient
from mock_server.lasting.space import NOTHING_CHANGED, not_saved
from mock_server.store import records, values
from mock_server.store.protocol import RecordKind, Transaction
from mock_server.store.space import MemorySpace
from mock_server.store.state import SpaceState
from mock_server.store.table import Hot, RecordTable
from mock_server.store.transaction import MemoryTransaction

R = TypeVar("R")
T = TypeVar("T")
Ask = Callable[[str, Sequence[object]], list[Any]]

NOT_KNOWN: Final = "whether anything was changed is not known"
TABLES: Final = (
    "CREATE TABLE server_facts (name bytea PRIMARY KEY, value bytea NOT NULL)",
    "CREATE TABLE server_numbers (name bytea PRIMARY KEY, next bigint NOT NULL)",
    "CREATE TABLE server_records (kind text NOT NULL, key bytea NOT NULL, merchant bytea NOT NULL, "
    "number bigint GENERATED ALWAYS AS IDENTITY, value bytea NOT NULL, PRIMARY KEY (kind, key))",
    "CREATE INDEX ON server_records (kind, merchant, number)",
)
_FACTS: Final = "SELECT name, value FROM server_facts WHERE name = ANY(%s)"
_FACTS_FROM: Final = "SELECT name, value FROM server_facts WHERE name >= %s AND name < %s"
_SET_FACT: Final = (
    "INSERT INTO server_facts (name, value) VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
_DROP_FACT: Final = "DELETE FROM server_facts WHERE name = %s"
_BYTES: Final = "SELECT coalesce(sum(octet_length(value)), 0) FROM server_facts WHERE name >= %s AND name < %s"
_NEXT: Final = (
    "INSERT INTO server_numbers (name, next) VALUES (%s, 1) "
    "ON CONFLICT (name) DO UPDATE SET next = server_numbers.next + 1 RETURNING next - 1"
)
_RECORDS: Final = "SELECT key, value FROM server_records WHERE kind = %s AND key = ANY(%s)"
_RECORDS_OF: Final = "SELECT value FROM server_records WHERE kind = %s AND merchant = %s ORDER BY number"
_PUT: Final = (
    "INSERT INTO server_records (kind, key, merchant, value) VALUES (%s, %s, %s, %s) "
    "ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value"
)
_REMOVE: Final = "DELETE FROM server_records WHERE kind = %s AND key = %s RETURNING true"
ISSUED, SNAPSHOT = "issued:", "snapshot:"
BUSY: Final = (SerializationFailure, DeadlockDetected)
"""Another transaction came first."""
FACT, MERCHANT, HOLDER, TAG = "fact", "merchant", "holder", "tag"
"""Sorts of copies; those of records have the names of their kinds."""
COPIED: Final = {ISSUED: FACT, "merchant:": MERCHANT, "holder:": HOLDER, "tag:": TAG}
"""How the names of facts begin that are read from copies; all but the first are what the workspaces' rows say."""
_PLACES: Final = {
    MERCHANT: "SELECT name FROM workspaces WHERE merchant = %s ORDER BY space DESC",
    HOLDER: "SELECT name FROM workspaces JOIN rows USING (space) "
    "WHERE part = 'record.' || %s AND key = %s AND merchant = %s ORDER BY space DESC",
    TAG: "SELECT name FROM workspaces JOIN rows USING (space) "
    "WHERE tag = %s AND part = 'record.ephemeral_key' AND position(%s IN value) > 0 ORDER BY space DESC",
}


class Unsure(DataLost):
    """The database went when a transaction was to be kept."""


class Database:
    """One connection, made when it is first needed and again where it failed; one transaction at a time."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = Lock()
        self._connection: Patient | None = None

    def run(self, work: Callable[[Ask], T]) -> T:
        """One transaction, as if no other ran beside it: where another did, the work is done again.

        Raises DataLost, and of its sorts Unsure where what was written may be kept.
        """
        if not self._lock.acquire(timeout=PATIENCE_S):
            raise DataLost("the database does not answer")
        try:
            while True:
                was_open = self._connection is not None
                try:
                    return self._once(work)
                except BUSY:
                    continue
                except psycopg.Error as wrong:
                    self.close()
                    if not was_open:  # else it may have ended long ago
                        raise DataLost(f"the database could not be asked ({str(wrong).strip()})") from wrong
        finally:
            self._lock.release()

    def _once(self, work: Callable[[Ask], T]) -> T:
        if self._connection is None:
            self._connection = Patient.connect(self._url, connect_timeout=int(PATIENCE_S))
            self._connection.isolation_level = IsolationLevel.SERIALIZABLE
        connection, is_done = self._connection, False
        try:
            result = work(lambda statement, given: _rows(connection.execute(statement.encode(), given)))
            is_done = True
            connection.commit()
        except psycopg.Error as wrong:
            if isinstance(wrong, BUSY):
                connection.rollback()
            elif is_done:
                self.close()
                raise Unsure(f"the database went ({str(wrong).strip()})") from wrong
            raise
        except BaseException:
            connection.rollback()
            raise
        return result

    def close(self) -> None:
        """Ends the connection, if there is one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _rows(cursor: psycopg.Cursor[tuple[Any, ...]]) -> list[Any]:
    return cursor.fetchall() if cursor.description else []


class SharedTransaction(MemoryTransaction):
    """What is asked of the server's facts, as statements; what it has no words for is this replica's own."""

    __slots__ = ("_ask",)

    def __init__(self, state: SpaceState, ask: Ask) -> None:
        super().__init__(state)
        self._ask = ask

    def get(self, kind: RecordKind[R], key: str) -> R | None:
        return next((_record(kind, value) for _, value in self._ask(_RECORDS, (kind.name, [_bytes(key)]))), None)

    def version(self, kind: RecordKind[R], key: str) -> int:
        return int(self.get(kind, key) is not None)

    def put(self, kind: RecordKind[R], record: R) -> R:
        value = values.pack(records.codec_of(kind.type).plain(record))
        merchant: str = record.merchant_id  # type: ignore[attr-defined]  # all that the registry keeps is a merchant's
        self._ask(_PUT, (kind.name, _bytes(kind.key(record)), _bytes(merchant), value))
        return record

    def remove(self, kind: RecordKind[R], key: str) -> bool:
        return bool(self._ask(_REMOVE, (kind.name, _bytes(key))))

    def find(self, kind: RecordKind[R], query: Query) -> Page[R]:
        return self._merchants(kind, query).find(query)

    def scan(self, kind: RecordKind[R], query: Query) -> Iterator[R]:
        table = self._merchants(kind, query)
        return (record for key in table.keys(query) if (record := table.get(key)) is not None)

    def _merchants(self, kind: RecordKind[R], query: Query) -> RecordTable[R]:
        """What one merchant has of a kind."""
        (merchant_id,) = query.filters["merchant_id"]
        table = RecordTable(kind, Hot(1))
        for (value,) in self._ask(_RECORDS_OF, (kind.name, _bytes(str(merchant_id)))):
            table.put(_record(kind, value))
        return table

    def next(self, stream: str) -> int:
        return int(self._ask(_NEXT, (_bytes(stream),))[0][0])

    def fact(self, name: str) -> Any:
        return next((values.unpack(value) for _, value in self._ask(_FACTS, ([_bytes(name)],))), None)

    def set_fact(self, name: str, value: Any) -> None:
        if value is None:
            self._ask(_DROP_FACT, (_bytes(name),))
        else:
            self._ask(_SET_FACT, (_bytes(name), values.pack(value)))

    def facts(self, prefix: str) -> Mapping[str, Any]:
        return {_text(name): values.unpack(value) for name, value in self._ask(_FACTS_FROM, _between(prefix))}

    def room(self, sort: str) -> int:
        return super().room(sort) - int(self._ask(_BYTES, _between(SNAPSHOT))[0][0])


class SharedSpace(MemorySpace):
    """The server's own space where replicas share a database.

    `kinds` are those whose records are read outside of transactions; `beside` gives, for the fact of a key, the kind
    and key of the record that a call with it may want to read late.
    """

    __slots__ = ("_beside", "_kinds", "_reads", "_writes", "copies")

    def __init__(
        self,
        url: str,
        state: SpaceState,
        clock: Clock,
        kinds: Iterable[RecordKind[Any]] = (),
        beside: Callable[[Any], Name | None] = lambda fact: None,
    ) -> None:
        super().__init__("", 0, state, lambda fallen: None, lambda sort: None)
        self._kinds = {kind.name: kind for kind in kinds}
        self._beside = beside
        self._reads, self._writes = Database(url), Database(url)
        self.copies = Copies(lambda names: self._reads.run(lambda ask: self._read(ask, names)), clock)
        self.fact = self._fact

    def transact(self, work: Callable[[Transaction], T]) -> T:
        try:
            return self._writes.run(lambda ask: work(SharedTransaction(self._state, ask)))
        except DataLost as wrong:
            raise not_saved(str(wrong), NOT_KNOWN if isinstance(wrong, Unsure) else NOTHING_CHANGED) from wrong
        finally:
            self.copies.forget()

    def get(self, kind: RecordKind[R], key: str, *, late: bool = False) -> R | None:
        record: R | None = self.copies.get((kind.name, key), late=late)
        return record

    def end(self) -> None:
        """Lets the database go."""
        self.copies.end()
        self._reads.close()
        self._writes.close()

    def _fact(self, name: str) -> Any:
        for prefix, sort in COPIED.items():
            if name.startswith(prefix):
                return self.copies.get((sort, name.removeprefix(prefix)))
        return self.transact(lambda tx: tx.fact(name)) if name.startswith(SNAPSHOT) else self._state.facts.get(name)

    def _read(self, ask: Ask, names: Iterable[Name]) -> dict[Name, Any]:
        """What there is of these, and beside a key's fact the record that goes with it."""
        wanted: dict[str, list[str]] = {}
        for sort, name in names:
            wanted.setdefault(sort, []).append(name)
        found: dict[Name, Any] = {}
        if keys := wanted.pop(FACT, None):
            for name, value in ask(_FACTS, ([_bytes(ISSUED + key) for key in keys],)):
                found[FACT, _text(name).removeprefix(ISSUED)] = fact = values.unpack(value)
                if (beside := self._beside(fact)) is not None:
                    wanted.setdefault(beside[0], []).append(beside[1])
        for sort, keys in wanted.items():
            if kind := self._kinds.get(sort):
                for key, value in ask(_RECORDS, (sort, [*map(_bytes, keys)])):
                    found[sort, _text(key)] = _record(kind, value)
            else:
                for key in keys:
                    found[sort, key] = [place for (place,) in ask(_PLACES[sort], _parts(sort, key))]
        return found


def _record(kind: RecordKind[R], value: bytes) -> R:
    return records.codec_of(kind.type).from_plain(values.unpack(value))


def _parts(sort: str, key: str) -> Sequence[object]:
    """What the statement of a sort is given."""
    match sort, key.split("/", 2):
        case "holder", (kind, of, merchant_id):
            return kind, _bytes(of), _bytes(merchant_id)
        case "tag", (tag, digest):
            return tag, _bytes(digest)
        case _:
            return (_bytes(key),)


# ids come from paths and from snapshots that somebody wrote: what no text of the database can hold is among them


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(key: bytes) -> str:
    return key.decode("utf-8", "surrogatepass")


def _between(prefix: str) -> tuple[bytes, bytes]:
    """Where the names begin and end that begin so."""
    return _bytes(prefix), _bytes(prefix[:-1] + chr(ord(prefix[-1]) + 1))
