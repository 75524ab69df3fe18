"""The file of `serve --data`: all statements for SQLite, and the messages about a file that cannot be used.

The server has one exclusive connection. A commit goes to the write-ahead log: it survives the end of the process, and
with `full` a power failure too.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Final

import msgspec

from mock_server.lasting.batches import FORMAT, Batch, DataLost, Resting, Rows
from mock_server.store.protocol import StateDamaged, StateRefused, faults_of

APPLICATION: Final = 0x50534278
"""The application in the file's header (PRAGMA application_id)."""
_TABLES: Final = (
    "CREATE TABLE workspaces (name TEXT PRIMARY KEY, space INTEGER NOT NULL UNIQUE, due_at INTEGER)",
    "CREATE TABLE rows (space INTEGER NOT NULL, part TEXT NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL, "
    "UNIQUE (space, part, key))",
    "CREATE TABLE shapes (number INTEGER PRIMARY KEY, shape TEXT NOT NULL)",
)
_PUT: Final = (
    "INSERT INTO rows (space, part, key, value) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (space, part, key) DO UPDATE SET value = excluded.value"
)
_SHAPE: Final = "INSERT OR IGNORE INTO shapes VALUES (?, ?)"
_DROP: Final = "DELETE FROM rows WHERE space = ? AND part = ? AND key = ?"
_WORKSPACE: Final = (
    "INSERT INTO workspaces (name, space, due_at) VALUES (?, ?, ?) "
    "ON CONFLICT (name) DO UPDATE SET space = excluded.space, due_at = excluded.due_at"
)
_LOG: Final = logging.getLogger("mock_server.lasting")


class DataFile(Rows):
    """Rows in a file, changed only if it `begins`. Raises StateRefused if it cannot be used, DataLost if it fails."""

    row_id = "rowid"

    def __init__(self, path: str, sync: str = "normal", *, begins: bool = True) -> None:
        self.path = path
        self._advice = f": stop the server and run payment-sandbox data check {path}" if begins else ""
        self.reads = self.writes = self._ask
        self._at = _made(path)  # beside it is SQLite's log, to which :memory: and file:… are no files
        self._lock = Lock()
        try:
            self._connection = sqlite3.connect(self._at, timeout=0, isolation_level=None, check_same_thread=False)
            try:
                self._open(sync, begins=begins)
                self._files = {one: one.stat() for one in (Path(path), Path(f"{self._at}-wal")) if one.exists()}
            except BaseException:
                self._connection.close()
                raise
        except sqlite3.Error as wrong:
            is_damaged = _name(wrong).startswith("SQLITE_CORRUPT")
            raise (StateDamaged if is_damaged else StateRefused)(f"{path} {self._worded(wrong)}") from wrong

    def _open(self, sync: str, *, begins: bool) -> None:
        execute = self._connection.execute
        execute("PRAGMA locking_mode = EXCLUSIVE")
        (tables,) = execute("SELECT count(*) FROM sqlite_master").fetchone()
        (application,) = execute("PRAGMA application_id").fetchone()
        (version,) = execute("PRAGMA user_version").fetchone()
        if tables and application != APPLICATION:
            raise StateRefused(f"{self.path} is the database of another program")
        if tables:
            self.check_format(version)
        elif not begins:
            raise StateRefused(f"{self.path} is empty")
        else:
            execute("PRAGMA page_size = 8192")
        for suffix in ("", "-wal", "-shm") if begins else ():  # SQLite gives the two the permissions of the file
            keep_private(Path(f"{self._at}{suffix}"))
        execute("PRAGMA journal_mode = WAL")
        execute(f"PRAGMA synchronous = {sync.upper()}")
        execute("BEGIN EXCLUSIVE")
        if not tables:
            for statement in (*_TABLES, f"PRAGMA application_id = {APPLICATION}", f"PRAGMA user_version = {FORMAT}"):
                execute(statement)
        execute("COMMIT")

    def workspaces(self) -> list[Resting]:
        """Every workspace that has rows; the server's own has no name."""
        rows = self._ask("SELECT name, space, due_at FROM workspaces ORDER BY space")
        with faults_of(f"{self.path} has a table of workspaces that cannot be read"):
            return [Resting(*row) for row in msgspec.convert(rows, list[tuple[str, int, int | None]])]

    def check(self) -> list[str]:
        """The damages that SQLite finds in the file."""
        found = [text for (text,) in self._ask("PRAGMA integrity_check")]
        return [] if found == ["ok"] else found

    def write(self, batch: Batch) -> None:
        for path, was in self._files.items():
            try:  # SQLite would continue to write to a file that was deleted, and all of it would be lost
                now = path.stat()
            except OSError as wrong:
                raise DataLost(f"{path} no longer exists ({wrong.strerror})") from wrong
            if (now.st_dev, now.st_ino) != (was.st_dev, was.st_ino):
                raise DataLost(f"{path} is another file now")
            if now.st_size < was.st_size:
                raise DataLost(f"{path} was cut by another program")
            self._files[path] = now
        with self._used() as connection, connection:  # changes that are not committed are rolled back
            connection.execute("BEGIN")
            for statement, rows in ((_SHAPE, batch.shapes.items()), (_PUT, batch.puts()), (_DROP, batch.drops())):
                if rows:
                    connection.executemany(statement, rows)
            for workspace in batch.workspaces:
                if workspace.space is None:
                    connection.execute("DELETE FROM workspaces WHERE name = ?", (workspace.name,))
                else:
                    connection.execute(_WORKSPACE, (workspace.name, workspace.space, workspace.due_at))
            connection.execute("COMMIT")

    def close(self) -> None:
        """Closes the file, after the write-ahead log was copied to it."""
        with self._lock:
            self._connection.close()

    def _ask(self, statement: str, *values: object) -> list[Any]:
        with self._used() as connection:
            done = connection.execute(statement.replace("%s", "?"), values)
            return done.fetchall() if done.description else [done.rowcount]

    @contextmanager
    def _used(self) -> Iterator[sqlite3.Connection]:
        """The connection, until the end of the block. Raises DataLost if the file fails."""
        try:
            with self._lock:
                yield self._connection
        except sqlite3.Error as wrong:
            raise DataLost(f"{self.path} {self._worded(wrong)}") from wrong

    def _worded(self, wrong: sqlite3.Error) -> str:
        name = _name(wrong)
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return "is in use: another program has it open"
        if name == "SQLITE_NOTADB":
            return "is not a database"
        if name.startswith("SQLITE_CORRUPT"):
            return f"is damaged ({wrong}){self._advice}"
        return f"cannot be used ({wrong})"


def _made(given: str) -> Path:
    """Creates a missing file, for its owner only; gives its real path. Raises StateRefused if it cannot be written."""
    try:
        path = Path(os.path.realpath(given))
        if not (path.exists() or path.is_symlink()):  # which leads to itself, as others were followed
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        elif not path.is_file():
            raise StateRefused(f"{path} is not a file")
        elif path.stat().st_nlink > 1:  # its log lies beside one of them, and would be missing by another
            raise StateRefused(f"{path} has a second name (a hard link): remove one, not that with a -wal beside it")
        elif not (_may(path, os.R_OK | os.W_OK) and _may(path.parent, os.W_OK)):
            raise StateRefused(f"cannot write {path}: this user needs write access to the file and its folder")
    except OSError as wrong:
        raise StateRefused(f"cannot create {given} ({wrong.strerror})") from wrong
    return path


def keep_private(path: Path) -> None:
    """Takes the permissions of others on a file, whatever the umask was; only warns if the file has another owner."""
    try:
        if path.exists() and stat.S_IMODE(path.stat().st_mode) != 0o600:
            path.chmod(0o600)
    except OSError as wrong:
        _LOG.warning("others may be able to read %s: its permissions cannot be changed (%s)", path, wrong.strerror)


def _may(path: Path, mode: int) -> bool:
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def _name(wrong: sqlite3.Error) -> str:
    return getattr(wrong, "sqlite_errorname", None) or ""
