"""Connections to PostgreSQL: how long they wait, and what is said where they fail; never a user or a password.

The database may stand still: no statement is waited for without end, but those of a connection made for that.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final, TypeVar

import psycopg
from psycopg import conninfo

from mock_server.clock import SystemClock
from mock_server.lasting.batches import DataLost

T = TypeVar("T")

PATIENCE_S: Final = 2.0
"""How long a statement is waited for, a connection, and a turn at one."""
CONNECT_S: Final = 2
IDLE_MS: Final = 3_000
"""A replica that stops in the middle of a commit holds others up for so long at most."""
_PLAIN: Final = re.compile(r"[\w.,:/\[\]-]*", re.ASCII)


def label(url: str) -> str:
    """How messages call a database: its address without user, password and options."""
    try:
        said = conninfo.conninfo_to_dict(url)
    except psycopg.Error:
        said = {}
    host, port, name = (str(said.get(part) or "") for part in ("host", "port", "dbname"))
    text = f"{host}{':' if port else ''}{port}/{name}"
    return f"postgresql://{text}" if _PLAIN.fullmatch(text) else "the database of the setting data"


class Patient(psycopg.Connection[tuple[Any, ...]]):
    """A connection whose statements end in time, also where the database was stopped in the middle of one."""

    def wait(self, gen: Generator[Any, Any, T], *given: Any, **options: Any) -> T:
        return super().wait(_bounded(gen), *given, **options)


def _bounded(gen: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
    """The same steps; OperationalError once they take too long."""
    clock = SystemClock()
    until = clock.monotonic() + PATIENCE_S
    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            if clock.monotonic() > until:
                raise psycopg.OperationalError(f"no answer within {PATIENCE_S:g} s")
            wanted = gen.send(ready)
    except StopIteration as ended:
        value: T = ended.value
        return value


def connect(url: str, purpose: str, of: type[psycopg.Connection[Any]] = Patient) -> psycopg.Connection[Any]:
    """A connection that gives up on a database which does not answer. Raises psycopg.Error."""
    ours = {"application_name": f"payment-sandbox {purpose}", "connect_timeout": CONNECT_S, "tcp_user_timeout": IDLE_MS}
    options: dict[str, Any] = {**ours, **conninfo.conninfo_to_dict(url)}
    connection = of.connect(autocommit=True, **options)
    connection.execute("SELECT set_config('idle_in_transaction_session_timeout', %s, false)", (str(IDLE_MS),))
    return connection


def ask(connection: psycopg.Connection[Any], statement: str, *values: object) -> list[Any]:
    """What a statement gives, or else how many rows it changed. Raises psycopg.Error."""
    done = connection.execute(statement, values, binary=True)
    return done.fetchall() if done.description else [done.rowcount]


class DatabaseLine:
    """One connection for one purpose, made anew where it broke; one statement or transaction at a time."""

    def __init__(self, url: str, purpose: str, of: type[psycopg.Connection[Any]] = Patient) -> None:
        self._of = of
        self._url = url
        self._label = label(url)
        self._lock = Lock()
        self._connection: psycopg.Connection[Any] | None = None
        self._is_closed = False
        self._purpose = purpose

    @contextmanager
    def open(self) -> Iterator[psycopg.Connection[Any]]:
        """The connection, for as long as the block lasts. Raises DataLost where the database fails."""
        if not self._lock.acquire(timeout=PATIENCE_S if self._of is Patient else -1.0):
            raise DataLost(f"{self._label} does not answer")
        try:
            if self._is_closed:
                raise DataLost(f"{self._label} is no longer used")
            if self._connection is None or self._connection.closed:
                self._connection = connect(self._url, self._purpose, self._of)
            yield self._connection
        except psycopg.Error as wrong:
            if isinstance(wrong, psycopg.OperationalError) and self._connection is not None:
                self._connection.close()  # there may be half an answer on it
            raise DataLost(f"{self._label} {_worded(wrong)}") from wrong
        finally:
            self._lock.release()

    def all(self, statement: str, *values: object) -> list[Any]:
        """What a statement gives, or else how many rows it changed. Raises DataLost."""
        with self.open() as connection:
            return ask(connection, statement, *values)

    def close(self) -> None:
        """Ends it; what is sent over it now ends too."""
        self._is_closed = True
        if self._connection is not None:
            self._connection.close()


def _worded(wrong: psycopg.Error) -> str:
    lines = [line.strip() for line in str(wrong).splitlines() if line.strip()]
    if isinstance(wrong, psycopg.errors.InsufficientPrivilege):
        return f"does not give this user all permissions ({lines[0]})"
    is_away = isinstance(wrong, psycopg.OperationalError)
    return f"{'cannot be reached' if is_away else 'cannot be used'} ({lines[0] if lines else type(wrong).__name__})"
