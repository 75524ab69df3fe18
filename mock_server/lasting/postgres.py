"""The database of `serve --data postgresql://…`: all statements for it, and the lease of a replica.

A replica has a row in `replicas` while it runs, and owns the workspaces whose rows have the number of its start. After
its lease has expired, the next replica that needs one of them deletes its row; then it can commit nothing any more. The
times of leases are the database's: only it decides whether one has expired. For this process a lease ends earlier, by
its own clock: it counts from when the last renewal was sent, not from when that arrived.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from threading import Event, Thread
from typing import Any, Final

import psycopg
from psycopg import conninfo

from mock_server.clock import Clock
from mock_server.domain.api_keys import tag_of
from mock_server.lasting.batches import FORMAT, GARBAGE, NUMBERS, Batch, DataLost, Fenced, Resting, Rows, Token, coded
from mock_server.lasting.facts import TABLES
from mock_server.lasting.lines import DatabaseLine, label
from mock_server.store.protocol import StateRefused

_BEGINNING: Final = 0x50534278
"""The advisory lock for creating the tables (ours)."""
_TABLES: Final = (
    "CREATE TABLE payment_sandbox (format integer NOT NULL, epoch bigint NOT NULL DEFAULT 0)",
    "CREATE TABLE replicas (start bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, url text UNIQUE, "
    "lease_until timestamptz NOT NULL, epoch bigint NOT NULL)",
    "CREATE TABLE workspaces (name text PRIMARY KEY, space bigint UNIQUE, owner bigint NOT NULL, "
    "fence bigint NOT NULL, version bigint NOT NULL, due_at bigint, merchant bytea, tag text)",
    "CREATE INDEX ON workspaces (due_at)",
    "CREATE INDEX ON workspaces (merchant)",
    "CREATE INDEX ON workspaces (tag)",
    'CREATE TABLE rows (space bigint, part text COLLATE "C", key bytea, value bytea NOT NULL, '
    "PRIMARY KEY (space, part, key))",
    "CREATE TABLE shapes (number bigint PRIMARY KEY, shape text NOT NULL)",
)
_FOUND: Final = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
_PUT: Final = (
    "INSERT INTO rows SELECT * FROM unnest(%b::bigint[], %b::text[], %b::bytea[], %b::bytea[]) "
    "ON CONFLICT (space, part, key) DO UPDATE SET value = excluded.value"
)
_DROP: Final = (
    "DELETE FROM rows USING unnest(%b::bigint[], %b::text[], %b::bytea[]) AS gone (space, part, key) "
    "WHERE (rows.space, rows.part, rows.key) = (gone.space, gone.part, gone.key)"
)
_FENCE: Final = (
    "WITH living AS (SELECT start FROM replicas WHERE start = ANY(%b::bigint[]) FOR KEY SHARE) "
    "UPDATE workspaces AS w SET space = one.space, due_at = one.due_at, version = w.version + 1, "
    "merchant = one.merchant, tag = one.tag FROM living, unnest(%b::text[], %b::bigint[], %b::bigint[], "
    "%b::bytea[], %b::text[], %b::bigint[], %b::bigint[], %b::bigint[]) "
    "AS one (name, space, due_at, merchant, tag, owner, fence, version) WHERE living.start = one.owner "
    "AND (w.name, w.owner, w.fence, w.version) = (one.name, one.owner, one.fence, one.version) RETURNING w.name"
)
_SHAPE: Final = "INSERT INTO shapes SELECT * FROM unnest(%b::bigint[], %b::text[]) ON CONFLICT DO NOTHING"
_LOOK: Final = (
    "SELECT w.owner, w.fence, r.url, r.lease_until > clock_timestamp() "
    "FROM workspaces AS w LEFT JOIN replicas AS r ON r.start = w.owner WHERE w.name = %s"
)
_TAKE: Final = (
    "UPDATE workspaces SET owner = %s, fence = fence + 1 WHERE name = %s AND owner = %s AND fence = %s "
    "RETURNING space, due_at, fence, version"
)
_BEGIN: Final = (
    "INSERT INTO workspaces (name, owner, fence, version) VALUES (%s, %s, 1, 0) "
    "ON CONFLICT (name) DO NOTHING RETURNING fence"
)
_BURY: Final = "DELETE FROM replicas WHERE start = %s AND lease_until <= clock_timestamp()"
_DUE: Final = (
    "SELECT w.name FROM workspaces AS w LEFT JOIN replicas AS r ON r.start = w.owner WHERE w.due_at <= %s "
    "AND coalesce(r.lease_until <= clock_timestamp(), true) ORDER BY w.due_at LIMIT %s"
)
_LIVING: Final = f" AND NOT EXISTS (SELECT FROM replicas AS r WHERE r.start = found.space >> {NUMBERS})"
"""Excludes spaces that a running replica is creating."""


class PostgresRows(Rows):
    """A database of rows. Raises StateRefused if it cannot be used, and DataLost if it fails later."""

    row_id = "ctid"

    def __init__(self, url: str) -> None:
        self.path = label(url)
        self._reading, self.leasing = DatabaseLine(url, "reads"), DatabaseLine(url, "lease")
        self._writing = DatabaseLine(url, "writes", psycopg.Connection)  # a commit can take long
        self.reads, self.writes = self._reading.all, self._writing.all
        try:
            conninfo.conninfo_to_dict(url)
        except psycopg.Error:
            raise StateRefused(f"{self.path} is not the URL of a PostgreSQL database") from None
        try:
            with self._reading.open() as connection, connection.transaction():
                self._open(connection)
        except DataLost as lost:
            raise StateRefused(str(lost)) from lost

    def _open(self, connection: psycopg.Connection[Any]) -> None:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_BEGINNING,))
        found = {name for (name,) in connection.execute(_FOUND)}
        if not found:
            for statement in (*_TABLES, *TABLES):
                connection.execute(statement)
            connection.execute("INSERT INTO payment_sandbox (format) VALUES (%s)", (FORMAT,))
        elif "payment_sandbox" not in found:
            raise StateRefused(f"{self.path} is the database of another program: use a separate one for the sandbox")
        else:
            ((version,),) = connection.execute("SELECT format FROM payment_sandbox").fetchall()
            self.check_format(version)

    def close(self) -> None:
        for connection in (self._reading, self._writing, self.leasing):
            connection.close()

    def names(self) -> list[str]:
        """Every workspace that has rows."""
        return [name for (name,) in self.reads("SELECT name FROM workspaces WHERE space IS NOT NULL")]

    def find(self, name: str) -> Resting | None:
        """The place of a workspace's rows, whichever replica owns it."""
        found = self.reads("SELECT name, space, due_at FROM workspaces WHERE name = %s AND space IS NOT NULL", name)
        return Resting(*found[0]) if found else None

    def garbage(self) -> list[int]:
        return [space for (space,) in self.writes(GARBAGE + _LIVING)]

    def write(self, batch: Batch) -> None:
        workspaces = {workspace.name: workspace for workspace in batch.workspaces}
        tokens = [workspace.token for workspace in workspaces.values() if workspace.token is not None]
        with self._writing.open() as connection, connection.pipeline(), connection.transaction():
            if workspaces:
                values = _columns(map(_values_of, workspaces.values()))
                kept = connection.execute(_FENCE, [[token.owner for token in tokens], *values]).fetchall()
                if len(kept) < len(workspaces):
                    raise Fenced(frozenset(workspaces).difference(name for (name,) in kept))
            for statement, rows in ((_SHAPE, batch.shapes.items()), (_PUT, batch.puts()), (_DROP, batch.drops())):
                if rows:
                    connection.execute(statement, _columns(rows))
        for token in tokens:
            token.version += 1

    def claim(self, name: str, start: int, *, begins: bool) -> Resting | str | None:
        """Takes over a workspace that no running replica owns; otherwise gives the owner's address.

        Gives None if there is no such workspace, unless it `begins` with this.
        """
        while True:
            found = self.reads(_LOOK, name)
            if not found:
                if not begins:
                    return None
                if self.reads(_BEGIN, name, start):
                    return Resting(name, None, None, Token(start, 1))
                continue
            ((owner, fence, url, is_living),) = found
            if owner != start and is_living:
                return str(url or "")
            if owner != start and is_living is not None:
                self.reads(_BURY, owner)  # unless it was just renewed
                continue
            for space, due_at, drawn, version in self.reads(_TAKE, start, name, owner, fence):
                return Resting(name, space, due_at, Token(start, drawn, version))

    def due(self, until: int, limit: int) -> list[str]:
        """The workspaces without an owner in which something is due by a real time (ms)."""
        return [name for (name,) in self.reads(_DUE, until, limit)]


def _values_of(row: Resting) -> tuple[object, ...]:
    assert row.token is not None
    token = row.token
    merchant, tag = (None, None) if row.merchant is None else (coded(row.merchant), tag_of(row.merchant))
    return row.name, row.space, row.due_at, merchant, tag, token.owner, token.fence, token.version


def _columns(rows: Iterable[Sequence[object]]) -> list[list[object]]:
    return [list(column) for column in zip(*rows, strict=True)]


LEASE_S: Final = 3.0
LOOK_S: Final = 0.05
"""How often it is checked whether all replicas have reached an epoch."""
SKEW_MS: Final = 1_000
"""A larger difference of the clocks is logged: a workspace's time jumps when its owner changes."""
SKEWED: Final = "the clocks of this machine and of %s differ by %.1f s: workspaces that change owner jump in time"
_BURY_LEASE: Final = "DELETE FROM replicas WHERE (url = %s OR start = %s) AND lease_until <= clock_timestamp()"
_ENTER: Final = (
    "INSERT INTO replicas (url, lease_until, epoch) "
    "SELECT %s, clock_timestamp() + make_interval(secs => %s), epoch FROM payment_sandbox "
    "ON CONFLICT (url) DO NOTHING RETURNING start, epoch"
)
_HOLDER: Final = (
    "SELECT lease_until::text, extract(epoch FROM lease_until - clock_timestamp())::float "
    "FROM replicas WHERE url = %s AND lease_until > clock_timestamp()"
)
_RENEW: Final = (
    "UPDATE replicas AS r SET lease_until = clock_timestamp() + make_interval(secs => %s), epoch = %s "
    "FROM payment_sandbox AS p WHERE r.start = %s AND r.lease_until > clock_timestamp() "
    "RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::bigint, p.epoch"
)
_BEHIND: Final = "SELECT count(*) FROM replicas WHERE epoch < %s AND lease_until > clock_timestamp()"
_LEAVE: Final = "DELETE FROM replicas WHERE start = %s"
_LOG: Final = logging.getLogger("mock_server.lasting")


class Lease:
    """The lease of one process, which other replicas reach at `url`; None if they cannot."""

    def __init__(self, database: PostgresRows, url: str | None, clock: Clock, seconds: float = LEASE_S) -> None:
        self.url = url
        self.owned = 0
        """The number of workspaces that it covers."""
        self.start = 0
        """The start that owns them: a new number after each expired lease."""
        self.since = 0.0
        """The monotonic time at which this start began."""
        self.on_over: Callable[[], object] = lambda: None
        """Called when this replica owns nothing any more: the lease expired, or all workspaces were reset."""
        self._path, self._ask = database.path, database.leasing.all
        self._clock = clock
        self._seconds = seconds
        self._until = 0.0
        self._epoch = 0
        """The number of resets of all workspaces that are known here; no data from before them is shown."""
        self._is_skewed = False
        self._said: str | None = None
        self._stop, self._look = Event(), Event()
        self._thread = Thread(target=self._run, name="sandbox-lease", daemon=True)

    @property
    def left_s(self) -> float:
        """The remaining time, 0 if it has expired."""
        return max(0.0, self._until - self._clock.monotonic())

    @property
    def trouble(self) -> str | None:
        """Why nothing may be shown or saved; None while the lease is valid."""
        if self._until > self._clock.monotonic():
            return None
        return self._said or f"this replica has had no answer from {self._path} for {self._seconds:g} s"

    def begin(self) -> None:
        """Takes the first lease, after the end of one with the same address. Raises StateRefused, DataLost."""
        seen: str | None = None
        while not self._enter():
            for until, left_s in self._ask(_HOLDER, self.url):
                if seen not in (None, until):
                    raise StateRefused(self._taken)
                seen = until  # the process has ended if this is not renewed
                _LOG.info("waiting %.1f s until the lease of the previous replica at %s expires", left_s, self.url)
                self._stop.wait(left_s)
        self._thread.start()

    def stop_renewing(self) -> None:
        """Lets it expire."""
        self._stop.set()
        self._look.set()
        if self._thread.is_alive():
            self._thread.join()

    def end(self) -> None:
        """Ends it at once: other replicas can take over the workspaces."""
        self.stop_renewing()
        self._until = 0.0
        try:
            self._ask(_LEAVE, self.start)
        except DataLost as lost:
            _LOG.warning("%s: others wait until the lease expires", lost)

    def await_all(self, epoch: int) -> None:
        """Waits until no running replica shows data of an earlier epoch. Raises DataLost."""
        self._look.set()
        while self._ask(_BEHIND, epoch) != [(0,)]:
            self._stop.wait(LOOK_S)

    def _enter(self) -> bool:
        """Takes a lease, unless a replica with the same address has a valid one."""
        began = self._clock.monotonic()
        self._ask(_BURY_LEASE, self.url, self.start)
        found = self._ask(_ENTER, self.url, self._seconds)
        if found:
            ((self.start, self._epoch),) = found
            self.since, self._until = self._clock.monotonic(), began + self._seconds
        return bool(found)

    def _run(self) -> None:
        while True:
            self._look.wait(self._seconds / 3 if self._said is None else self._seconds / 12)
            self._look.clear()
            if self._stop.is_set():
                return
            try:
                self._said = None if self._renew() or self._again() else self._taken
            except DataLost as lost:
                if self._said is None:
                    _LOG.warning("%s: the lease cannot be renewed", lost)
                self._said = str(lost)
            except Exception:
                _LOG.exception("the lease could not be renewed because of an internal error")

    def _renew(self) -> bool:
        """Renews the lease, unless it has expired. If all workspaces were reset meanwhile, none is owned any more."""
        while True:
            began = self._clock.monotonic()
            found = self._ask(_RENEW, self._seconds, self._epoch, self.start)
            if not found:
                return False
            self._until = began + self._seconds
            ((now, epoch),) = found
            skew_ms = abs(now - self._clock.now_ms())
            was_skewed, self._is_skewed = self._is_skewed, skew_ms > SKEW_MS
            if self._is_skewed and not was_skewed:
                _LOG.warning(SKEWED, self._path, skew_ms / 1000)
            if epoch == self._epoch:
                return True
            self.on_over()
            self._epoch = epoch

    def _again(self) -> bool:
        """Takes a new lease after an expired one; gives false if another replica has this address."""
        _LOG.warning("the lease of this replica expired: its workspaces are read again")
        self._until = 0.0
        self.on_over()
        return self._enter()

    @property
    def _taken(self) -> str:
        return f"another replica already uses the address {self.url}: give each replica its own address (--advertise)"
