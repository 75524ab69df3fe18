"""Our text of a value is JavaScript's own, so that a receiver may re-serialise and still verify (ours)."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mock_server.jsontext import MAX_INTEGER, Raw, canonical, dump, parse
from mock_server.jsontext.writing import number_text
from tests.counts import times

InNode = Callable[[str], str]

NUMBERS = (
    (0.0, "0"),
    (-0.0, "0"),
    (1.0, "1"),
    (-1.5, "-1.5"),
    (0.1, "0.1"),
    (100.0, "100"),
    (1e16, "10000000000000000"),
    (1e20, "100000000000000000000"),
    (123456789012345680000.0, "123456789012345680000"),
    (1e21, "1e+21"),
    (1.5e21, "1.5e+21"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (0.000001, "0.000001"),
    (0.00001234, "0.00001234"),
    (0.0000001, "1e-7"),
    (1.25e-7, "1.25e-7"),
    (-1e-9, "-1e-9"),
    (5e-324, "5e-324"),
    (1234.5678, "1234.5678"),
)

VALUES = (
    ('{"b":1,"a":2}', '{"b":1,"a":2}'),
    ('{"b":1,"10":2,"9":3,"01":4,"-1":5,"a":6}', '{"9":3,"10":2,"b":1,"01":4,"-1":5,"a":6}'),
    ('{"x":1,"4294967295":2,"4294967294":3}', '{"4294967294":3,"x":1,"4294967295":2}'),
    ('{"x":{"2":1,"1":[{"3":0,"0":1.0}]}}', '{"x":{"1":[{"0":1,"3":0}],"2":1}}'),
    ('{"x":"\\u0001\\u0008\\/\\u00e9\\u2028\\u007f"}', '{"x":"\\u0001\\b/é\u2028\x7f"}'),
    ('{"٣":1,"²":2,"1":3}', '{"1":3,"٣":1,"²":2}'),
    ('{"__proto__":1,"":2}', '{"__proto__":1,"":2}'),
    ("[1.0,1e2,-0,-0.0,0.10]", "[1,100,0,0,0.1]"),
)


@pytest.mark.parametrize(("number", "text"), NUMBERS)
def test_numbers(number: float, text: str) -> None:
    assert number_text(number) == text
    assert canonical({"n": number}) == f'{{"n":{text}}}'


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_values(text: str, expected: str) -> None:
    assert canonical(parse(text.encode())) == expected


def test_integers_beyond_a_double_are_written_as_the_double_they_become() -> None:
    assert canonical([MAX_INTEGER, 2**53 + 1, -(10**30)]) == "[9007199254740991,9007199254740992,-1e+30]"


@pytest.mark.parametrize(("text", "expected"), [*VALUES, *((repr(number), text) for number, text in NUMBERS)])
def test_node_agrees_on_the_examples(text: str, expected: str, in_node: InNode) -> None:
    assert in_node(text) == expected
    assert in_node(expected) == expected


KEYS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    st.integers(-2, 2**32 + 2).map(str),
    st.sampled_from(["__proto__", "00", "1.0", "1e3", "４", "constructor"]),
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-MAX_INTEGER, MAX_INTEGER),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(1e-9, 1e-3),
    st.floats(1e14, 1e23),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)


def trees(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5)


JSON = st.recursive(LEAVES, trees, max_leaves=15)


@settings(max_examples=times(130, soak=2000), deadline=None)
@given(value=JSON)
def test_node_writes_any_value_as_we_do(in_node: InNode, value: object) -> None:
    sent = json.dumps(value, ensure_ascii=False)
    ours = canonical(parse(sent.encode()))
    assert ours == in_node(sent)
    assert ours == in_node(ours)


NAMES = st.sampled_from(["payment_id", "amount", "status", "metadata", "description"])
RECORDS = st.dictionaries(NAMES, st.none() | st.integers(-MAX_INTEGER, MAX_INTEGER) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=12))  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(record=RECORDS, free=JSON)
def test_node_keeps_the_bytes_of_a_record(in_node: InNode, record: dict[str, object], free: object) -> None:
    text = dump({**record, "metadata": Raw(canonical(free))}).decode()
    assert in_node(text) == text
