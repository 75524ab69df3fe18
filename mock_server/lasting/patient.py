"""Connections to a database that may stand still: nothing is waited for without end."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Final, TypeVar

import psycopg

from mock_server.clock import SystemClock

T = TypeVar("T")

PATIENCE_S: Final = 2.0
"""How long a statement is waited for, a connection, and a turn at one."""


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
