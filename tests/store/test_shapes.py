"""The shape of a record: what other processes read its bytes by."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import Struct

from mock_server.domain.records import BESIDE, Record
from mock_server.store.shapes import named_by, number_of, shape_of


class Part(Record, frozen=True):
    a: int
    b: str = ""


class Plain(Struct, frozen=True):
    a: int


class Whole(Record, frozen=True):
    key: str
    one: Part
    perhaps: Part | None
    each: tuple[Part, ...]
    members: Mapping[str, Part]
    texts: tuple[str, ...]
    plain: Plain
    shared: Annotated[bytes, BESIDE]
    note: Annotated[str, "a note"] = ""


PART = [["a", None], ["b", None]]
FIELDS = [
    *(["key", None], ["one", PART], ["perhaps", PART], ["each", {"each": PART}], ["members", {"members": PART}]),
    *(["texts", None], ["plain", None], ["shared", "beside"], ["note", None]),
]


def test_a_shape_names_the_fields_of_the_records_within() -> None:
    assert json.loads(shape_of(Whole)) == ["Whole", FIELDS]
    assert " " not in shape_of(Whole)


def test_a_shapes_number_follows_from_it() -> None:
    numbers = {number_of(shape_of(kind)) for kind in (Part, Plain, Whole)}
    assert len(numbers) == 3
    assert all(0 <= number < 2**32 for number in numbers)
    assert number_of("[]") == 2_317_562_680


@pytest.mark.parametrize("perhaps", [None, Part(2, "y")])
def test_values_are_found_by_their_names(perhaps: Part | None) -> None:
    one = Whole("k", Part(1, "x"), perhaps, (Part(3), Part(4)), {"m": Part(5)}, ("t",), Plain(6), b"s", "n")
    named: dict[str, Any] = {
        "key": "k",
        "one": {"a": 1, "b": "x"},
        "perhaps": None if perhaps is None else {"a": 2, "b": "y"},
        "each": [{"a": 3, "b": ""}, {"a": 4, "b": ""}],
        "members": {"m": {"a": 5, "b": ""}},
        "texts": ["t"],
        "plain": {"a": 6},
        "shared": b"s",
        "note": "n",
    }
    assert named_by(shape_of(Whole), msgspec.msgpack.encode(one)) == named
    assert named_by(shape_of(Part), msgspec.msgpack.encode([7])) == {"a": 7}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "not a list of fields"),
        ([1, "b", 3], "more fields than"),
        ({"a": 1}, "more fields than"),
        (5, "more fields"),
    ],
)
def test_what_does_not_match_is_refused(content: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        named_by(shape_of(Part), msgspec.msgpack.encode(content))
