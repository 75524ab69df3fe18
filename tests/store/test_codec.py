from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from mock_server.domain.records import BESIDE, Record
from mock_server.store import records
from mock_server.store.protocol import DumpRefused, RecordKind
from mock_server.store.records import codec_of, decode
from tests.store.things import NOTES, RICH, Colour, Note, Part, Thing

PARTS = st.recursive(
    st.builds(Part, name=st.text(), colour=st.none() | st.sampled_from(Colour), inner=st.none()),
    lambda inner: st.builds(Part, name=st.text(), colour=st.none() | st.sampled_from(Colour), inner=inner),
    max_leaves=4,
)
SMALL = st.integers(-(2**63), 2**64 - 1)
THINGS = st.builds(
    Thing,
    key=st.text(),
    created=SMALL,
    colour=st.none() | st.sampled_from(Colour),
    owner=st.none() | st.text(),
    tags=st.lists(st.text(), max_size=3).map(tuple),
    amount=SMALL,
    part=st.none() | PARTS,
    parts=st.lists(PARTS, max_size=3).map(tuple),
    named=st.dictionaries(st.text(), PARTS, max_size=3),
    texts=st.dictionaries(st.text(), st.text(), max_size=3),
    raw=st.none() | st.binary(),
    raws=st.lists(st.binary(), max_size=2).map(tuple),
    flag=st.none() | st.booleans(),
    must=st.none() | st.text(),
)


@given(record=THINGS)
def test_every_record_survives_rest_and_dump(record: Thing) -> None:
    codec = codec_of(Thing)
    kept = codec.seal(record, 3, 5, 7)
    assert records.stamp(kept) == (3, 5, 7)
    again = codec.record(kept)
    assert again == record
    assert _types(again) == _types(record)
    named = records.plain(record)
    assert codec.from_plain(named) == record
    assert records.plain(codec.from_plain(named)) == named


def _types(record: Thing) -> list[type]:
    return [type(getattr(record, name)) for name in Thing.__struct_fields__] + [type(part) for part in record.parts]


def test_names_cost_nothing_at_rest() -> None:
    empty = Thing(key="a", must=None)
    assert len(codec_of(Thing).seal(empty, 1, 0, 0)) < 45


def test_named_bytes_are_read_by_their_kind_and_stay_as_they_are() -> None:
    kind: RecordKind[Thing] = RecordKind("thing", Thing, lambda thing: thing.key, lambda thing: thing.created)
    kept = codec_of(Thing).seal(RICH, 1, 0, 7)
    assert isinstance(kept, bytes)
    named = records.named(kept)
    assert named != kept
    assert records.named(named) == named
    assert decode(kind, named) == RICH
    with pytest.raises(DumpRefused, match="Note has no field"):
        decode(NOTES, named)


@pytest.mark.parametrize("loose", [b"", records.SEALED, b"any bytes"])
def test_bytes_that_are_no_record_are_left_alone(loose: bytes) -> None:
    codec = codec_of(Note)
    note = Note("n", 1, loose, (loose,))
    assert records.named(loose) == loose
    assert codec.from_plain(records.plain(note)) == note


class Word(StrEnum):
    ONE = "one"


class Varied(Record, frozen=True):
    a: str | int | None
    b: Literal["x", "y"]
    c: tuple[Word | None, ...]
    d: Mapping[str, object]
    e: float
    f: dict[str, Word | None]
    g: Mapping[str, tuple[str, ...]]


def test_every_sort_of_field_that_can_be_kept() -> None:
    codec = codec_of(Varied)
    record = Varied("s", "x", (Word.ONE, None), {"a": [1, {"b": None}]}, 1.5, {"w": None, "v": Word.ONE}, {"t": ("a",)})
    assert codec.record(codec.seal(record, 1, 0, 0)) == record
    assert codec.from_plain(records.plain(record)) == record


def test_any_mapping_is_kept_as_a_dict() -> None:
    codec = codec_of(Thing)
    record = structs.replace(RICH, texts=MappingProxyType({"a": "b"}), named=MappingProxyType({}))
    again = codec.record(codec.seal(record, 1, 0, 0))
    assert (again.texts, again.named) == ({"a": "b"}, {})


class WithSet(Record, frozen=True):
    a: frozenset[str]


class WithPair(Record, frozen=True):
    a: tuple[int, str]


class WithEither(Record, frozen=True):
    a: Part | Note


class WithNumbers(Record, frozen=True):
    a: dict[int, str]


@pytest.mark.parametrize("kind", [WithSet, WithPair, WithEither, WithNumbers])
def test_a_field_that_cannot_be_kept_is_named(kind: type) -> None:
    with pytest.raises(TypeError, match=rf"{kind.__name__}\.a is"):
        codec_of(kind)


class WithTwoBeside(Record, frozen=True):
    a: Annotated[bytes, BESIDE]
    b: Annotated[bytes, BESIDE]


def test_one_field_at_most_is_kept_beside_a_record() -> None:
    with pytest.raises(TypeError, match="WithTwoBeside has several fields with shared bytes"):
        codec_of(WithTwoBeside)
