"""Large documents read piece by piece: what comes out, and what is refused, is what the reader of bodies says."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mock_server import jsontext
from mock_server.jsontext import piecewise
from tests.counts import times

LONG = frozenset({"rows"})
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["rows", "a", ""]) | st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=20,
)


def unpacked(value: Any) -> Any:
    """The value with plain arrays."""
    if isinstance(value, dict):
        return {name: unpacked(item) for name, item in value.items()}
    return [unpacked(item) for item in value] if isinstance(value, list) else value


def read(raw: bytes) -> Any:
    return unpacked(jsontext.parse_piecewise(raw, LONG, lambda: None))


def outcome(read: Callable[[bytes], Any], raw: bytes) -> Any:
    try:
        return read(raw)
    except jsontext.JsonMistake:
        return "refused"


@pytest.fixture(params=[1, 7, 262_144], autouse=True)
def window(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of every size: a value, a character or a number may lie across two."""
    monkeypatch.setattr(piecewise, "WINDOW", request.param)


@pytest.mark.parametrize("indent", [None, 1])
def test_it_reads_what_was_written(indent: int | None) -> None:
    value = {"workspace": {"records": {"a": {"rows": [[1, {"b": "é€😀\\"}], [23456, 1.5]], "next": 12}}}, "n": -12}
    for ascii in (True, False):
        assert read(json.dumps(value, indent=indent, ensure_ascii=ascii).encode()) == value


@given(VALUES)
@example({"rows": []})
def test_it_reads_what_the_reader_of_bodies_reads(value: Any) -> None:
    raw = json.dumps(value).encode()
    assert read(raw) == jsontext.parse(raw)


@pytest.mark.parametrize(
    "raw",
    [
        *(
            b"",
            b" ",
            b"{",
            b'{"a"',
            b'{"a":',
            b'{"a":1',
            b'{"a":1,}',
            b"[1,]",
            b'{"rows":[1,]}',
            b'{"rows":[1',
            b"{1:2}",
        ),
        *(b'{"a":1}x', b'{"a":1,"a":2}', b'{"b":[{"a":1,"a":2}]}', b'{"a":NaN}', b'{"a":-Infinity}', b'{"a":1e999}'),
        *(
            b'{"a":9007199254740993}',
            b'{"a":-9007199254740992}',
            b'{"a":"\\ud83d"}',
            b'{"a":"\xff"}',
            b"\xef\xbb\xbf{}",
        ),
        *(b'{"rows":[' + b"[" * 100_000, b'{"a":"\x01"}', b'{"a":01}', b"{'a':1}", b'{"a":1 "b":2}', b'{"a":"\xe2\x82'),
    ],
)
def test_it_refuses_what_the_reader_of_bodies_refuses(raw: bytes) -> None:
    with pytest.raises(jsontext.JsonMistake):
        jsontext.parse(raw)
    with pytest.raises(jsontext.JsonMistake):
        read(raw)


@pytest.mark.parametrize(
    "around", ["", '{"a":', '{"rows":[', '{"a":{"b":{"c":{"rows":[1,{"a":', '{"a":{"b":{"c":{"d":{"e":']
)
@pytest.mark.parametrize("more", ["[", '{"rows":[', '{"a":'])
def test_it_reads_as_deep_as_the_reader_of_bodies(around: str, more: str) -> None:
    for count in (*range(20, 70), 200, 1_100, times(20_000, soak=100_000)):
        opened = around + more * count
        closed = opened[::-1].translate(str.maketrans("{[", "}]", '":,abcderowsth1'))
        raw = f"{opened}1{closed}".encode()
        assert outcome(read, raw) == outcome(jsontext.parse, raw), count


def test_a_mistake_has_its_place() -> None:
    with pytest.raises(jsontext.JsonMistake) as mistake:
        read(b'{"a": 1,\n "rows": [1,\n  2,\n  x]}')
    assert (mistake.value.line, mistake.value.column) == (4, 3)


def test_others_get_their_turn_at_every_item() -> None:
    turns: list[int] = []
    document: Any = jsontext.parse_piecewise(b'{"rows":[1,2,3]}', LONG, lambda: turns.append(1))
    read_so_far = len(turns)
    assert read_so_far >= 3
    assert list(document["rows"]) == [1, 2, 3]
    assert len(turns) == read_so_far + 3


@pytest.mark.parametrize("before", ["", " ", "\n", "\n\n  ", '{"a": ', '{"a":\n 1, "b":'])
def test_a_mistake_has_its_line_and_column(before: str) -> None:
    with pytest.raises(jsontext.JsonMistake) as found:
        jsontext.parse_piecewise(f"{before}}}".encode(), LONG, lambda: None)
    assert (found.value.line, found.value.column) == (before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1)
