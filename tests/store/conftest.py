"""Every test of the contract runs over every engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from mock_server.store.memory import MemoryStore
from mock_server.store.protocol import Space, Store, Transaction
from tests.store.reopening import ReopeningStore, opened
from tests.store.retrying import RetryingStore

MakeStore = Callable[..., Store]


def nothing(tx: Transaction) -> None:
    """The first work of a space that begins empty."""


def memory(path: Path, **options: Any) -> Store:
    return MemoryStore(**options)


def retrying(path: Path, **options: Any) -> Store:
    return RetryingStore(MemoryStore(**options))


def lasting(path: Path, **options: Any) -> Store:
    return opened(path, **options)


def reopening(path: Path, **options: Any) -> Store:
    return ReopeningStore(path, **options)


ENGINES: tuple[Callable[..., Store], ...] = (memory, retrying, lasting, reopening)

evicting = pytest.mark.parametrize("make_store", [memory, retrying], indirect=True, ids=lambda engine: engine.__name__)
"""A test of how spaces go for others: those that outlive the process rest instead (`tests/lasting`)."""
in_one_process = pytest.mark.parametrize("make_store", ENGINES[:-1], indirect=True, ids=lambda engine: engine.__name__)
"""A test of what ends with the process."""


@pytest.fixture(params=ENGINES, ids=lambda engine: engine.__name__)
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeStore]:
    numbers = count()
    with ExitStack() as ends:

        def make(**options: Any) -> Store:
            made: Store = request.param(tmp_path / f"store-{next(numbers)}.sqlite", **options)
            ends.callback(getattr(made, "end", lambda: None))
            return made

        yield make


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    return make_store()


@pytest.fixture
def space(store: Store) -> Space:
    return store.open("workspace", nothing)
