"""Every kind of value in the grammar: editors are told the limits by which it is read."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator
from marshmallow import ValidationError

from mock_server.contract.kinds.base import FieldKind
from mock_server.scenario.schema.block import ListOf, MappingOf, SchemaBlock
from mock_server.scenario.schema.top import json_schema

PROBES: Final[tuple[Any, ...]] = (
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2,
        100,
        1.5,
        0.0,
        10**12,
        "",
        "a",
        "x y",
        "5",
        "30s",
        "2m",
        "5ms",
        "-1s",
        "50%",
        "0%",
    ),
    *("101%", "1.5%", "*", "payments.create", "payments.*", "charge", "EUR", "eur", "visa_success", "HE_00"),
    *("insufficient_funds", "succeeded", "failed", "pending", "approved", "fraudulent", "X-Note", "a\nb", "é", "none"),
    *([], ["a"], [1, 2], [2, 1], ["5ms", "2s"], {}, {"a": 1}, {"a": "b"}, "x" * 5_000, "0123456789012345678901"),
)


def blocks(of: Any = SchemaBlock) -> Iterator[Any]:
    for block in of.__subclasses__():
        yield block
        yield from blocks(block)


def kinds() -> dict[str, FieldKind]:
    """Each kind by its place; of those that are described alike the first, whatever was imported first."""
    found: dict[str, tuple[str, FieldKind]] = {}
    for block in sorted(blocks(), key=attrgetter("__name__")):
        for name, kind in block.keys().items():
            inner = [kind, *([kind.inner] if isinstance(kind, ListOf) else [])]
            for at, one in enumerate(inner):
                found.setdefault(f"{type(one).__name__} {one.json()}", (f"{block.__name__}.{name}{' each' * at}", one))
    return dict(found.values())


KINDS: Final = kinds()
DEFS: Final = {"$defs": json_schema()["$defs"]}


def problem(kind: FieldKind, value: Any) -> str | None:
    """What is wrong with a value; None if it is read."""
    try:
        kind.deserialize(value)
    except ValidationError as wrong:
        return str(wrong.messages)
    return None


@pytest.mark.parametrize("place", KINDS)
def test_what_is_read_is_what_editors_are_told(place: str) -> None:
    kind = KINDS[place]
    editor = Draft202012Validator({**kind.json(), **DEFS})
    for value in PROBES:
        if value is not None and problem(kind, value) is None:
            assert editor.is_valid(value), value


@pytest.mark.parametrize("place", [name for name, kind in KINDS.items() if "maximum" in kind.json()])
def test_a_number_is_read_up_to_its_limits(place: str) -> None:
    kind, told = KINDS[place], KINDS[place].json()
    low, high = told["minimum"], told["maximum"]
    assert [problem(kind, value) is None for value in (low - 1, low, high, high + 1)] == [False, True, True, False]
    assert f"from {low} to {high}" in str(problem(kind, high + 1))
    assert problem(kind, str(low)) is not None
    assert problem(kind, low + 0.5) is not None
    assert problem(kind, True) is not None


@pytest.mark.parametrize("place", [name for name, kind in KINDS.items() if {*kind.json()} == {"type", "maxLength"}])
def test_a_text_is_read_up_to_its_length(place: str) -> None:
    kind, most = KINDS[place], KINDS[place].json()["maxLength"]
    assert [problem(kind, "x" * size) is None for size in (most, most + 1)] == [True, False]
    assert problem(kind, ["x"]) is not None


@pytest.mark.parametrize("place", [name for name, kind in KINDS.items() if isinstance(kind, ListOf)])
def test_a_list_has_as_many_items_as_it_says(place: str) -> None:
    kind: Any = KINDS[place]
    good = next((value for value in PROBES if value is not None and problem(kind.inner, value) is None), None)
    if good is None:
        return
    sizes = (kind.least - 1, kind.least, min(kind.most, 60), kind.most + 1) if kind.most < 60 else (kind.least,)
    for size in (one for one in sizes if one >= 0):
        said = str(problem(kind, [good] * size))
        fits = kind.least <= size <= kind.most
        span = "one item" if kind.most == 1 else f"{kind.least} to {kind.most} items"
        assert (f"must have {span}, not {size}" in said) is not fits
    assert (problem(kind, good) is None) is (kind.lone or isinstance(good, list))


@pytest.mark.parametrize("place", [name for name, kind in KINDS.items() if isinstance(kind, MappingOf)])
def test_a_mapping_has_as_many_keys_as_it_says(place: str) -> None:
    kind: Any = KINDS[place]
    many = {f"key {number}": None for number in range(kind.most + 1)}
    assert problem(kind, many) == f"['has {kind.most + 1} keys; the maximum is {kind.most}']"
    del many["key 0"]
    assert "the maximum is" not in str(problem(kind, many))
    assert problem(kind, {}) is None
    assert problem(kind, []) is not None
