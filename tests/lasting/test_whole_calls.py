"""A call is saved whole or not at all, and its workspace stays in memory as long as it uses it.

The clock, which a call asks again and again, lets others come between its steps: a commit, or other workspaces.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from threading import get_ident
from typing import Any

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.api_keys import ADMIN_KEY, ApiKey, KeyKind
from mock_server.lasting.store import LastingStore
from mock_server.store.memory import SERVER
from tests.clocks import ManualClock
from tests.routes.good import caller, good
from tests.wire import Wire, wire

every = pytest.mark.parametrize("row", [row for row in OPERATIONS if row.changes], ids=lambda row: row.name)


class Busy(ManualClock):
    """A clock that lets `between` come first whenever the thread asks that made it."""

    __slots__ = ("_thread", "between")

    def __init__(self) -> None:
        super().__init__()
        self._thread = get_ident()
        self.between: Callable[[], object] | None = None

    def now_ms(self) -> int:
        self._let_others()
        return super().now_ms()

    def monotonic(self) -> float:
        self._let_others()
        return super().monotonic()

    def _let_others(self) -> None:
        if (between := self.between) is not None and get_ident() == self._thread:
            self.between = None
            between()
            self.between = between


@pytest.fixture
def clock() -> Busy:
    return Busy()


def begun(path: Path, clock: Busy, **settings: Any) -> tuple[Wire, LastingStore]:
    api = wire(clock=clock, data=path / "state.sqlite", **settings)
    assert api.sandbox.lasting is not None
    return api, api.sandbox.lasting


def is_free(store: LastingStore) -> bool:
    """Whether another thread could change any workspace now."""
    return not any(space is not None and space.is_busy for space in (store.space(SERVER), *store.here()))


def rows(store: LastingStore) -> list[tuple[object, ...]]:
    """What a process would find that starts now."""
    return sorted(store.saver.file.reads("SELECT space, part, key, value FROM rows"), key=repr)


@every
def test_a_commit_at_any_moment_has_all_of_a_call_or_nothing(row: Operation, tmp_path: Path, clock: Busy) -> None:
    api, store = begun(tmp_path, clock)
    call, seen = good(api, row), list[list[tuple[object, ...]]]()
    assert store.saver.save()
    before = rows(store)

    def commit() -> None:
        if is_free(store):
            store.saver.save()
            seen.append(rows(store))

    clock.between = commit
    reply = call.sent(caller(api, row), row)
    clock.between = None
    assert store.saver.save()
    after = rows(store)
    assert reply.status == 200 and seen and after != before
    assert [(found == before, found == after) for found in seen if found not in (before, after)] == []
    store.end()


@every
def test_a_workspace_that_a_call_uses_is_not_unloaded(row: Operation, tmp_path: Path, clock: Busy) -> None:
    api, store = begun(tmp_path, clock, workspaces=1)
    call, others = good(api, row), count()

    def open_another() -> None:
        if is_free(store):
            store.saver.save()
            api.sandbox.workspace(ApiKey(KeyKind.SECRET, f"another_{next(others) % 3}_0123456789"))

    clock.between = open_another
    reply = call.sent(caller(api, row), row)
    clock.between = None
    assert reply.status == 200 and next(others), reply.raw
    if ADMIN_KEY not in row.keys:  # the journal of who sets up merchants is nobody's
        assert row.name in [line["operation"] for line in api.get("/_sandbox/journal?limit=1000")["data"]]
    store.end()
