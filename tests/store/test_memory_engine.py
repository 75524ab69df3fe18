"""What is true of the memory engine alone: what it costs to keep much, and to let it go."""

from __future__ import annotations

import gc
import logging
from itertools import count
from threading import Event, Thread, get_ident
from weakref import ref

import pytest

from mock_server.domain.paging import Query
from mock_server.store.index import Keys
from mock_server.store.memory import Store, Sweeper, slices
from mock_server.store.postings import Postings, as_bitmap, grown, holds, shrunk, size
from mock_server.store.space import Gate, Space
from mock_server.store.state import SpaceState
from mock_server.store.table import RecordCache
from mock_server.store.transaction import Transaction
from tests.store.conftest import nothing
from tests.store.retrying import RetryingStore
from tests.store.things import RICH, THINGS, thing


def many(tx: Transaction, length: int = 5000) -> None:
    for number in range(length):
        key = f"key{number}"
        tx.put(THINGS, thing(key, number, owner=f"owner{number}", tags=("all", str(number % 7))))
        tx.schedule(10**9 + number * 1000, "expire", key)
        tx.append("log", {"key": [key]})


def test_engines_keep_the_contract_by_type() -> None:
    stores: tuple[Store, ...] = (Store(), RetryingStore())
    assert all(store.names() == [] for store in stores)


def test_the_garbage_collector_has_next_to_nothing_to_follow_per_record() -> None:
    """Decoded records lately used are the exception, and they are bounded."""
    space = Store().open("a", nothing)
    space.transact(lambda tx: many(tx, 6000))
    gc.collect()
    before = len(gc.get_objects())
    space.transact(
        lambda tx: [tx.put(THINGS, thing(f"x{at}", 10**6 + at, owner=f"x{at // 3}")) for at in range(20_000)]
    )
    for at in range(20_000):
        key = f"k{at}"
        space.claim(key, "o", b"d", 0, 10)
        space.settle_claim(key, "o", [200, [["a", "b"]], b"body"])
        space.append("journal", {"call": [at]})
    space.transact(lambda tx: [tx.schedule(10**12 + at * 100, "x", f"s{at // 2}") for at in range(20_000)])
    gc.collect()
    assert len(gc.get_objects()) - before < 1000


def test_slices_free_a_state_bit_by_bit() -> None:
    state = SpaceState(RecordCache(100), {}, 10, {})
    table = state.table(THINGS)
    for at in range(3000):
        table.put(thing(str(at), at, owner=str(at)))
        state.log("log").append(at)
        state.due.schedule(at, "x", str(at), "")
    assert state.weight() == 9000
    assert state.record_cache.get((table.serial, "2999")) is not None
    assert sum(1 for _ in slices(state)) > 9000 / 256
    assert state.weight() == 0
    assert state.record_cache.get((table.serial, "2999")) is None


def test_a_heavy_space_is_swept_once_nobody_uses_it() -> None:
    swept = Event()
    store = Store(sweeper=Sweeper(swept.set))
    for _ in range(2):
        old = store.open("a", many)
        store.replace("a", nothing)
        gc.collect()
        assert old.transact(lambda tx: tx.count(THINGS, Query())) == 5000, "whoever works on it still can"
        assert not swept.is_set()
        del old
        gc.collect()
        swept.wait()
        swept.clear()
        store.close("a")


def test_a_light_space_needs_no_thread() -> None:
    sweeper = Sweeper()
    store = Store(sweeper=sweeper)
    store.open("a", lambda tx: many(tx, 100))
    store.close("a")
    gc.collect()
    assert sweeper.thread is None


def test_the_sweeper_s_thread_ends_with_its_store() -> None:
    sweeper = Sweeper()
    store = Store(sweeper=sweeper)
    store.open("a", many)
    store.close("a")
    gc.collect()
    thread = sweeper.thread
    assert thread is not None
    assert thread.daemon
    del store, sweeper
    gc.collect()
    thread.join()
    assert not thread.is_alive()


def test_hot_records_are_bounded_and_lately_used_ones_stay() -> None:
    record_cache = RecordCache(10)
    record_cache.put((0, "kept"), "kept")
    for number in range(50):
        assert record_cache.get((0, "kept")) == "kept"
        record_cache.put((1, str(number)), number)
    assert record_cache.get((1, "0")) is None
    assert record_cache.get((1, "49")) == 49
    assert sum(record_cache.get((1, str(number))) is not None for number in range(50)) <= 11
    record_cache.drop((1, "49"))
    assert record_cache.get((1, "49")) is None
    record_cache.forget(lambda key: key[0] == 0)
    assert record_cache.get((0, "kept")) is None


def test_a_gate_refuses_whoever_is_inside() -> None:
    gate = Gate()
    assert not gate.owner
    seen = []
    for _ in range(2):
        with gate:
            with pytest.raises(RuntimeError, match="own transaction"):
                gate.__enter__()
            seen.append(gate.owner == get_ident())
        seen.append(gate.owner == get_ident())
    assert seen == [True, False, True, False]


def test_keys_are_a_list() -> None:
    keys, plain = Keys(), []
    for number, length in zip(count(), (3000, 2048, 2047, 1024, 1, 0), strict=False):
        if number == 0:
            for at in range(3000):
                keys.rest.append(str(at))
                keys.fold()
                plain.append(str(at))
        keys.cut(length)
        del plain[length:]
        assert [keys[at] for at in range(length)] == plain
        keys.rest.append("more")
        keys.fold()
        assert keys[length] == "more"
        keys.cut(length)


def test_postings_ignore_what_is_there_already_and_what_is_not() -> None:
    posting = grown(grown(grown(5, 5), 3), 3)
    assert list(as_bitmap(posting)) == [3, 5]
    posting = shrunk(posting, 4)
    assert list(as_bitmap(posting)) == [3, 5]
    for at in range(100):
        posting = grown(posting, at)
    assert size(posting) == 100
    assert holds(posting, 99)
    assert not holds(posting, 100)
    assert not holds(None, 0)
    assert shrunk(7, 8) == 7
    assert shrunk(None, 8) is None
    postings = Postings()
    postings.discard(("a", "b"), 1)
    postings.add(("a", None, "a"), 1)
    assert dict(postings.counts(None)) == {"a": 1}


def test_eviction_is_told_after_the_space_is_closed(caplog: pytest.LogCaptureFixture) -> None:
    told: list[tuple[str, bool]] = []
    spaces: dict[str, Space] = {}

    def on_evict(name: str, newcomer: str) -> None:
        told.append((f"{name} for {newcomer}", spaces[name].closed))

    store = Store(max_spaces=1, on_evict=on_evict)
    with caplog.at_level(logging.DEBUG):
        for name in ("a", "b"):
            spaces[name] = store.open(name, lambda tx: tx.put(THINGS, RICH))
    assert told == [("a for b", True)]


def test_without_a_thread_what_is_let_go_of_goes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    swept = Event()
    sweeper = Sweeper(swept.set)
    heavy = SpaceState(RecordCache(100), {}, 10, {})
    for at in range(2000):
        heavy.log("log").append(at)
    gone = ref(heavy)
    with monkeypatch.context() as patched:
        patched.setattr(Thread, "start", none_left)
        sweeper.take(heavy)
    assert sweeper.thread is None
    del heavy
    assert gone() is None
    again = SpaceState(RecordCache(100), {}, 10, {})
    again.log("log").lines.update((at, b"") for at in range(2000))
    sweeper.take(again)
    swept.wait()
    assert not again.log("log").lines
