"""Every test of the contract runs over every engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from mock_server.store.memory import Store
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from tests.counts import SOAK
from tests.store.reopening import ReopeningStore, claiming, opened
from tests.store.retrying import RetryingStore

MakeStore = Callable[..., Store]


EVERY: Final = 1 if SOAK else 4
"""Of so many calls, one finds a replica that has just opened the database: that takes 30 ms, with a file 4 ms."""


def nothing(tx: Transaction) -> None:
    """The first work of a space that begins empty."""


def memory(place: str, **options: Any) -> Store:
    return Store(**options)


def retrying(place: str, **options: Any) -> Store:
    return RetryingStore(Store(**options))


def lasting(place: str, **options: Any) -> Store:
    return opened(Path(place), **options)


def reopening(place: str, **options: Any) -> Store:
    return ReopeningStore(partial(opened, Path(place), **options))


def replica(place: str, **options: Any) -> Store:
    return claiming(place, **options)


def returning(place: str, **options: Any) -> Store:
    return ReopeningStore(partial(claiming, place, **options), EVERY)


IN_ONE: tuple[Callable[..., Store], ...] = (memory, retrying, lasting, replica)
OF_DATABASES: tuple[Callable[..., Store], ...] = (replica, returning)
ENGINES: tuple[Callable[..., Store], ...] = (*IN_ONE, reopening, returning)

evicting = pytest.mark.parametrize("make_store", [memory, retrying], indirect=True, ids=lambda engine: engine.__name__)
"""A test of how spaces go for others: those that outlive the process rest instead (`tests/lasting`)."""
in_one_process = pytest.mark.parametrize("make_store", IN_ONE, indirect=True, ids=lambda engine: engine.__name__)
"""A test of what ends with the process."""


@pytest.fixture(params=ENGINES, ids=lambda engine: engine.__name__)
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeStore]:
    numbers = count()
    cluster = request.getfixturevalue("cluster") if request.param in OF_DATABASES else None
    with ExitStack() as ends:

        def make(**options: Any) -> Store:
            place = cluster.database() if cluster else str(tmp_path / f"store-{next(numbers)}.sqlite")
            made: Store = request.param(place, **options)
            ends.callback(getattr(made, "end", lambda: None))
            return made

        yield make


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    return make_store()


@pytest.fixture
def space(store: Store) -> Space:
    return store.open("workspace", nothing)
