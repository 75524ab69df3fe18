"""A kind of record that has every sort of field and index, for the store's own tests."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from msgspec import Struct, field

from mock_server.domain.records import BESIDE, Record
from mock_server.store.protocol import Index, RecordKind


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"
    BLUE = "blue"


class Part(Struct, frozen=True):
    name: str
    colour: Colour | None = None
    inner: Part | None = None


class Thing(Record, frozen=True, kw_only=True):
    key: str
    created: int = 0
    colour: Colour | None = None
    owner: str | None = None
    tags: tuple[str, ...] = ()
    amount: int = 0
    part: Part | None = None
    parts: tuple[Part, ...] = ()
    named: Mapping[str, Part] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    raws: tuple[bytes, ...] = ()
    flag: bool | None = None
    must: str | None


THINGS = RecordKind(
    "thing",
    Thing,
    lambda thing: thing.key,
    lambda thing: thing.created,
    (
        Index("colour", "colour", on_demand=True),
        Index("owner", "owner"),
        Index("tag", lambda thing: thing.tags, on_demand=True),
        Index("flag", lambda thing: thing.flag, where="flag"),
    ),
)

HEAVY = RecordKind("heavy", Thing, THINGS.key, THINGS.created, sort="inbox")


class Note(Record, frozen=True):
    key: str
    created: int
    about: Annotated[bytes, BESIDE]
    others: tuple[bytes, ...] = ()


NOTES = RecordKind("note", Note, lambda note: note.key, lambda note: note.created)


class Name(Record, frozen=True):
    text: str


NAMES = RecordKind("name", Name, lambda name: name.text, lambda name: 0, (Index("text", lambda name: name.text),))


def thing(
    key: str,
    created: int = 0,
    *,
    colour: Colour | None = None,
    owner: str | None = None,
    tags: tuple[str, ...] = (),
    amount: int = 0,
    flag: bool | None = None,
) -> Thing:
    return Thing(key=key, created=created, colour=colour, owner=owner, tags=tags, amount=amount, flag=flag, must=None)


RICH = Thing(
    key="rich",
    created=7,
    colour=Colour.GREEN,
    owner="someone",
    tags=("a", "b"),
    amount=-5,
    part=Part("outer", Colour.RED, Part("inner", None, Part("innermost", Colour.BLUE))),
    parts=(Part("one"), Part("two", Colour.BLUE)),
    named={"x": Part("x"), "y": Part("y", Colour.RED, Part("z"))},
    texts={"billing": '{"a":1}', "€": "\N{PILE OF POO}"},
    raw=b"\x00\xff",
    raws=(b"", b"abc"),
    flag=False,
    must="there",
)
