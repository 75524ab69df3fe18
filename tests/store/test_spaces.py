from __future__ import annotations

import pytest

from mock_server.domain.paging import Query
from mock_server.store.memory import Store
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from tests.store.conftest import MakeStore, evicting, in_one_process, nothing
from tests.store.things import THINGS, thing


def put_one(tx: Transaction) -> None:
    tx.put(THINGS, thing("first"))
    tx.set_fact("is", "open")
    tx.append("log", "opened")


def count(space: Space) -> int:
    return space.transact(lambda tx: tx.count(THINGS, Query()))


def test_a_space_is_made_by_its_first_work(store: Store) -> None:
    assert store.space("a") is None
    space = store.open("a", put_one)
    assert (space.name, space.closed, space.fact("is"), count(space)) == ("a", False, "open", 1)
    assert store.space("a") == space
    assert space.last("log") == 1


def test_a_space_is_made_once(store: Store) -> None:
    space = store.open("a", put_one)
    assert store.open("a", nothing) == space
    assert count(space) == 1


def test_a_first_work_that_fails_makes_nothing(store: Store) -> None:
    def fails(tx: Transaction) -> None:
        put_one(tx)
        raise LookupError

    with pytest.raises(LookupError):
        store.open("a", fails)
    assert store.space("a") is None
    space = store.open("a", put_one)
    with pytest.raises(LookupError):
        store.replace("a", fails)
    assert store.space("a") == space
    assert not space.closed


def test_spaces_are_apart(store: Store) -> None:
    one, two = store.open("one", put_one), store.open("two", nothing)
    assert (count(one), count(two)) == (1, 0)
    assert two.fact("is") is None


def test_a_replaced_space_is_closed_and_a_new_one_stands_there(store: Store) -> None:
    old = store.open("a", put_one)
    new = store.replace("a", nothing)
    assert old.closed
    assert not new.closed
    assert new != old
    assert new.generation > old.generation
    assert store.space("a") == new
    assert count(new) == 0
    assert store.names() == ["a"]


@in_one_process
def test_work_on_the_old_space_ends_there_unseen_by_the_new(store: Store) -> None:
    old = store.open("a", put_one)
    new = store.replace("a", nothing)
    old.transact(lambda tx: tx.put(THINGS, thing("late")))
    old.append("log", "late")
    assert old.settle_claim("k", "o", 1) is False
    assert count(old) == 2
    assert count(new) == 0
    assert new.transact(lambda tx: tx.entries("log")) == []


def test_a_space_replaced_within_a_transaction_of_its_own(store: Store) -> None:
    """A reset does not wait for the work that is going on."""
    old = store.open("a", nothing)

    def work(tx: Transaction) -> None:
        tx.put(THINGS, thing("x"))
        store.replace("a", nothing)
        tx.put(THINGS, thing("y"))

    old.transact(work)
    assert old.closed
    assert count(old) == 2
    present = store.space("a")
    assert present is not None
    assert count(present) == 0


def test_replacing_what_is_not_there_opens_it(store: Store) -> None:
    assert count(store.replace("a", put_one)) == 1
    assert store.names() == ["a"]


def test_a_closed_space_is_gone(store: Store) -> None:
    space = store.open("a", nothing)
    assert store.close("a")
    assert space.closed
    assert store.space("a") is None
    assert not store.close("a")


@evicting
def test_the_idlest_space_goes_past_the_bound(make_store: MakeStore) -> None:
    gone: list[str] = []
    store = make_store(max_spaces=3, on_evict=lambda name, newcomer: gone.append(name))
    spaces = {name: store.open(name, nothing) for name in "abc"}
    store.space("a")
    store.open("b", nothing)
    store.open("d", nothing)
    assert gone == ["c"]
    assert spaces["c"].closed
    assert not spaces["a"].closed
    store.replace("e", nothing)
    assert gone == ["c", "a"]
    assert store.names() == ["b", "d", "e"]


@evicting
def test_a_space_with_work_going_on_does_not_go(make_store: MakeStore) -> None:
    gone: list[str] = []
    store = make_store(max_spaces=2, on_evict=lambda name, newcomer: gone.append(name))
    busy = store.open("busy", nothing)
    store.open("idle", nothing)
    busy.transact(lambda tx: store.open("new", nothing))
    assert gone == ["idle"]
    assert not busy.closed


@evicting
def test_the_server_s_own_space_is_neither_counted_nor_listed_nor_evicted(make_store: MakeStore) -> None:
    gone: list[str] = []
    store = make_store(max_spaces=1, on_evict=lambda name, newcomer: gone.append(name))
    own = store.open("", nothing)
    store.open("a", nothing)
    assert gone == []
    store.open("b", nothing)
    assert gone == ["a"]
    assert store.names() == ["b"]
    assert store.space("") == own
    assert not own.closed


def test_a_clear_leaves_only_the_server_s_facts_that_stay(store: Store) -> None:
    facts = {"kept:": 0, "kept:a": [1], "kep": 2, "other:kept:": 3}

    def begin(tx: Transaction) -> None:
        for name, value in facts.items():
            tx.set_fact(name, value)

    store.clear("kept:")
    store.open("", nothing).transact(begin)
    spaces = [store.open(name, put_one) for name in "ab"]
    store.clear("kept:")
    assert [space.closed for space in spaces] == [True, True]
    assert store.names() == []
    left = store.open("", nothing).transact(lambda tx: {name: tx.fact(name) for name in facts})
    assert left == {"kept:": 0, "kept:a": [1], "kep": None, "other:kept:": None}


def test_generations_tell_a_space_from_one_of_the_same_name(store: Store) -> None:
    seen = {store.replace("a", nothing).generation for _ in range(3)}
    store.close("a")
    seen.add(store.open("a", nothing).generation)
    assert len(seen) == 4


def test_all_keys_are_had_in_parts_that_stay(store: Store) -> None:
    space = store.open("a", put_one)
    before = space.keys(THINGS)

    def put_many(tx: Transaction) -> None:
        for number in range(2_000):
            tx.put(THINGS, thing(f"thing_{number}"))

    space.transact(put_many)
    assert [key for part in before for key in part] == ["first"]
    assert [key for part in space.keys(THINGS) for key in part] == ["first", *(f"thing_{n}" for n in range(2_000))]
