from __future__ import annotations

import base64
from operator import attrgetter
from typing import Any

import pytest
from msgspec import Struct

from mock_server.store.logs import entry, heads
from mock_server.store.memory import Store
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from tests.store.conftest import MakeStore, in_one_process, nothing


def lines(space: Space, log: str = "log", after: int = 0, limit: int | None = None) -> list[tuple[int, Any]]:
    entries = space.transact(lambda tx: tx.entries(log, after, limit))
    return [(entry.sequence, entry.value) for entry in entries]


def test_lines_come_back_in_order_with_their_numbers(space: Space) -> None:
    assert [space.append("log", name) for name in "abc"] == [1, 2, 3]
    assert space.append("other", 0) == 1
    assert lines(space) == [(1, "a"), (2, "b"), (3, "c")]
    assert lines(space, after=1) == [(2, "b"), (3, "c")]
    assert lines(space, after=1, limit=1) == [(2, "b")]
    assert lines(space, limit=0) == []
    assert lines(space, after=3) == lines(space, after=9) == lines(space, "none") == []


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -1.5,
        "ü\N{PILE OF POO}",
        "\ud800 alone",
        2**70,
        b"\x00\xff",
        [],
        {},
        {"a": [1, {"b": b"c"}]},
        {"$bytes": "x"},
    ],
)
def test_any_json_like_value_can_be_a_line(store: Store, space: Space, value: Any) -> None:
    space.append("log", value)
    assert lines(space) == [(1, value)]
    assert lines(store.replace("other", nothing, space.dump())) == [(1, value)]


def test_a_kept_line_is_not_changed_from_outside(space: Space) -> None:
    value = {"a": [1]}
    space.append("log", value)
    value["a"].append(2)
    lines(space)[0][1]["a"].append(3)
    assert lines(space) == [(1, {"a": [1]})]


def test_what_is_over_the_bound_falls_out_and_is_counted(make_store: MakeStore) -> None:
    space = make_store(bounds={"log": 3}).open("workspace", nothing)
    for number in range(5):
        space.append("log", number)
        space.append("free", number)
    assert lines(space) == [(3, 2), (4, 3), (5, 4)]
    assert (space.dropped("log"), space.dropped("free"), space.dropped("none")) == (2, 0, 0)
    assert len(lines(space, "free")) == 5


def test_a_failure_gives_back_what_fell_out(make_store: MakeStore) -> None:
    space = make_store(bounds={"log": 2}).open("workspace", nothing)

    def work(tx: Transaction) -> None:
        for name in "cdef":
            tx.append("log", name)
        raise LookupError

    space.append("log", "a")
    space.append("log", "b")
    with pytest.raises(LookupError):
        space.transact(work)
    assert lines(space) == [(1, "a"), (2, "b")]
    assert space.dropped("log") == 0
    assert space.append("log", "c") == 3


def test_a_kept_line_can_be_amended(make_store: MakeStore) -> None:
    space = make_store(bounds={"log": 2}).open("workspace", nothing)
    for name in "abc":
        space.append("log", name)
    assert space.transact(lambda tx: tx.amend("log", 3, "C"))
    assert space.transact(lambda tx: tx.amend("log", 2, "B"))
    assert not space.transact(lambda tx: tx.amend("log", 1, "A"))
    assert not space.transact(lambda tx: tx.amend("log", 4, "D"))
    assert lines(space) == [(2, "B"), (3, "C")]


def test_a_forgotten_log_goes_on_counting(space: Space) -> None:
    for name in "ab":
        space.append("log", name)
    assert space.transact(lambda tx: tx.forget("log")) == 2
    assert space.transact(lambda tx: tx.forget("log")) == 0
    assert lines(space) == []
    assert not space.transact(lambda tx: tx.amend("log", 1, "A"))
    assert space.append("log", "c") == 3
    assert lines(space) == [(3, "c")]
    assert space.dropped("log") == 0


def test_the_dump_of_one_log(space: Space) -> None:
    space.append("journal", {"a": b"b"})
    told = {"last": 1, "dropped": 0, "lines": [{"a": {"$bytes": "Yg=="}}]}
    assert space.dump_log("journal", attrgetter("value")) == told
    assert space.transact(lambda tx: tx.forget("journal")) == 1
    assert space.dump_log("journal", attrgetter("value")) == {**told, "lines": []}
    assert space.dump_log("none", attrgetter("value")) == {"last": 0, "dropped": 0, "lines": []}


@in_one_process
def test_what_a_line_shares_with_others(space: Space) -> None:
    shared = bytes(range(64))
    space.append("journal", {"a": 1}, shared)
    space.append("journal", {"a": 2})
    assert space.transact(lambda tx: tx.amend("journal", 1, {"a": 3}))
    first, second = space.transact(lambda tx: tx.entries("journal"))
    assert (first.value, second.value, second.beside) == ({"a": 3}, {"a": 2}, None)
    assert first.beside is shared
    assert space.dump_log("journal", lambda entry: [entry.value["a"], entry.beside])["lines"] == [
        [3, {"$bytes": base64.b64encode(shared).decode()}], [2, None],
    ]  # fmt: skip


class Head(Struct):
    name: str
    number: int = 0


def test_lines_are_told_by_their_heads_before_they_are_read(space: Space) -> None:
    for value in ({"name": "a", "more": [b"1", {}]}, {"number": 2, "name": "\ud800", "big": 2**70}, {"name": "ü"}):
        space.append("log", value, b"beside")
    at_rest = space.transact(lambda tx: tx.lines("log", 0, 9))
    assert [(head.name, head.number) for head, _ in heads(at_rest, Head)] == [("a", 0), ("\ud800", 2), ("ü", 0)]
    assert [(one.sequence, one.value) for one in (entry(*line) for _, line in heads(at_rest, Head))] == lines(space)
    assert [number for number, _ in space.transact(lambda tx: tx.lines("log", 1, 1))] == [2]
