"""The database of `serve --data postgresql://…`: every statement that is sent to it, and what is said where it fails.

A replica is a row of `replicas` as long as it lives, and a workspace is its own whose row names its start. Whoever is
past its lease loses that row to the next one who wants what it owned, and can commit nothing from then on. Instants of
leases are the database's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import psycopg
from psycopg import conninfo

from mock_server.domain.issued_key import tag_of
from mock_server.lasting.batches import NUMBERS, Batch, DataLost, Fenced, Resting, Token
from mock_server.lasting.facts import TABLES
from mock_server.lasting.lines import DatabaseLine, coded, decoded, label
from mock_server.store.protocol import StateRefused

FORMAT: Final = 1
SLICE: Final = 500
"""So many rows are read, or cleared away, at once."""
_BEGINNING: Final = 0x50534278
"""The advisory lock under which tables are made (ours)."""
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
_READ: Final = (
    "SELECT part, key, value FROM rows WHERE space = %s AND (part, key) > (%s, %b) ORDER BY part, key LIMIT %s"
)
_VALUE: Final = "SELECT value FROM rows WHERE (space, part, key) = (%s, %s, %s)"
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
_GARBAGE: Final = (
    "WITH RECURSIVE found AS ((SELECT min(space) AS space FROM rows) UNION ALL "
    "SELECT (SELECT min(space) FROM rows WHERE space > found.space) FROM found WHERE found.space IS NOT NULL) "
    "SELECT space FROM found WHERE space IS NOT NULL "
    "AND NOT EXISTS (SELECT FROM workspaces AS w WHERE w.space = found.space) "
    "AND NOT EXISTS (SELECT FROM replicas AS r WHERE r.start = found.space >> %s)"
)
_CLEAR: Final = "DELETE FROM rows WHERE ctid IN (SELECT ctid FROM rows WHERE space = %s LIMIT %s)"
_ENTER: Final = (
    "INSERT INTO replicas (url, lease_until, epoch) "
    "SELECT %s, clock_timestamp() + make_interval(secs => %s), epoch FROM payment_sandbox "
    "ON CONFLICT (url) DO NOTHING RETURNING start, epoch"
)
_HOLDER: Final = (
    "SELECT start, lease_until::text, extract(epoch FROM lease_until - clock_timestamp())::float "
    "FROM replicas WHERE url = %s"
)
_RENEW: Final = (
    "UPDATE replicas AS r SET lease_until = clock_timestamp() + make_interval(secs => %s), epoch = %s "
    "FROM payment_sandbox AS p WHERE r.start = %s AND r.lease_until > clock_timestamp() "
    "RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::bigint, p.epoch"
)
_BEHIND: Final = "SELECT count(*) FROM replicas WHERE epoch < %s AND lease_until > clock_timestamp()"
Holder = tuple[int, str, float]
"""A replica's start, until when its lease is, and in how many seconds that is over."""


class PostgresRows:
    """A database of rows. Raises StateRefused where it cannot be used; once it is open, DataLost where it fails."""

    def __init__(self, url: str) -> None:
        self.path = label(url)
        self._reading, self._leasing = DatabaseLine(url, "reads"), DatabaseLine(url, "lease")
        self._writing = DatabaseLine(url, "writes", psycopg.Connection)  # a commit may take its time
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
            if version > FORMAT:
                raise StateRefused(
                    f"{self.path} was written by a newer version (format {version}; this one knows {FORMAT})"
                )

    def close(self) -> None:
        """Lets the database go."""
        for line in (self._reading, self._writing, self._leasing):
            line.close()

    # reading

    def names(self) -> list[str]:
        """Every workspace that has rows."""
        return [name for (name,) in self._reading.all("SELECT name FROM workspaces WHERE space IS NOT NULL")]

    def find(self, name: str) -> Resting | None:
        """Where a workspace's rows are, whoever owns it."""
        found = self._reading.all(
            "SELECT name, space, due_at FROM workspaces WHERE name = %s AND space IS NOT NULL", name
        )
        return Resting(*found[0]) if found else None

    def shapes(self) -> dict[int, str]:
        """The shapes of all records in the database, by their numbers."""
        return dict(self._reading.all("SELECT number, shape FROM shapes"))

    def rows(self, space: int) -> Iterator[list[tuple[str, str, bytes]]]:
        """A space's rows in slices; others write between them."""
        part, key = "", b""
        while found := self._reading.all(_READ, space, part, key, SLICE):
            yield [(part, decoded(bytes(key)), bytes(value)) for part, key, value in found]
            part, key, _ = found[-1]

    def value(self, space: int, part: str, key: str) -> bytes | None:
        """One row's value, if there is such a row."""
        found = self._reading.all(
            "SELECT value FROM rows WHERE (space, part, key) = (%s, %s, %s)", space, part, key.encode()
        )
        return bytes(found[0][0]) if found else None

    def count(self, space: int, part: str) -> int:
        """How many rows a part of a space has."""
        return int(self._reading.all("SELECT count(*) FROM rows WHERE space = %s AND part = %s", space, part)[0][0])

    def workspaces(self) -> list[Resting]:
        """What is this replica's before it has claimed anything: nothing."""
        return []

    def garbage(self) -> list[int]:
        """The spaces whose rows are nobody's, and of which no replica that lives is making anything."""
        return [space for (space,) in self._writing.all(_GARBAGE, NUMBERS)]

    # writing

    def write(self, batch: Batch) -> None:
        """Writes all of it in one commit, or nothing. Raises Fenced with the names of those that are others' by now."""
        rows = {(space, part, coded(key)): value for space, found in batch.rows.items() for part, key, value in found}
        puts = [(*at, value) for at, value in rows.items() if value is not None]
        drops = [at for at, value in rows.items() if value is None]
        workspaces = {one.name: one for one in batch.workspaces}
        tokens = [one.token for one in workspaces.values() if one.token is not None]
        with self._writing.open() as connection, connection.pipeline(), connection.transaction():
            if workspaces:
                said = _columns(map(_said, workspaces.values()))
                kept = connection.execute(_FENCE, [[token.owner for token in tokens], *said]).fetchall()
                if len(kept) < len(workspaces):
                    raise Fenced(frozenset(workspaces).difference(name for (name,) in kept))
            for statement, values in ((_SHAPE, batch.shapes.items()), (_PUT, puts), (_DROP, drops)):
                if values:
                    connection.execute(statement, _columns(values))
        for token in tokens:
            token.version += 1

    def clear(self, space: int) -> bool:
        """Clears some rows of a space away that is no more; whether there are others."""
        return bool(self._writing.all(_CLEAR, space, SLICE)[0] == SLICE)

    # owning

    def claim(self, name: str, start: int, *, begins: bool) -> Resting | str | None:
        """Makes a workspace that no replica owns this one's; the owner's address where one lives that does.

        None where there is no such workspace, unless it `begins` with this.
        """
        while True:
            found = self._reading.all(_LOOK, name)
            if not found:
                if not begins:
                    return None
                if self._reading.all(_BEGIN, name, start):
                    return Resting(name, None, None, Token(start, 1))
                continue
            ((owner, fence, url, is_living),) = found
            if owner != start and is_living:
                return str(url or "")
            if owner != start and is_living is not None:
                self._reading.all(_BURY, owner)  # unless it was renewed this very moment
                continue
            for space, due_at, drawn, version in self._reading.all(_TAKE, start, name, owner, fence):
                return Resting(name, space, due_at, Token(start, drawn, version))

    def due(self, until: int, limit: int) -> list[str]:
        """The workspaces that no replica looks after, and in which something is due by a real instant (ms)."""
        return [name for (name,) in self._reading.all(_DUE, until, limit)]

    # being a replica

    def enter(self, url: str | None, seconds: float) -> tuple[int, int] | None:
        """A replica's start, and the epoch that it begins in; None where a replica of this address lives."""
        found = self._leasing.all(_ENTER, url, seconds)
        return found[0] if found else None

    def holder(self, url: str | None) -> Holder | None:
        """The replica of an address, if there is one."""
        found = self._leasing.all(_HOLDER, url)
        return found[0] if found else None

    def renew(self, start: int, epoch: int, seconds: float) -> tuple[int, int] | None:
        """Renews a lease that is not over; the database's own time (ms) and epoch, None where the lease is over."""
        found = self._leasing.all(_RENEW, seconds, epoch, start)
        return found[0] if found else None

    def behind(self, epoch: int) -> int:
        """How many replicas that live may still show something of an earlier epoch."""
        return int(self._reading.all(_BEHIND, epoch)[0][0])

    def bury(self, start: int) -> None:
        """Takes a replica off the list that is past its lease."""
        self._leasing.all(_BURY, start)

    def leave(self, start: int) -> None:
        """Takes this replica off the list: from now on others may own what it owned."""
        self._leasing.all("DELETE FROM replicas WHERE start = %s", start)


def _said(one: Resting) -> tuple[object, ...]:
    assert one.token is not None
    token = one.token
    merchant, tag = (None, None) if one.merchant is None else (coded(one.merchant), tag_of(one.merchant))
    return one.name, one.space, one.due_at, merchant, tag, token.owner, token.fence, token.version


def _columns(rows: Iterable[Sequence[object]]) -> list[list[object]]:
    return [list(column) for column in zip(*rows, strict=True)]
