"""What is written, and which bodies count as the same (ours)."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType

import pytest

from mock_server.jsontext import Raw, dump, parse, same


class Word(StrEnum):
    """An engine's word on its way out."""

    ONE = "one"


def test_records_are_compact_and_keep_their_order() -> None:
    record = {
        "b": 1,
        "a": {"é": "\u2028"},
        "list": (1, None, True),
        "word": Word.ONE,
        "meta": Raw('{"2":1,"x":0.5}'),
    }
    expected = '{"b":1,"a":{"é":"\u2028"},"list":[1,null,true],"word":"one","meta":{"2":1,"x":0.5}}'
    assert dump(record) == expected.encode()


def test_read_only_values_are_opened() -> None:
    assert dump(MappingProxyType({"a": range(2)})) == b'{"a":[0,1]}'
    with pytest.raises(TypeError, match="Exception"):
        dump(Exception())


SAME = (
    (b'{"a":1,"b":{"c":[1,2],"d":"x"}}', b'{"b":{"d":"x","c":[1,2]},"a":1}'),
    (b'{"a":"\\u0041"}', b' { "a" : "A" } '),
    (b"{}", b"null"),
    (b"1.0", b"1e0"),
)
DIFFERENT = (
    (b'{"a":1}', b'{"a":1.0}'),
    (b'{"a":1}', b'{"a":"1"}'),
    (b'{"a":[1,2]}', b'{"a":[2,1]}'),
    (b'{"a":null}', b"{}"),
    (b'{"a":0}', b'{"a":false}'),
    (b'{"a":{"b":{}}}', b'{"a":{"b":null}}'),
    (b"[]", b"{}"),
)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_body_in_other_words(one: bytes, other: bytes) -> None:
    assert same(parse(one)) == same(parse(other))


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_body(one: bytes, other: bytes) -> None:
    assert same(parse(one)) != same(parse(other))


def test_no_body_is_an_empty_one() -> None:
    assert same(None) == same({})
