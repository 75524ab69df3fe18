"""Every test of the contract runs over every engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mock_server.store.memory import MemoryStore
from mock_server.store.protocol import Space, Store, Transaction
from tests.store.retrying import RetryingStore

MakeStore = Callable[..., Store]


def nothing(tx: Transaction) -> None:
    """The first work of a space that begins empty."""


def memory(**options: Any) -> Store:
    return MemoryStore(**options)


def retrying(**options: Any) -> Store:
    return RetryingStore(MemoryStore(**options))


ENGINES: tuple[MakeStore, ...] = (memory, retrying)


@pytest.fixture(params=ENGINES, ids=lambda engine: engine.__name__)
def make_store(request: pytest.FixtureRequest) -> MakeStore:
    made: MakeStore = request.param
    return made


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    return make_store()


@pytest.fixture
def space(store: Store) -> Space:
    return store.open("workspace", nothing)
