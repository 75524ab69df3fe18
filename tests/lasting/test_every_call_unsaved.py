"""While nothing can be saved, each call is answered as its row says or refused as not saved; later it succeeds."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.errors import Cause, Refusal
from mock_server.lasting.batches import Batch, DataLost
from mock_server.lasting.datafile import DataFile
from mock_server.lasting.saving import AHEAD
from mock_server.lasting.store import LastingStore, SavedAnswers
from tests.clocks import ManualClock
from tests.openapi.recording import control_call
from tests.routes.good import caller, good
from tests.wire import Reply, Wire, wire

MANY: Final = range(3 * AHEAD + 1)
"""More facts than three commits of a restore take."""
NUMBERS: Final = itertools.count(1)
ROWS: Final = [*OPERATIONS, *(row for row in CONTROL_OPERATIONS if row.name != "control.readyz")]


class Shop:
    """A server whose file can be taken away."""

    def __init__(self, folder: Path) -> None:
        self.path, self.clock = folder / "state.sqlite", ManualClock()
        self.api = wire(clock=self.clock, data=self.path)
        assert self.api.sandbox.lasting is not None
        self.store = self.api.sandbox.lasting

    def merchant(self) -> Wire:
        return self.api.as_key(f"snd_merchant_{next(NUMBERS):06}")

    @contextmanager
    def unsaved(self) -> Iterator[None]:
        assert self.store.saver.save()
        other = self.merchant()
        moved = self.path.rename(self.path.with_suffix(".moved"))
        assert other.post("/customers", {}).status == 200
        assert not self.store.saver.save(), "known from now on"
        try:
            yield
        finally:
            moved.rename(self.path)
            self.clock.advance(2_000)
            assert self.store.saver.save()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    made = Shop(tmp_path_factory.mktemp("shop"))
    yield made
    made.store.end()


def prepared(api: Wire, row: Operation) -> Callable[[], Reply]:
    if row in OPERATIONS:
        call = good(api, row)
        return lambda: call.sent(caller(api, row), row)
    return control_call(api, row)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name}-{row.method}")
def test_what_cannot_be_saved_is_said_so(row: Operation, shop: Shop) -> None:
    call = prepared(shop.merchant(), row)
    with shop.unsaved():
        reply = call()
    if reply.status != 200:
        assert (reply.status, reply.error["code"]) == (503, "SB_02"), reply.raw
        assert "nothing was changed" in reply.error["message"]
    assert call().status == 200


class Filling(DataFile):
    """A file on a disk that is full after so many more commits."""

    room = 1_000

    def write(self, batch: Batch) -> None:
        self._take_room()
        super().write(batch)

    def clear(self, space: int) -> bool:
        self._take_room()
        return super().clear(space)

    def _take_room(self) -> None:
        if not self.room:
            raise DataLost("the disk is full")
        self.room -= 1


@pytest.mark.parametrize("room", range(4))
def test_a_restore_that_a_full_disk_ends_leaves_nothing_behind(room: int, tmp_path: Path) -> None:
    file, clock = Filling(str(tmp_path / "state.sqlite")), ManualClock()
    store = LastingStore(file, (), clock)
    saver, dump = (
        store.saver,
        {**store.open("one", lambda tx: None).dump(bytes), "facts": dict.fromkeys(map(str, MANY), 1)},
    )
    assert saver.save()
    file.room = room
    with pytest.raises(Refusal) as refused:
        store.replace("two", lambda tx: None, dump)
    assert refused.value.cause is Cause.NOT_SAVED
    for room_now in (0, 1_000):  # there is none for that either, at first
        file.room = room_now
        while saver.clear():
            pass
        clock.advance(2_000)
    assert file.garbage() == []
    store.end()


class Loop:
    """The server's loop, whose time is the clock's: nothing but what was asked for runs."""

    is_own_thread = False

    def __init__(self, clock: ManualClock) -> None:
        self.clock, self.due = clock, list[tuple[float, Callable[[], object]]]()

    def soon(self, then: Callable[[], object]) -> None:
        self.later(0, then)

    def later(self, seconds: float, then: Callable[[], object]) -> None:
        self.due.append((self.clock.monotonic() + seconds, then))

    def run(self, seconds: int) -> int:
        """Runs so long; gives how many calls were made."""
        made = 0
        for _ in range(seconds * 100):
            now = self.clock.monotonic()
            for one in [one for one in self.due if one[0] <= now]:
                self.due.remove(one)
                one[1]()
                made += 1
            self.clock.advance(10)
        return made


@pytest.mark.parametrize("how", ["restore", "end"])
def test_an_idle_server_deletes_what_a_full_disk_left(how: str, tmp_path: Path) -> None:
    file, clock = Filling(str(tmp_path / "state.sqlite")), ManualClock()
    store, loop = LastingStore(file, (), clock), Loop(clock)
    dump = {**store.open("one", lambda tx: None).dump(bytes), "facts": dict.fromkeys(map(str, MANY), 1)}
    SavedAnswers(store).begin(loop)
    loop.run(1)
    if how == "restore":
        file.room = 2
        with pytest.raises(Refusal):
            store.replace("two", lambda tx: None, dump)
    else:
        store.replace("two", lambda tx: None, dump)
        loop.run(1)
        file.room = 1
        assert store.close("two")
    assert loop.run(3) < 60, "it looks seldom while there is no room"
    file.room = 1_000
    loop.run(10)
    assert file.garbage() == []
    assert loop.run(10) == 0, "then nothing is left to look for"
    store.end()
