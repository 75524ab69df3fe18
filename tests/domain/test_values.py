"""Values behave as frozen dataclasses with slots do; the standard library's own are the measure."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any

import pytest

from mock_server.domain.values import frozen, record


@frozen
class Point:
    x: int
    y: int = 0
    tags: tuple[str, ...] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class Twin:
    x: int
    y: int = 0
    tags: tuple[str, ...] = field(default_factory=tuple)


@frozen(kw_only=True)
class Named:
    name: str
    secret: str = field(default="", repr=False)


MADE: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1,), {}),
    ((1, 2), {}),
    ((1,), {"tags": ("a",)}),
    ((), {"x": 3, "y": 4}),
]


@pytest.mark.parametrize(("args", "kwargs"), MADE)
def test_values_are_made_shown_compared_and_hashed_alike(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    ours, theirs = Point(*args, **kwargs), Twin(*args, **kwargs)
    assert [getattr(ours, one.name) for one in fields(ours)] == [getattr(theirs, one.name) for one in fields(theirs)]
    assert repr(ours) == repr(theirs).replace("Twin", "Point")
    assert ours == Point(*args, **kwargs)
    assert hash(ours) == hash(Point(*args, **kwargs))
    assert hash(ours) == hash(theirs)


def test_values_of_other_classes_differ() -> None:
    twin: object = Twin(1)
    assert Point(1) != twin
    assert Point(1) != Point(2)


WRONG: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (Point, (), {}),
    (Point, (1,), {"z": 1}),
    (Point, (1, 2, (), 4), {}),
    (Named, ("n",), {}),
]


@pytest.mark.parametrize(("kind", "args", "kwargs"), WRONG)
def test_a_wrong_call_is_a_type_error(kind: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        kind(*args, **kwargs)


def test_a_value_cannot_be_changed() -> None:
    point = Point(1)
    with pytest.raises(FrozenInstanceError):
        point.x = 2  # type: ignore[misc]  # this is what is refused
    with pytest.raises(FrozenInstanceError):
        del point.x


def test_a_value_has_slots_alone_and_matches_by_position() -> None:
    assert not hasattr(Point(1), "__dict__")
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)


def test_hidden_fields_stay_out_of_the_text() -> None:
    assert repr(Named(name="n", secret="s")) == "Named(name='n')"


def test_replace_and_copy_work() -> None:
    assert replace(Point(1), y=5) == Point(1, 5)
    assert copy.copy(Point(1, 2)) == Point(1, 2)
    assert pickle.loads(pickle.dumps(Point(1, 2))) == Point(1, 2)


def test_default_factories_make_anew() -> None:
    assert Point(1).tags == ()
    assert Point(1, tags=("a",)).tags == ("a",)


@frozen(kw_only=True, slots=False)
class Sparse:
    name: str | None = None
    size: int = 3
    tags: dict[str, str] = field(default_factory=dict)


def test_without_slots_defaults_stay_with_the_class() -> None:
    bare = object.__new__(Sparse)
    bare.__dict__.update(name="n", tags={})
    assert bare == Sparse(name="n")
    assert replace(bare, size=4) == Sparse(name="n", size=4)
    with pytest.raises(FrozenInstanceError):
        bare.size = 4  # type: ignore[misc]  # this is what is refused


@record
class Notes:
    owner: str
    size: int = 0
    lines: list[str] = field(default_factory=list)


def test_a_record_may_change_and_equals_itself_alone() -> None:
    notes, others = Notes("a"), Notes("a", lines=[])
    notes.size = 2
    notes.lines.append("x")
    assert (notes.size, notes.lines, others.lines) == (2, ["x"], [])
    assert notes != others
    assert len({notes, others}) == 2
    assert repr(others) == "Notes(owner='a', size=0, lines=[])"
    with pytest.raises(AttributeError):
        notes.more = 1  # type: ignore[attr-defined]  # it has slots alone


def test_fields_are_those_of_a_dataclass() -> None:
    assert [(one.name, one.type, one.default) for one in fields(Point)] == [
        (one.name, one.type, one.default) for one in fields(Twin)
    ]
    assert [one.kw_only for one in fields(Named)] == [True, True]


@frozen
class Wide:
    kind: int
    twin: int
    become: int
    make_kind: int = 4
    a: int = 5
    b: int = 6
    c: int = 7
    d: tuple[int, ...] = field(default_factory=tuple)


def test_values_of_many_fields_are_made_alike() -> None:
    made = Wide(1, 2, become=3)
    assert [getattr(made, one.name) for one in fields(made)] == [1, 2, 3, 4, 5, 6, 7, ()]
    with pytest.raises(FrozenInstanceError):
        made.kind = 2  # type: ignore[misc]  # this is what is refused
