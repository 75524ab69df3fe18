"""The file of `serve --data`: every statement that is sent to SQLite, and what is said of a file that cannot be used.

One connection, held exclusively as long as the server runs. A commit goes to the write-ahead log: it survives the end
of the process, and with `full` the loss of power too.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any, Final

from mock_server.lasting.batches import Batch, DataLost, Resting
from mock_server.store.protocol import StateDamaged, StateRefused

APPLICATION: Final = 0x50534278
"""What the file's header says that it is (PRAGMA application_id)."""
FORMAT: Final = 1
SLICE: Final = 500
"""So many rows are read, or cleared away, before others get their turn."""
_TABLES: Final = (
    "CREATE TABLE workspaces (name TEXT PRIMARY KEY, space INTEGER NOT NULL UNIQUE, due_at INTEGER)",
    "CREATE TABLE rows (space INTEGER NOT NULL, part TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, "
    "UNIQUE (space, part, key))",
    "CREATE TABLE shapes (number INTEGER PRIMARY KEY, shape TEXT NOT NULL)",
)
_PUT: Final = (
    "INSERT INTO rows (space, part, key, value) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (space, part, key) DO UPDATE SET value = excluded.value"
)
_DROP: Final = "DELETE FROM rows WHERE space = ? AND part = ? AND key = ?"
_WORKSPACE: Final = (
    "INSERT INTO workspaces (name, space, due_at) VALUES (?, ?, ?) "
    "ON CONFLICT (name) DO UPDATE SET space = excluded.space, due_at = excluded.due_at"
)
_READ: Final = "SELECT part, key, value FROM rows WHERE space = ? AND (part, key) > (?, ?) ORDER BY part, key LIMIT ?"
_CLEAR: Final = "DELETE FROM rows WHERE rowid IN (SELECT rowid FROM rows WHERE space = ? LIMIT ?)"
_SYNC: Final = {"normal": "NORMAL", "full": "FULL"}


class DataFile:
    """A file of rows. Raises StateRefused where it cannot be used; once it is open, DataLost where it fails."""

    def __init__(self, path: str, sync: str = "normal") -> None:
        self.path = path
        self._place = Path(path)
        self._lock = Lock()
        _make(self._place)
        self._file = self._place.stat()
        try:
            self._connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
            try:
                self._open(sync)
            except BaseException:
                self._connection.close()
                raise
        except sqlite3.Error as wrong:
            is_damaged = _name(wrong).startswith("SQLITE_CORRUPT")
            raise (StateDamaged if is_damaged else StateRefused)(f"{path} {_worded(wrong)}") from wrong

    def _open(self, sync: str) -> None:
        execute = self._connection.execute
        execute("PRAGMA locking_mode = EXCLUSIVE")
        (tables,) = execute("SELECT count(*) FROM sqlite_master").fetchone()
        (application,) = execute("PRAGMA application_id").fetchone()
        (version,) = execute("PRAGMA user_version").fetchone()
        if tables and application != APPLICATION:
            raise StateRefused(f"{self.path} is the database of another program")
        if version > FORMAT:
            raise StateRefused(
                f"{self.path} was written by a newer version (format {version}; this one knows {FORMAT})"
            )
        if not tables:
            execute("PRAGMA page_size = 8192")
        execute("PRAGMA journal_mode = WAL")
        execute(f"PRAGMA synchronous = {_SYNC[sync]}")
        execute("BEGIN EXCLUSIVE")
        if not tables:
            for statement in (*_TABLES, f"PRAGMA application_id = {APPLICATION}", f"PRAGMA user_version = {FORMAT}"):
                execute(statement)
        execute("COMMIT")

    # reading

    def workspaces(self) -> list[Resting]:
        """Every workspace that has rows; the server's own has no name."""
        return [Resting(*row) for row in self._all("SELECT name, space, due_at FROM workspaces ORDER BY space")]

    def garbage(self) -> list[int]:
        """The spaces whose rows are nobody's: of workspaces that were reset or closed."""
        owned, found, space = {one.space for one in self.workspaces()}, [], -1
        while (rows := self._all("SELECT min(space) FROM rows WHERE space > ?", (space,))) and rows[0][0] is not None:
            space = rows[0][0]
            if space not in owned:
                found.append(space)
        return found

    def shapes(self) -> dict[int, str]:
        """The shapes of all records in the file, by their numbers."""
        return dict(self._all("SELECT number, shape FROM shapes"))

    def rows(self, space: int) -> Iterator[list[tuple[str, str, bytes]]]:
        """A space's rows in slices; others write between them."""
        part = key = ""
        while found := self._all(_READ, (space, part, key, SLICE)):
            yield found
            part, key, _ = found[-1]

    def value(self, space: int, part: str, key: str) -> bytes | None:
        """One row's value, if there is such a row."""
        found = self._all("SELECT value FROM rows WHERE space = ? AND part = ? AND key = ?", (space, part, key))
        return found[0][0] if found else None

    def count(self, space: int, part: str) -> int:
        """How many rows a part of a space has."""
        return int(self._all("SELECT count(*) FROM rows WHERE space = ? AND part = ?", (space, part))[0][0])

    def check(self) -> list[str]:
        """What SQLite finds damaged in the file; nothing if all is well."""
        found = [text for (text,) in self._all("PRAGMA integrity_check")]
        return [] if found == ["ok"] else found

    def _all(self, statement: str, values: tuple[object, ...] = ()) -> list[Any]:
        try:
            with self._lock:
                return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as wrong:
            raise DataLost(f"{self.path} {_worded(wrong)}") from wrong

    # writing

    def write(self, batch: Batch) -> None:
        """Writes all of it in one commit, or nothing."""
        self._check_place()
        puts = [(space, *row) for space, rows in batch.rows.items() for row in rows if row[2] is not None]
        drops = [(space, *row[:2]) for space, rows in batch.rows.items() for row in rows if row[2] is None]
        many = self._connection.executemany
        with self._lock:
            try:
                self._connection.execute("BEGIN")
                if batch.shapes:
                    many("INSERT OR IGNORE INTO shapes VALUES (?, ?)", batch.shapes.items())
                many(_PUT, puts)
                if drops:
                    many(_DROP, drops)
                for one in batch.workspaces:
                    if one.space is None:
                        self._connection.execute("DELETE FROM workspaces WHERE name = ?", (one.name,))
                    else:
                        self._connection.execute(_WORKSPACE, (one.name, one.space, one.due_at))
                self._connection.execute("COMMIT")
            except sqlite3.Error as wrong:
                self._roll_back()
                raise DataLost(f"{self.path} {_worded(wrong)}") from wrong

    def clear(self, space: int) -> bool:
        """Clears some rows of a space away that is no more; whether there are others."""
        try:
            with self._lock:
                cleared = self._connection.execute(_CLEAR, (space, SLICE)).rowcount
        except sqlite3.Error as wrong:
            raise DataLost(f"{self.path} {_worded(wrong)}") from wrong
        return cleared == SLICE

    def close(self) -> None:
        """Lets the file go: the write-ahead log goes into it."""
        with self._lock:
            self._connection.close()

    def _check_place(self) -> None:
        """SQLite would go on writing to a file that has no name any more, and all of it would be lost."""
        try:
            now = self._place.stat()
        except OSError as wrong:
            raise DataLost(f"{self.path} no longer exists ({wrong.strerror})") from wrong
        if (now.st_dev, now.st_ino) != (self._file.st_dev, self._file.st_ino):
            raise DataLost(f"{self.path} is another file now")

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def _make(path: Path) -> None:
    """Makes the file where there is none, for its owner alone. Raises StateRefused where nobody could write to it."""
    try:
        if not path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        elif not path.is_file():
            raise StateRefused(f"{path} is not a file")
        elif not (_may(path, os.R_OK | os.W_OK) and _may(path.parent, os.W_OK)):
            raise StateRefused(f"cannot write {path}: this user needs write access to the file and its folder")
    except OSError as wrong:
        raise StateRefused(f"cannot create {path} ({wrong.strerror})") from wrong


def _may(path: Path, mode: int) -> bool:
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def _name(wrong: sqlite3.Error) -> str:
    return getattr(wrong, "sqlite_errorname", None) or ""


def _worded(wrong: sqlite3.Error) -> str:
    name = _name(wrong)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return "is in use: another server has it open"
    if name == "SQLITE_NOTADB":
        return "is not a database"
    if name.startswith("SQLITE_CORRUPT"):
        return f"is damaged ({wrong})"
    return f"cannot be used ({wrong})"
