"""How an answer is declared: a shape, and in it one row a field, in the order in which they are written.

A row says the name on the wire, what stands there, and where the value comes from. The function that writes the answer
(`writing.py`) and its schema in the OpenAPI document (`openapi/answers.py`) are both made of that, and so is what
another dialect does not say alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final, Generic, NamedTuple, TypeVar

from mock_server.contract.notation import FREE, Json

R = TypeVar("R")
Read = Callable[[Any], Any]


class Listed(NamedTuple):
    """Words of a status that have a schema of their own in the document; a bare enum's stand where they are used."""

    words: type[StrEnum]


class Many(NamedTuple):
    """An array. `filled`: where it would be empty there is no value."""

    one: Kind
    filled: bool = False


class ByName(NamedTuple):
    """An object whose keys are names of the record's own."""

    one: Kind


class AsJson(NamedTuple):
    """A value that is kept as JSON text, and is written as it stands."""

    kind: Kind = FREE


class Tally(NamedTuple):
    """How many there are in each status: an object whose keys are the words of it."""

    words: type[StrEnum]


class Constant(NamedTuple):
    """The same value in every answer."""

    value: object


class Through(NamedTuple):
    """What a function reads in an attribute of the record, null where that is null."""

    attribute: str
    read: Read


class Beside(NamedTuple):
    """What stands beside the `part` that a shape's other fields are read in: an attribute, or what a function reads."""

    of: str | Read


class Field(NamedTuple):
    """One field of an answer.

    `kind` is what stands there, and so how a value is written: an instant and a status in words, an object by its own
    shape. `of` is where the value comes from: an attribute of the record (by default that of the field's name), or a
    function of the record. `nullable`: it can be null. `optional`: it is left out where it has no value. `sent`: what
    the request said of it is given back. `source` and `about` stand in the document.
    """

    name: str
    kind: Kind
    source: str = ""
    of: str | Read | Constant | Through | Beside = ""
    nullable: bool = True
    optional: bool = False
    sent: bool = False
    about: str = ""


class Several(NamedTuple):
    """Fields of which each answer has some: a function gives those that are there, as they are written.

    Without any fields it gives those that no table names.
    """

    fields: tuple[Field, ...]
    read: Callable[[Any], Mapping[str, object]]


class AnswerShape(Generic[R]):
    """An object of an answer. Dialects name it by `name`, as the document does, if it is not `inline` there.

    `part`: the attribute of the record that the fields are read in. `keyed`: the record is a mapping, and what fields
    are read by are its keys. `like`: a shape that shares fields with this one; where a dialect says other of them
    there, so it does here. `more`: what fields beside those can be.
    """

    def __init__(
        self,
        name: str,
        *rows: Field | Several,
        about: str = "",
        inline: bool = False,
        part: str = "",
        like: AnswerShape[Any] | None = None,
        keyed: bool = False,
        more: Json | bool = False,
    ) -> None:
        self.name = name
        self.rows = rows
        self.about = about
        self.inline = inline
        self.part = part
        self.like = like
        self.keyed = keyed
        self.more = more
        self.writers: dict[int, tuple[object, Callable[[R], dict[str, object]]]] = {}
        """What writes it, by the dialect's identity; the dialect is held, so that no other can have that."""


Kind = Json | type[StrEnum] | Listed | Many | ByName | AsJson | Tally | AnswerShape[Any]

NOTHING: Final = Constant(None)
"""A field of the public API that this server has no value for."""


def sent(name: str, kind: Kind, source: str = "", *, optional: bool = False, about: str = "") -> Field:
    """A field that is only given back: null where it was not sent, or `optional` left out."""
    return Field(name, kind, source, NOTHING, nullable=not optional, optional=optional, sent=True, about=about)


def each(kind: Kind, *names: str, nullable: bool = True) -> tuple[Field, ...]:
    """Fields of one kind, each an attribute of its own name."""
    return tuple(Field(name, kind, nullable=nullable) for name in names)
