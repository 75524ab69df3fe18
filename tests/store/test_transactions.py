from __future__ import annotations

from collections.abc import Callable

import pytest

from mock_server.domain.paging import Query
from mock_server.store.protocol import NEVER
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from tests.store.things import THINGS, Colour, thing


def fill(tx: Transaction) -> None:
    tx.put(THINGS, thing("a", 1, colour=Colour.RED))
    tx.put(THINGS, thing("b", 2, colour=Colour.BLUE))
    tx.next("stream")
    tx.add("counter", 5)
    tx.set_fact("fact", {"a": [1]})
    tx.append("log", {"line": 1})
    tx.append("log", {"line": 2})
    tx.schedule(10, "expire", "a")
    tx.schedule(20, "settle", "a", "x")


def change_everything(tx: Transaction) -> None:
    tx.put(THINGS, thing("c", 0, colour=Colour.RED))
    tx.find(THINGS, Query())
    tx.put(THINGS, thing("a", 1, colour=Colour.GREEN))
    tx.put(THINGS, thing("a", 1, colour=Colour.BLUE))
    tx.remove(THINGS, "b")
    tx.put(THINGS, thing("b", 1))
    tx.remove(THINGS, "b")
    for stream in ("stream", "other", "other"):
        tx.next(stream)
    tx.add("counter", -7)
    tx.add("new")
    tx.set_fact("fact", None)
    tx.set_fact("new", 1)
    tx.append("log", {"line": 3})
    tx.amend("log", 1, {"line": "one"})
    tx.forget("log")
    tx.append("log", {"line": 4})
    tx.append("second", 1)
    tx.schedule(5, "expire", "b")
    tx.unschedule("settle", "a")
    tx.take_due(10)
    tx.schedule(10, "deliver", "a")
    tx.unschedule(None, "a")


def test_a_work_that_raises_leaves_nothing(space: Space) -> None:
    space.transact(fill)
    before = space.dump()

    def work(tx: Transaction) -> None:
        change_everything(tx)
        raise LookupError

    with pytest.raises(LookupError):
        space.transact(work)
    assert space.dump() == before
    space.transact(change_everything)
    assert space.dump() != before


def test_the_same_work_after_a_failure_gives_the_same(space: Space) -> None:
    """Numbers that a failure took are given again."""
    seen: list[tuple[int, int, int]] = []

    def work(tx: Transaction, *, fails: bool) -> None:
        change_everything(tx)
        seen.append((tx.next("other"), tx.append("log", 1), tx.schedule(1, "x", "y").sequence))
        if fails:
            raise LookupError

    space.transact(fill)
    for _ in range(3):
        with pytest.raises(LookupError):
            space.transact(lambda tx: work(tx, fails=True))
    space.transact(lambda tx: work(tx, fails=False))
    assert set(seen) == {(2, 5, 4)}


def test_reads_see_the_writes_of_their_own_transaction(space: Space) -> None:
    def work(tx: Transaction) -> None:
        change_everything(tx)
        tx.put(THINGS, thing("d", 4, colour=Colour.RED))
        assert tx.count(THINGS, Query(filters={"colour": ("red",)})) == 2
        assert tx.version(THINGS, "d") == 1
        assert tx.fact("new") == 1
        assert tx.facts("n") == {"new": 1}
        assert tx.counter("new") == 1
        assert [entry.value for entry in tx.entries("log")] == [{"line": 4}]
        due = tx.schedule(0, "now", "d")
        assert tx.next_due() == due
        assert due in tx.all_due()

    space.transact(fill)
    space.transact(work)


def test_facts_are_seen_from_outside_once_they_are_kept(space: Space) -> None:
    seen = []

    def work(tx: Transaction) -> None:
        tx.set_fact("clock", 5)
        seen.append(tx.fact("clock"))

    assert space.fact("clock") is None
    space.transact(work)
    assert seen[-1] == space.fact("clock") == 5


ENTERS: tuple[Callable[[Space], object], ...] = (
    lambda space: space.transact(lambda tx: None),
    lambda space: space.append("log", 1),
    lambda space: space.claim("key", "owner", b"", 0, 1),
    lambda space: space.settle_claim("key", "owner", 1),
    lambda space: space.release_claim("key", "owner"),
    lambda space: space.dump(),
    lambda space: space.dump_log("journal", lambda entry: entry.value),
    lambda space: next(space.scan(THINGS, Query())),
)


@pytest.mark.parametrize("enter", ENTERS)
def test_a_space_is_not_used_from_within_its_transaction(space: Space, enter: Callable[[Space], object]) -> None:
    with pytest.raises(RuntimeError, match="from within its own transaction"):
        space.transact(lambda tx: enter(space))
    space.transact(lambda tx: tx.add("still"))
    assert space.transact(lambda tx: tx.counter("still")) == 1


@pytest.mark.parametrize(
    "use",
    [
        lambda tx: tx.get(THINGS, "a"),
        lambda tx: tx.put(THINGS, thing("x")),
        lambda tx: tx.next("stream"),
        lambda tx: tx.fact("fact"),
        lambda tx: tx.append("log", 1),
        lambda tx: tx.next_due(),
        lambda tx: list(tx.scan(THINGS, Query())),
    ],
)
def test_a_transaction_is_not_used_after_its_end(space: Space, use: Callable[[Transaction], object]) -> None:
    leaked: list[Transaction] = []
    space.transact(leaked.append)
    with pytest.raises(RuntimeError, match="after its end"):
        use(leaked[-1])


def test_a_scan_is_not_carried_out_of_its_transaction(space: Space) -> None:
    space.transact(fill)
    scan = space.transact(lambda tx: tx.scan(THINGS, Query()))
    with pytest.raises(RuntimeError, match="after its end"):
        next(scan)


def test_work_may_leave_by_any_exception(space: Space) -> None:
    def work(tx: Transaction) -> None:
        tx.add("counter")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        space.transact(work)
    assert space.transact(lambda tx: tx.counter("counter")) == 0


def test_numbers_of_streams_and_counters(space: Space) -> None:
    assert [space.transact(lambda tx: tx.next("a")) for _ in range(3)] == [0, 1, 2]
    assert space.transact(lambda tx: tx.next("b")) == 0
    assert space.transact(lambda tx: (tx.add("c"), tx.add("c", 4), tx.add("c", -5), tx.counter("d"))) == (1, 5, 0, 0)


def test_the_earliest_instant_is_read_without_a_transaction(space: Space) -> None:
    assert space.due_at() == NEVER
    space.transact(fill)
    assert space.due_at() == 10
    space.transact(lambda tx: tx.take_due(10))
    assert space.due_at() == 20
    space.transact(lambda tx: tx.unschedule(None, "a"))
    assert space.due_at() == NEVER
