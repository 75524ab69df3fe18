"""Threads at once: nothing is lost, nothing is seen half."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Event, Thread

import pytest

from mock_server.domain.paging import Query
from mock_server.store.memory import Store
from mock_server.store.space import Space
from mock_server.store.table import AT_ONCE
from mock_server.store.transaction import Transaction
from tests.store.conftest import MakeStore, evicting, nothing
from tests.store.retrying import RetryingStore
from tests.store.things import THINGS, Colour, thing
from tests.store.threads import together

THREADS = 8
ROUNDS = 60


def test_no_number_is_given_twice(space: Space) -> None:
    def work() -> list[int]:
        return [space.transact(lambda tx: tx.next("stream")) for _ in range(ROUNDS)]

    numbers = [number for numbers in together([work] * THREADS) for number in numbers]
    assert sorted(numbers) == list(range(THREADS * ROUNDS))


def test_no_increment_is_lost(space: Space) -> None:
    def add(tx: Transaction) -> None:
        old = tx.get(THINGS, "a")
        tx.put(THINGS, thing("a", amount=old.amount + 1 if old else 1))
        tx.add("counter", 2)

    def work() -> None:
        for _ in range(ROUNDS):
            space.transact(add)

    together([work] * THREADS)
    kept = space.transact(lambda tx: tx.get(THINGS, "a"))
    assert kept is not None
    assert kept.amount == THREADS * ROUNDS
    assert space.transact(lambda tx: tx.counter("counter")) == 2 * THREADS * ROUNDS


def test_what_moves_together_is_seen_together(space: Space) -> None:
    """Amounts move between two records; every look finds the same sum, failed moves included."""

    def move(tx: Transaction, by: int) -> None:
        for key, change in (("a", -by), ("b", by)):
            old = tx.get(THINGS, key)
            assert old is not None
            tx.put(THINGS, thing(key, amount=old.amount + change, colour=Colour.RED if by % 2 else Colour.BLUE))
        if by % 3 == 0:
            raise LookupError

    def moving() -> None:
        for by in range(ROUNDS):
            try:
                space.transact(partial(move, by=by))
            except LookupError:
                continue

    def looking() -> None:
        for _ in range(ROUNDS):
            page = space.transact(lambda tx: tx.find(THINGS, Query()))
            assert sum(found.amount for found in page.items) == 0
            assert len({found.colour for found in page.items}) == 1

    space.transact(lambda tx: (tx.put(THINGS, thing("a")), tx.put(THINGS, thing("b"))))
    together([moving, looking] * (THREADS // 2))


def test_records_are_indexed_in_slices_while_others_write(space: Space) -> None:
    """Puts in order and late, changes, removals and failed ones come between; each answer agrees with itself."""
    colours, many = [*Colour], 3 * AT_ONCE

    def work(tx: Transaction, writer: int, at: int) -> None:
        key = f"{(writer + 37 * at) % many}"
        old = tx.get(THINGS, key)
        if at % 3 == 0:
            tx.remove(THINGS, key)
        elif old is not None:
            tx.put(THINGS, thing(key, old.created, colour=colours[at % len(colours)], tags=(key[-1],)))
        tx.put(THINGS, thing(f"new {writer} {at}", (100 + at, 7)[at % 9 == 8], colour=colours[writer % len(colours)]))
        tx.find(THINGS, Query(limit=1))
        if at % 5 == 4:
            raise LookupError

    def write(writer: int) -> None:
        for at in range(ROUNDS):
            with suppress(LookupError):
                space.transact(partial(work, writer=writer, at=at))

    def ask() -> None:
        colour, all_ = space.transact(lambda tx: (tx.tally(THINGS, "colour"), tx.count(THINGS, Query())))
        assert sum(colour.values()) == all_

    def fill(tx: Transaction) -> None:
        for at in range(many):
            tx.put(THINGS, thing(str(at), at // 9, colour=colours[0]))

    space.transact(fill)
    works: list[Callable[[], None]] = [ask, *(partial(write, writer) for writer in range(4)), ask]
    together(works)
    standing = list(space.scan(THINGS, Query()))
    assert space.transact(lambda tx: tx.tally(THINGS, "colour")) == Counter(one.colour for one in standing)
    assert space.transact(lambda tx: tx.tally(THINGS, "tag")) == Counter(tag for one in standing for tag in one.tags)


def test_one_of_many_gets_the_claim_and_all_see_its_answer(space: Space) -> None:
    def work(owner: str) -> bool:
        won = space.claim("key", owner, b"d", 0, 100) is None
        return won and space.settle_claim("key", owner, owner)

    results = together([partial(work, str(number)) for number in range(50)])
    assert sum(results) == 1
    kept = space.claim("key", "late", b"d", 0, 100)
    assert kept is not None
    assert kept.answer == kept.owner == str(results.index(True))


def test_every_hit_counts(space: Space) -> None:
    counts = together([lambda: [space.hit("api", 1) for _ in range(ROUNDS)]] * THREADS)
    assert sorted(count for own in counts for count in own) == list(range(1, THREADS * ROUNDS + 1))


def test_what_is_due_is_taken_once(space: Space) -> None:
    def fill(tx: Transaction) -> None:
        for number in range(200):
            tx.schedule(number % 7, "x", str(number))

    def work() -> list[str]:
        taken = []
        while (due := space.transact(lambda tx: tx.take_due(9))) is not None:
            taken.append(due.subject)
        return taken

    space.transact(fill)
    subjects = [subject for own in together([work] * THREADS) for subject in own]
    assert sorted(subjects, key=int) == [str(number) for number in range(200)]


def test_lines_of_many_writers_have_numbers_without_a_gap(space: Space) -> None:
    def work(writer: int) -> list[int]:
        by_itself = [space.append("log", writer) for _ in range(ROUNDS)]
        return by_itself + [space.transact(lambda tx: tx.append("log", writer)) for _ in range(ROUNDS)]

    together([partial(work, writer) for writer in range(THREADS)])
    entries = space.transact(lambda tx: tx.entries("log"))
    assert [entry.sequence for entry in entries] == list(range(1, 2 * THREADS * ROUNDS + 1))
    assert Counter(entry.value for entry in entries) == dict.fromkeys(range(THREADS), 2 * ROUNDS)


def test_one_space_is_opened_however_many_open_it(store: Store) -> None:
    spaces = together([lambda: store.open("a", nothing)] * THREADS)
    assert {space.generation for space in spaces} == {spaces[0].generation}
    assert store.names() == ["a"]


@evicting
def test_spaces_open_close_and_go_while_others_work(make_store: MakeStore) -> None:
    store = make_store(max_spaces=4)

    def work(own: int) -> None:
        for number in range(ROUNDS):
            space = store.open(f"workspace{(own * 3 + number) % 9}", nothing)
            space.transact(lambda tx: tx.put(THINGS, thing("a", 1)))
            if number % 10 == 0:
                store.replace(space.name, nothing)
            if number % 17 == 0:
                store.close(space.name)

    together([partial(work, own) for own in range(THREADS)])
    assert len(store.names()) <= 4


def test_records_pushed_out_of_the_hot_ones_are_never_stale() -> None:
    """Many spaces share the decoded records; each still reads what it wrote last."""
    store = Store()

    def work(own: int) -> None:
        space = store.open(str(own), nothing)
        for number in range(3000):
            space.transact(lambda tx, at=number: tx.put(THINGS, thing(str(at % 700), amount=at)))  # type: ignore[misc]  # a lambda with a default
            old = space.transact(lambda tx, at=number: tx.get(THINGS, str((at * 7) % 700)))  # type: ignore[misc]  # a lambda with a default
            assert old is None or number - old.amount < 700

    together([partial(work, own) for own in range(6)])


def test_what_comes_between_the_runs_of_a_retried_work_counts() -> None:
    """What a first run saw is no promise: work that is pure gives the right end all the same."""
    inner = Store()
    between: list[Callable[[], object]] = []
    store = RetryingStore(inner, pause=lambda: between.pop(0)() if between else None)
    space = store.open("a", nothing)
    seen: list[int] = []

    def work(tx: Transaction) -> int:
        seen.append(tx.counter("c"))
        return tx.add("c")

    between.extend([lambda: None, lambda: inner.open("a", nothing).transact(lambda tx: tx.add("c", 10))])
    assert space.transact(work) == 11
    assert seen == [0, 10]


def test_a_reset_does_not_wait_for_a_long_transaction(store: Store) -> None:
    inside, done = Event(), Event()
    old = store.open("a", nothing)

    def long(tx: Transaction) -> None:
        inside.set()
        done.wait()
        tx.put(THINGS, thing("late"))

    worker = Thread(target=old.transact, args=(long,))
    worker.start()
    inside.wait()
    new = store.replace("a", nothing)
    assert old.closed
    heard = Event()
    old.on_append("log", heard.set)
    assert heard.is_set(), "a closed space lets its listeners go"
    done.set()
    worker.join()
    assert old.transact(lambda tx: tx.count(THINGS, Query())) == 1
    assert new.transact(lambda tx: tx.count(THINGS, Query())) == 0


def test_facts_are_read_while_a_transaction_is_going_on(space: Space) -> None:
    inside, done = Event(), Event()
    space.transact(lambda tx: tx.set_fact("clock", 1))

    def long(tx: Transaction) -> None:
        tx.set_fact("clock", 2)
        tx.schedule(5, "x", "y")
        inside.set()
        done.wait()
        raise LookupError

    def run() -> None:
        with pytest.raises(LookupError):
            space.transact(long)

    worker = Thread(target=run)
    worker.start()
    inside.wait()
    assert space.fact("clock") == 1
    assert space.due_at() >= 5
    assert not space.closed
    done.set()
    worker.join()
    assert space.fact("clock") == 1
