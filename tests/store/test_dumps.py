from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.paging import Query
from mock_server.store.memory import Store
from mock_server.store.protocol import DumpRefused
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from tests.store.conftest import nothing
from tests.store.things import NOTES, RICH, THINGS, Colour, Note, thing


def fill(tx: Transaction) -> None:
    tx.put(THINGS, thing("late", 9))
    tx.put(THINGS, RICH)
    tx.put(THINGS, thing("gone", 3))
    tx.put(THINGS, thing("late", 9, colour=Colour.BLUE))
    tx.remove(THINGS, "gone")
    tx.put(NOTES, Note("n", 1, tx.encoded(THINGS, "rich")))
    tx.next("stream")
    tx.add("counter", 3)
    tx.set_fact("clock", {"offset": 5, "key": b"\x00"})
    tx.append("inbox", "evt_1")
    tx.append("inbox", {"a": b"b"})
    tx.schedule(7, "expire", "rich", "session")
    tx.schedule(3, "settle", "late")
    tx.take_due(3)


def filled(store: Store) -> Space:
    space = store.open("workspace", fill)
    space.append("journal", "call")
    space.hit("api", 4)
    space.claim("k", "o", b"\x01\x02", 0, 50)
    space.settle_claim("k", "o", [200, [["a", "b"]], b"body"])
    space.claim("working", "o", b"", 0, 50)
    return space


def text(dump: dict[str, Any]) -> str:
    return json.dumps(dump)


def test_dump_load_dump_is_the_same_text(store: Store) -> None:
    dump = filled(store).dump()
    again = store.replace("twin", nothing, json.loads(text(dump)))
    assert text(again.dump()) == text(dump)
    again.transact(lambda tx: (tx.count(THINGS, Query()), tx.count(NOTES, Query())))
    assert text(again.dump()) == text(dump), "also once its kinds are used"


def test_a_restored_space_goes_on_where_the_other_stood(store: Store) -> None:
    space = filled(store)
    again = store.replace("twin", nothing, space.dump())

    def work(tx: Transaction) -> list[Any]:
        tx.put(THINGS, thing("next", 8))
        return [
            [found.key for found in tx.find(THINGS, Query()).items],
            tx.get(THINGS, "rich") == RICH,
            tx.version(THINGS, "late"),
            tx.next("stream"),
            tx.add("counter"),
            tx.fact("clock"),
            [(entry.sequence, entry.value) for entry in tx.entries("inbox")],
            tx.append("inbox", 3),
            tx.schedule(1, "x", "y").sequence,
            tx.all_due(),
        ]

    assert again.transact(work) == space.transact(work)
    assert again.hit("api", 4) == space.hit("api", 4) == 2
    assert again.claim("k", "p", b"", 1, 60) == space.claim("k", "p", b"", 1, 60) is not None
    assert again.due_at() == 1
    assert again.last("inbox") == space.last("inbox") > 1


def test_the_journal_and_calls_at_work_are_left_out(store: Store) -> None:
    dump = filled(store).dump()
    assert "journal" not in dump["logs"]
    assert [held[0] for held in dump["claims"]["held"]] == ["k"]
    again = store.replace("twin", nothing, dump)
    assert again.append("journal", "first") == 1
    assert again.claim("working", "p", b"", 1, 60) is None


def test_first_work_runs_after_the_load(store: Store) -> None:
    dump = filled(store).dump()
    again = store.replace("twin", lambda tx: tx.set_fact("seen", tx.counter("counter")), dump)
    assert again.fact("seen") == 3


def test_a_dump_is_not_changed_by_the_space_that_loaded_it(store: Store) -> None:
    dump = filled(store).dump()
    before = deepcopy(dump)
    again = store.replace("twin", nothing, dump)
    again.transact(fill_more)
    again.append("inbox", 1)
    assert dump == before


def fill_more(tx: Transaction) -> None:
    tx.put(THINGS, thing("late", 9, amount=4))
    tx.next("stream")
    tx.set_fact("clock", 1)


def test_defaults_are_left_out_and_fields_have_their_names(store: Store) -> None:
    space = store.open("a", lambda tx: tx.put(THINGS, thing("a", 5, colour=Colour.RED)))
    assert space.dump()["records"]["thing"] == {
        "next": 1,
        "rows": [
            [
                0,
                1,
                {
                    "key": "a",
                    "created": 5,
                    "colour": "red",
                    "tags": [],
                    "amount": 0,
                    "parts": [],
                    "named": {},
                    "texts": {},
                    "raws": [],
                    "must": None,
                },
            ]
        ],
    }


def test_fields_that_a_dump_does_not_have_take_their_defaults(store: Store) -> None:
    dump = store.open("a", nothing).dump()
    dump["records"]["thing"] = {"next": 5, "rows": [[2, 3, {"key": "a", "must": "x"}]]}
    again = store.replace("b", nothing, dump)
    assert again.transact(lambda tx: (tx.get(THINGS, "a"), tx.version(THINGS, "a"))) == (thing_of("a"), 3)
    again.transact(lambda tx: tx.put(THINGS, thing("b")))
    assert again.dump()["records"]["thing"]["rows"][1][0] == 5


def thing_of(key: str) -> object:
    made = type(RICH)(key=key, must="x")
    assert made.created == 0
    return made


BROKEN_PARTS: dict[str, Callable[[dict[str, Any]], None]] = {
    "no claims": lambda dump: dump.pop("claims"),
    "streams a list": lambda dump: dump.update(streams=[1]),
    "counter a word": lambda dump: dump.update(counters={"a": "many"}),
    "log without lines": lambda dump: dump["logs"].update(inbox={"last": 1, "dropped": 0}),
    "fact half marked": lambda dump: dump["facts"].update(a={"$bytes": 3}),
    "due too short": lambda dump: dump["due"].update(entries=[[1, 2]]),
    "digest no base64": lambda dump: dump["claims"].update(held=[["k", "o", "?", 1, 1]]),
    "rates too short": lambda dump: dump.update(rates={"a": [1]}),
    "records without rows": lambda dump: dump["records"].update(thing={"next": 1}),
}


@pytest.mark.parametrize("breaks", BROKEN_PARTS.values(), ids=list(BROKEN_PARTS))
def test_a_broken_dump_is_refused_and_replaces_nothing(store: Store, breaks: Callable[[dict[str, Any]], None]) -> None:
    space = filled(store)
    dump = json.loads(text(space.dump()))
    breaks(dump)
    with pytest.raises(DumpRefused):
        store.replace("workspace", nothing, dump)
    assert store.space("workspace") == space
    assert not space.closed


BROKEN_ROWS: dict[str, list[list[Any]]] = {
    "an unknown field: Thing has no field 'size'": [[0, 1, {"key": "a", "must": None, "size": 1}]],
    "a missing field: missing required field `must`": [[0, 1, {"key": "a"}]],
    "a wrong type: Expected `int`": [[0, 1, {"key": "a", "must": None, "amount": "1"}]],
    "an unknown word: Invalid enum value 'black'": [[0, 1, {"key": "a", "must": None, "colour": "black"}]],
    "numbers that fall: thing b has number 1": [[1, 1, {"key": "a", "must": None}], [1, 1, {"key": "b", "must": None}]],
    "a key twice: thing a has number 2": [[1, 1, {"key": "a", "must": None}], [2, 1, {"key": "a", "must": None}]],
    "a version before the first: thing a has number 0": [[0, 0, {"key": "a", "must": None}]],
    "a row too short: not enough values": [[0, 1]],
}


@pytest.mark.parametrize("says", BROKEN_ROWS)
def test_broken_records_are_refused_when_their_kind_is_used(store: Store, says: str) -> None:
    """A restore that wants to know at once asks for every kind in its first work."""
    dump = store.open("a", nothing).dump()
    dump["records"]["thing"] = {"next": 9, "rows": BROKEN_ROWS[says]}
    with pytest.raises(DumpRefused, match=says.split(": ", 1)[1]):
        store.replace("b", lambda tx: tx.count(THINGS, Query()), dump)
    assert store.space("b") is None


def test_equal_spaces_give_equal_dumps_however_they_came_about(store: Store) -> None:
    def fails(tx: Transaction) -> None:
        tx.next("z")
        tx.add("z")
        fill(tx)
        raise LookupError

    plain = store.open("plain", fill)
    tried = store.open("tried", nothing)
    with pytest.raises(LookupError):
        tried.transact(fails)
    tried.transact(lambda tx: (tx.count(NOTES, Query()), tx.entries("never")))
    tried.transact(fill)
    assert text(tried.dump()) == text(plain.dump())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "$bytes", "$plain", ""]) | st.text(), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(values=st.lists(JSON, max_size=4))
def test_any_json_like_value_survives(values: list[Any]) -> None:
    store = Store()

    def work(tx: Transaction) -> None:
        for number, value in enumerate(values):
            tx.append("log", value)
            tx.set_fact(f"fact{number}", value)

    space = store.open("a", work)
    dump = json.loads(json.dumps(space.dump()))
    again = store.replace("b", nothing, dump)
    assert [entry.value for entry in again.transact(lambda tx: tx.entries("log"))] == values
    assert [again.fact(f"fact{number}") for number in range(len(values))] == values
    assert again.dump() == dump
