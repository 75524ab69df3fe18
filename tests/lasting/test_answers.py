"""No answer leaves before what it shows is saved, whoever else changes the same workspace at that moment."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

import pytest

from mock_server.clock import SystemClock
from mock_server.domain.faults import SHOWN
from mock_server.lasting.batches import Batch
from mock_server.lasting.datafile import DataFile
from mock_server.lasting.facts import SharedSpace
from mock_server.lasting.postgres import Lease, PostgresRows
from mock_server.lasting.replicas import ReplicaStore
from mock_server.lasting.state import COUNTER
from mock_server.lasting.store import LastingStore, SavedAnswers
from mock_server.server.loop import Loop
from mock_server.store import records
from mock_server.store.space import Space
from tests.counts import times
from tests.lasting.clusters import Cluster

CALLS: Final = times(2_000, soak=200_000)
AT_ONCE: Final = 8
OTHERS: Final = 2
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
        saved.update({(space, key): records.unpack(value) for part, key, value in rows if part == COUNTER and value})


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


class Calls:
    """Calls that each change a space, and the next of which begins when one is answered."""

    def __init__(self, store: LastingStore, saved: Saved, spaces: list[Space]) -> None:
        self.wrong: list[Any] = []
        """What went wrong, and answers (space, count) that came before their commit."""
        self.loop = Loop(SystemClock(), self.wrong.append)
        self._saved, self._spaces = saved, spaces
        self._chance = random.Random(3)
        self._saves = SavedAnswers(store)
        self._saves.begin(self.loop)
        self._answered = 0
        self._others = OTHERS
        self.is_over = Event()

    def run(self) -> None:
        for _ in range(AT_ONCE):
            self.loop.soon(self._call)
        self.loop.run()
        self.loop.close()

    def _call(self) -> None:
        space = self._chance.choice(self._spaces)
        number = space.transact(lambda tx: tx.add("calls"))
        self._saves.all_of({SHOWN: space, "PATH_INFO": "/payments"}, partial(self._end, space.generation, number))

    def _end(self, space: int, number: int, is_saved: bool) -> None:
        self._answered += 1
        if not is_saved or self._saved.get((space, b"calls"), 0) < number:
            self.wrong.append((space, number))
        if self._answered < CALLS:
            self.loop.soon(self._call)
        else:
            self.is_over.set()

    def leave(self) -> None:
        """Another thread has ended; the loop, on which everything is saved, ends with the last one."""
        self._others -= 1
        if not self._others:
            self.loop.stop()


@pytest.mark.usefixtures("short_turns")
def test_an_answer_waits_for_its_commit(opened: tuple[LastingStore, Saved]) -> None:
    store, saved = opened
    spaces = [store.open(name, lambda tx: None) for name in ("one", "two", "three")]
    calls = Calls(store, saved, spaces)

    def change(seed: int) -> None:
        """Changes the same spaces from another thread, one change after the other, as deliveries do."""
        chance = random.Random(seed)
        while not calls.is_over.is_set():
            chance.choice(spaces).transact(lambda tx: tx.add("besides"))
            store.saver.wait()
        calls.loop.soon(calls.leave)

    others = [Thread(target=change, args=(seed,)) for seed in range(OTHERS)]
    for other in others:
        other.start()
    calls.run()
    for other in others:
        other.join()
    assert not calls.wrong
