"""No answer leaves before what it shows is saved, whoever else changes the same workspace at that moment."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

import pytest

from mock_server.clock import SystemClock
from mock_server.domain.faults import SHOWN
from mock_server.lasting.answers import SavedAnswers
from mock_server.lasting.batches import Batch
from mock_server.lasting.datafile import DataFile
from mock_server.lasting.facts import SharedSpace
from mock_server.lasting.lease import Lease
from mock_server.lasting.postgres import PostgresRows
from mock_server.lasting.replicas import ReplicaStore
from mock_server.lasting.space import LastingSpace
from mock_server.lasting.store import LastingStore
from mock_server.server.loop import Loop
from tests.counts import times
from tests.lasting.clusters import Cluster

CALLS: Final = times(4_000, soak=200_000)
AT_ONCE: Final = 8
TURN_S: Final = 1e-5
"""Threads take turns so often that they meet in each other's middle."""
Saved = dict[tuple[int, bytes], int]


class File(DataFile):
    """A file that knows what it has saved of a counter, by space and name."""

    def __init__(self, path: str) -> None:
        self.saved: Saved = {}
        super().__init__(path)

    def write(self, batch: Batch) -> None:
        super().write(batch)
        note(self.saved, batch)


class Database(PostgresRows):
    """A database that knows the same."""

    def __init__(self, url: str) -> None:
        self.saved: Saved = {}
        super().__init__(url)

    def write(self, batch: Batch) -> None:
        super().write(batch)
        note(self.saved, batch)


def note(saved: Saved, batch: Batch) -> None:
    for space, rows in batch.rows.items():
        saved.update({(space, key): int(value) for part, key, value in rows if part == "counter" and value})


@pytest.fixture(params=["file", "database"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[LastingStore, Saved]]:
    clock = SystemClock()
    store: LastingStore
    if request.param == "file":
        file = File(str(tmp_path / "state.sqlite"))
        store, saved = LastingStore(file, (), clock), file.saved
    else:
        cluster: Cluster = request.getfixturevalue("cluster")
        url = cluster.database()
        database = Database(url)
        lease = Lease(database, None, clock)
        store = ReplicaStore(database, lease, (), clock, lambda state: SharedSpace(url, state, clock))
        saved = database.saved
    yield store, saved
    store.end()


@pytest.fixture
def short_turns() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(TURN_S)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("short_turns")
def test_an_answer_waits_for_its_commit(opened: tuple[LastingStore, Saved]) -> None:
    store, saved = opened
    spaces = [store.open(name, lambda tx: None) for name in ("one", "two", "three")]
    wrong: list[Any] = []
    loop, chance, done = Loop(SystemClock(), wrong.append), random.Random(3), Event()
    saves = SavedAnswers(store)
    saves.begin(loop)
    answered = 0

    def call() -> None:
        """Changes a space, as a call does, and makes the next call when it is answered."""
        space = chance.choice(spaces)
        assert isinstance(space, LastingSpace)
        number = space.transact(lambda tx: tx.add("calls"))
        saves.all_of({SHOWN: space, "PATH_INFO": "/payments"}, answer(space.number, number))

    def answer(space: int, number: int) -> Callable[[bool], None]:
        def told(is_saved: bool) -> None:
            nonlocal answered
            answered += 1
            if not is_saved or saved.get((space, b"calls"), 0) < number:
                wrong.append((space, number, is_saved))
            if answered < CALLS:
                loop.soon(call)
            else:
                loop.stop()

        return told

    def change(seed: int) -> None:
        """Changes the same spaces from another thread, one change after the other, as deliveries do."""
        mine = random.Random(seed)
        while not done.is_set():
            mine.choice(spaces).transact(lambda tx: tx.add("besides"))
            store.saver.wait()

    others = [Thread(target=change, args=(seed,)) for seed in range(2)]
    for other in others:
        other.start()
    for _ in range(AT_ONCE):
        loop.soon(call)
    loop.run()
    done.set()
    for other in others:
        other.join()
    loop.close()
    assert not wrong
