"""A state that goes with many objects or many bytes is swept, which returns its memory to the system."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Final

import pytest

from mock_server.store.byte_bounds import Most
from mock_server.store.memory import Store, Sweeper
from mock_server.store.protocol import RecordKind
from mock_server.store.space import Space
from tests.store.things import HEAVY, THINGS, Thing

LARGE: Final = "x" * 600_000
Fill = Callable[[Space, int, str], object]


def put(space: Space, count: int, text: str, kind: RecordKind[Thing] = THINGS) -> None:
    space.transact(lambda tx: [tx.put(kind, Thing(key=f"{number}", must=text)) for number in range(count)])


FILLS: Final[dict[str, Fill]] = {
    "records": put,
    "events": lambda space, count, text: put(space, count, text, HEAVY),
    "journal": lambda space, count, text: [
        space.transact(lambda tx: tx.append("journal", {"text": text})) for _ in range(count)
    ],
}


LIMIT_S: Final = 60


def swept(sort: str, count: int, text: str) -> bool:
    """Whether a space that holds so many of a sort is swept after its end."""
    done = Event()
    sweeper = Sweeper(done.set)
    store = Store(sweeper=sweeper, most={"journal": Most(), "inbox": Most()})
    FILLS[sort](store.open("a", lambda tx: None), count, text)
    store.close("a")
    if sweeper.thread is None:
        return False
    assert done.wait(LIMIT_S), f"the sweeper has not ended after {LIMIT_S} s"
    return True


@pytest.mark.parametrize("sort", FILLS)
def test_many_are_swept(sort: str) -> None:
    assert swept(sort, 1_000, "")


@pytest.mark.parametrize("sort", ["events", "journal"])
def test_few_large_ones_are_swept(sort: str) -> None:
    assert swept(sort, 20, LARGE)


@pytest.mark.parametrize("sort", FILLS)
def test_few_small_ones_go_at_once(sort: str) -> None:
    assert not swept(sort, 20, "")
