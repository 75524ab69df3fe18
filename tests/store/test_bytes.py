"""What is kept is bounded by its bytes: here, and in all spaces together."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import pytest

from mock_server.domain.paging import Query
from mock_server.store.byte_bounds import LINE, Most
from mock_server.store.memory import Store
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from tests.store.conftest import MakeStore, in_one_process, nothing
from tests.store.things import HEAVY, Thing, thing

LONG: Final = "x" * 10_000
EVERYTHING: Final = Query()


def weigh(space: Space, sort: str) -> int:
    return space.kept_bytes()[sort]


def test_a_log_lets_its_oldest_lines_go(make_store: MakeStore) -> None:
    space = make_store(most={"journal": Most(here=100_000)}).open("workspace", nothing)
    for _ in range(50):
        space.append("journal", LONG)
    lines = space.transact(lambda tx: [entry.sequence for entry in tx.entries("journal")])
    assert lines == list(range(51 - len(lines), 51)), "the last ones, in their order"
    assert 80_000 < weigh(space, "journal") <= 100_000
    assert space.dropped("journal") == 50 - len(lines)


def test_a_line_that_is_too_long_alone_is_kept(make_store: MakeStore) -> None:
    space = make_store(most={"journal": Most(here=100)}).open("workspace", nothing)
    for _ in range(3):
        space.append("journal", LONG)
    assert len(space.transact(lambda tx: tx.entries("journal"))) == 1


def test_what_a_line_shares_is_weighed(make_store: MakeStore) -> None:
    space = make_store(most={"journal": Most()}).open("workspace", nothing)
    space.append("journal", 1, b"y" * 500)
    assert weigh(space, "journal") == LINE + 1 + 500


def test_forgetting_and_failing_take_the_weight_back(make_store: MakeStore) -> None:
    space = make_store(most={"journal": Most(here=50_000)}).open("workspace", nothing)
    for _ in range(4):
        space.append("journal", LONG)
    before = weigh(space, "journal")

    def fails(tx: Transaction) -> None:
        tx.amend("journal", 4, 1)
        tx.drop_oldest("journal")
        for _ in range(9):
            tx.append("journal", LONG)
        tx.forget("journal")
        raise KeyError

    with pytest.raises(KeyError):
        space.transact(fails)
    assert (weigh(space, "journal"), space.dropped("journal")) == (before, 0)
    assert len(space.transact(lambda tx: tx.entries("journal"))) == 4
    space.transact(lambda tx: tx.forget("journal"))
    assert weigh(space, "journal") == 0


def test_kept_answers_go_the_oldest_first(make_store: MakeStore) -> None:
    space = make_store(most={"idempotency": Most(here=100_000)}).open("workspace", nothing)
    for number in range(50):
        assert space.claim(f"key {number}", "me", b"d", 0, 10) is None
        assert space.settle_claim(f"key {number}", "me", LONG)
    assert 80_000 < weigh(space, "idempotency") <= 100_000
    assert space.claim("key 0", "you", b"d", 0, 10) is None, "it fell out"
    kept = space.claim("key 49", "you", b"d", 0, 10)
    assert kept is not None
    assert kept.answer == LONG
    assert space.dropped("idempotency") >= 40


def test_a_key_given_back_weighs_nothing(make_store: MakeStore) -> None:
    space = make_store(most={"idempotency": Most()}).open("workspace", nothing)
    space.claim("key", "me", b"d", 0, 10)
    space.release_claim("key", "me")
    assert weigh(space, "idempotency") == 0


def test_records_weigh_while_they_are_there(make_store: MakeStore) -> None:
    space = make_store(most={"inbox": Most(here=50_000)}).open("workspace", nothing)

    def put(tx: Transaction) -> bool:
        for number in range(6):
            tx.put(HEAVY, thing(f"key {number}", owner=LONG))
        return tx.is_over("inbox")

    assert space.transact(put)
    full = weigh(space, "inbox")
    space.transact(lambda tx: tx.put(HEAVY, thing("key 0", owner=LONG + LONG)))
    assert weigh(space, "inbox") == full + 10_000
    space.transact(lambda tx: [tx.remove(HEAVY, record.key) for record in tx.find(HEAVY, EVERYTHING).items])
    assert weigh(space, "inbox") == 0


def test_texts_among_the_facts_weigh(make_store: MakeStore) -> None:
    space = make_store(most={"snapshots": Most(here=25_000)}).open("workspace", nothing)
    room = space.transact(lambda tx: tx.room("snapshots"))
    space.transact(lambda tx: tx.set_fact("snapshot:a", {"document": LONG}))
    space.transact(lambda tx: tx.set_fact("snapshot:a", {"document": LONG}))
    space.transact(lambda tx: tx.set_fact("other", LONG))
    assert room - 12_000 < space.transact(lambda tx: tx.room("snapshots")) < room - 10_000
    space.transact(lambda tx: tx.set_fact("snapshot:a", None))
    assert space.transact(lambda tx: tx.room("snapshots")) == room


@in_one_process
def test_the_heaviest_space_makes_room_for_the_others(make_store: MakeStore) -> None:
    told: dict[str, int] = {}

    def dropped(fallen: dict[str, int]) -> None:
        for sort, count in fallen.items():
            told[sort] = told.get(sort, 0) + count

    store = make_store(most={"journal": Most(total=1_000_000)}, on_drop=dropped)
    spaces = [store.open(f"workspace {number}", nothing) for number in range(4)]
    for _ in range(90):
        spaces[0].append("journal", LONG)
    for _ in range(20):
        for space in spaces[1:]:
            space.append("journal", LONG)
    assert sum(weigh(space, "journal") for space in spaces) < 1_100_000
    assert [space.dropped("journal") for space in spaces[1:]] == [0, 0, 0]
    assert spaces[0].dropped("journal") >= 50
    assert told["journal"] == spaces[0].dropped("journal")


@in_one_process
def test_an_event_that_goes_for_another_is_told_of_once(make_store: MakeStore) -> None:
    """And not at all where the transaction that lets it go is rolled back."""
    told: list[int] = []
    space = make_store(most={"inbox": Most()}, on_drop=lambda fallen: told.append(fallen["inbox"])).open("a", nothing)

    def exchange(tx: Transaction, divisor: int) -> None:
        tx.put(HEAVY, Thing(key="1", must=""))
        tx.append("inbox", 1)
        tx.drop_oldest("inbox")
        _ = 1 // divisor

    with pytest.raises(ZeroDivisionError):
        space.transact(partial(exchange, divisor=0))
    space.transact(partial(exchange, divisor=1))
    assert (told, space.dropped("inbox")) == ([1], 1)


@in_one_process
def test_what_is_closed_weighs_no_more(make_store: MakeStore) -> None:
    store = make_store(most={"snapshots": Most(total=100_000)})

    def fill(tx: Transaction) -> None:
        tx.set_fact("snapshot:a", {"document": LONG * 5})

    for _ in range(20):
        store.replace("workspace", fill)
    other = store.open("other", nothing)
    assert 40_000 < other.transact(lambda tx: tx.room("snapshots")) < 60_000
    store.close("workspace")
    assert other.transact(lambda tx: tx.room("snapshots")) == 100_000


def test_records_make_room_as_their_owner_says() -> None:
    def forget(tx: Transaction) -> bool:
        oldest = tx.oldest(HEAVY)
        return oldest is not None and tx.remove(HEAVY, oldest)

    store = Store(most={"inbox": Most(total=500_000)}, forget={"inbox": forget})
    spaces = [store.open(f"workspace {number}", nothing) for number in range(2)]

    def put(number: int) -> Callable[[Transaction], Thing]:
        return lambda tx: tx.put(HEAVY, thing(f"key {number}", owner=LONG))

    for number in range(60):
        spaces[number % 2].transact(put(number))
    assert sum(weigh(space, "inbox") for space in spaces) < 550_000
    assert all(space.transact(lambda tx: tx.count(HEAVY, EVERYTHING)) > 10 for space in spaces)


def test_a_dump_is_weighed_again(make_store: MakeStore) -> None:
    store = make_store(most={"scenarios": Most(), "idempotency": Most()})
    space = store.open("workspace", nothing)
    space.transact(lambda tx: tx.set_fact("scenarios.text.a", {"text": LONG}))
    space.claim("key", "me", b"d", 0, 10)
    space.settle_claim("key", "me", LONG)
    weights = dict(space.kept_bytes())
    again = store.replace("workspace", nothing, space.dump())
    assert dict(again.kept_bytes()) == weights
