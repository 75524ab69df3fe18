"""Connections to PostgreSQL: time limits, as it may hang, and messages about failures, without passwords."""

from __future__ import annotations

import logging
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final, TypeVar

import psycopg
from psycopg import conninfo, pq

from mock_server.clock import SystemClock
from mock_server.connections import is_quiet
from mock_server.lasting.batches import DataLost

T = TypeVar("T")

PATIENCE_S: Final = 2.0
"""Time limit of a statement, and of waiting for the connection."""
CONNECT_S: Final = 2
IDLE_MS: Final = 3_000
"""How long a replica that hangs during a commit can block others."""
_SET: Final = f"SELECT set_config('idle_in_transaction_session_timeout', '{IDLE_MS}', false)"
UNREADABLE: Final = "the database of the setting data"
"""The label of an address in which parts of the password may stand in other places."""
_PLAIN: Final = re.compile(r"[\w.,:/\[\]-]*", re.ASCII)
logging.getLogger("psycopg").setLevel(logging.CRITICAL)  # it names the user, of failures that we tell of ourselves


def label(url: str) -> str:
    """The name of a database in messages: its address without user, password and options."""
    try:
        said = conninfo.conninfo_to_dict(url)
    except psycopg.Error:  # whose text quotes parts of the address
        return UNREADABLE
    host, port, name = (str(said.get(part) or "") for part in ("host", "port", "dbname"))
    text = f"{host}{':' if port else ''}{port}/{name}"
    return f"postgresql://{text}" if _PLAIN.fullmatch(text) else UNREADABLE


class Patient(psycopg.Connection[tuple[Any, ...]]):
    """A connection whose statements have a time limit, even if the database hangs during one."""

    def wait(self, gen: Generator[Any, Any, T], *given: Any, **options: Any) -> T:
        return super().wait(_bounded(gen), *given, **options)


def _bounded(gen: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
    """The same steps; raises OperationalError if they take too long."""
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
    """A connection with time limits. Raises psycopg.Error."""
    ours = {"application_name": f"payment-sandbox {purpose}", "connect_timeout": CONNECT_S, "tcp_user_timeout": IDLE_MS}
    options: dict[str, Any] = {**ours, **conninfo.conninfo_to_dict(url)}
    return of.connect(autocommit=True, **options)


def ask(connection: psycopg.Connection[Any], statement: str, *values: object) -> list[Any]:
    """The rows of a statement, or else the number of changed rows. Raises psycopg.Error."""
    done = connection.execute(statement, values, binary=True)
    return done.fetchall() if done.description else [done.rowcount]


class DatabaseLine:
    """One connection for one purpose, opened again after a failure; one statement or transaction at a time."""

    def __init__(self, url: str, purpose: str, of: type[psycopg.Connection[Any]] = Patient) -> None:
        self._of, self._url, self._purpose = of, url, purpose
        self._label = label(url)
        self._lock = Lock()
        self._connection: psycopg.Connection[Any] | None = None
        self._is_closed = False

    @contextmanager
    def open(self) -> Iterator[psycopg.Connection[Any]]:
        """The connection, until the end of the block. Raises DataLost if the database fails."""
        if not self._lock.acquire(timeout=PATIENCE_S if self._of is Patient else -1.0):
            raise DataLost(f"{self._label} does not answer")
        try:
            if self._is_closed:
                raise DataLost(f"{self._label} is no longer used")
            if self._connection is not None and not self._connection.closed and not is_quiet(self._connection):
                self._connection.close()  # the database, or a proxy before it, has ended what was idle
            if self._connection is None or self._connection.closed:
                self._connection = connect(self._url, self._purpose, self._of)
                if self._is_closed:
                    self._connection.close()  # type: ignore[unreachable]  # closed meanwhile, by another thread
                self._connection.execute(_SET)
            yield self._connection
        except psycopg.Error as wrong:
            if isinstance(wrong, psycopg.OperationalError) and self._connection is not None:
                self._connection.close()  # part of an answer may be on it
            raise DataLost(f"{self._label} {_worded(wrong, self._url)}") from wrong
        finally:
            self._lock.release()

    def all(self, statement: str, *values: object) -> list[Any]:
        """The rows of a statement, or else the number of changed rows. Raises DataLost."""
        with self.open() as connection:
            return ask(connection, statement, *values)

    def close(self) -> None:
        """Closes it, even during a statement."""
        self._is_closed = True
        if self._connection is not None:
            self._connection.close()


def _worded(wrong: psycopg.Error, url: str) -> str:
    if label(url) == UNREADABLE:
        return "cannot be reached: write @ : / ? # and % in the address's user and password as %40 and so on"
    text = next((line.strip() for line in str(wrong).splitlines() if line.strip()), type(wrong).__name__)
    options = (*pq.Conninfo.get_defaults(), *pq.Conninfo.parse(url.encode()))
    for user in [one.val.decode(errors="replace") for one in options if one.keyword == b"user" and one.val][-1:]:
        text = re.sub(rf"(?<!\w){re.escape(user)}(?!\w)", "***", text)
    if isinstance(wrong, psycopg.errors.InsufficientPrivilege):
        return f"does not give this user all permissions ({text})"
    return f"cannot be {'reached' if isinstance(wrong, psycopg.OperationalError) else 'used'} ({text})"
