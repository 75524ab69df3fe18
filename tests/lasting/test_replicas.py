"""Several replicas over one database: whose a workspace is, what a lease that is over ends, what cannot be used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from typing import Any

import pytest

from mock_server.clock import SystemClock
from mock_server.domain.errors import Refusal
from mock_server.domain.faults import PassOn
from mock_server.lasting.postgres import Lease, PostgresRows
from mock_server.lasting.replicas import ReplicaStore
from mock_server.store.transaction import Transaction
from tests.lasting.clusters import Cluster
from tests.running import until
from tests.store.reopening import claiming

OVER = "UPDATE replicas SET lease_until = clock_timestamp() - interval '1 second'"
LIVES = {"readyz": 200, "livez": 200}
Start = Callable[..., ReplicaStore]


@pytest.fixture
def place(cluster: Cluster) -> str:
    return cluster.database()


@pytest.fixture
def start(place: str) -> Iterator[Start]:
    """Starts another replica in this process."""
    numbers = count(1)
    with ExitStack() as ends:

        def begin(**options: Any) -> ReplicaStore:
            made = claiming(place, f"http://replica-{next(numbers)}", **options)
            ends.callback(made.end)
            return made

        yield begin


def add(tx: Transaction) -> int:
    return tx.add("calls")


# whose a workspace is


def test_who_is_asked_first_owns_it(start: Start) -> None:
    one, other = start(), start()
    one.open("a", add)
    other.open("b", add)
    for asks, *asked in ((other.space, "a"), (other.open, "a", add), (other.replace, "a", add)):
        with pytest.raises(PassOn) as passed:
            asks(*asked)
        assert passed.value.url == "http://replica-1"
    with pytest.raises(PassOn):
        one.space("b")
    assert one.saver.wait()
    assert other.saver.wait()
    assert set(one.names()) == set(other.names()) == {"a", "b"}
    assert one.space("nobody's") is None


def test_a_graceful_end_hands_over(start: Start) -> None:
    one, other = start(), start()
    space = one.open("a", add)
    one.replace("b", add)
    with pytest.raises(PassOn):
        other.space("a")
    assert space.transact(add) == 2
    one.end()
    until(lambda: is_here(other, "a"))
    assert other.open("a", add).transact(add) == 3
    assert other.open("b", add).transact(add) == 2


def is_here(store: ReplicaStore, name: str) -> bool:
    try:
        return store.space(name) is not None
    except PassOn:
        return False


def test_a_name_that_was_closed_begins_anew(start: Start) -> None:
    store = start()
    store.open("a", add).transact(add)
    assert store.close("a")
    assert not store.close("a")
    assert store.space("a") is None
    assert store.open("a", add).transact(add) == 2
    store.end()
    assert start().open("a", add).transact(add) == 3


def test_what_is_due_where_nobody_looks_is_taken_over(start: Start) -> None:
    one, other = start(due=lambda space: 1_000), start()
    one.open("a", add)
    assert one.saver.wait()
    assert other.due_by(1_000)[0] == [], "somebody looks after it"
    one.end()
    assert other.due_by(999)[0] == []
    assert other.due_by(1_000)[0] == ["a"]
    assert is_here(other, "a")


def test_rows_of_what_was_reset_are_cleared_away(start: Start, cluster: Cluster, place: str) -> None:
    one = start()
    one.open("a", add)
    assert one.saver.wait()
    one.replace("a", add)
    assert one.saver.wait()
    spaces = "SELECT count(DISTINCT space) FROM rows"
    until(lambda: cluster.ask(spaces, place) == [(1,)])
    others = "INSERT INTO rows SELECT space + number, part, key, value FROM rows, generate_series(1, 3) AS number"
    cluster.ask(others, place)
    assert cluster.ask(spaces, place) == [(4,)], "a replica that lives may still be making them"
    one.end()
    other = start()
    assert other.open("a", add).transact(add) == 2
    assert other.saver.wait()
    until(lambda: cluster.ask(spaces, place) == [(1,)])


# leases


def test_past_its_lease_a_replica_commits_nothing(start: Start, cluster: Cluster, place: str) -> None:
    one, other = start(), start()
    space = one.open("a", add)
    assert one.saver.wait()
    one.lease.stop_renewing()
    cluster.ask(f"{OVER} WHERE url = 'http://replica-1'", place)
    taken = other.open("a", add)
    assert taken.transact(add) == 2
    assert space.transact(add) == 2, "by its own clock the lease lasts, so this is not known yet"
    one.saver.save()
    until(lambda: one.saver.is_unsaved(space))
    until(lambda: space.closed)
    with pytest.raises(Refusal) as refused:
        space.transact(add)
    assert "another replica" in str(refused.value.values["reason"])
    with pytest.raises(PassOn):
        one.space("a")
    assert other.saver.wait()
    assert taken.transact(add) == 3


def test_after_a_lease_that_was_over_all_is_read_again(start: Start, cluster: Cluster, place: str) -> None:
    store = start()
    space = store.open("a", add)
    assert store.saver.wait()
    before = store.lease.start
    cluster.ask(OVER, place)
    until(lambda: store.lease.start != before)
    assert space.closed
    assert store.open("a", add).transact(add) == 2
    assert store.saver.wait()


class Shifted(SystemClock):
    """A machine's clock that goes wrong; `asked` counts how often somebody looked at it."""

    __slots__ = ("ahead_ms", "asked")

    def __init__(self) -> None:
        super().__init__()
        self.ahead_ms = self.asked = 0

    def now_ms(self) -> int:
        self.asked += 1
        return super().now_ms() + self.ahead_ms


def test_clocks_that_differ_are_told_of_once(place: str, caplog: pytest.LogCaptureFixture) -> None:
    database, clock = PostgresRows(place), Shifted()
    lease = Lease(database, None, clock, seconds=0.5)
    lease.begin()

    def told(ahead_ms: int) -> int:
        """How often it was told of once the clock has been looked at with this shift, and again."""
        clock.ahead_ms = ahead_ms
        enough = clock.asked + 3
        until(lambda: clock.asked >= enough)
        return sum("the clocks of this machine and of" in record.getMessage() for record in caplog.records)

    try:
        assert [told(ahead_ms) for ahead_ms in (0, 5_000, 6_000, 0, -5_000)] == [0, 1, 1, 1, 2]
        assert "differ by 5.0 s" in caplog.text
    finally:
        lease.end()
        database.close()


# calls that a killed replica had begun


@pytest.mark.parametrize("saved", ["with what it made", "alone"])
def test_an_idempotency_key_whose_call_was_cut_off_is_free_at_the_next_owner(
    start: Start, cluster: Cluster, place: str, saved: str
) -> None:
    one, other = start(), start()
    space = one.open("a", add)
    assert space.claim("key", "req_1", b"digest", 0, 1_000) is None
    if saved == "with what it made":
        space.transact(add)
    assert one.saver.wait()
    assert [count for (count,) in cluster.ask("SELECT count(*) FROM rows WHERE part = 'claim'", place)] == [1]
    one.lease.stop_renewing()
    cluster.ask(f"{OVER} WHERE url = 'http://replica-1'", place)
    taken = other.open("a", add)
    assert taken.claim("key", "req_2", b"digest", 0, 1_000) is None
    assert taken.settle_claim("key", "req_2", "the answer")
    assert other.saver.wait()
    again = taken.claim("key", "req_3", b"digest", 0, 1_000)
    assert again is not None
    assert (again.owner, again.answer) == ("req_2", "the answer")
