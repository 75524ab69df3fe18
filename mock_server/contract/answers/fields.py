"""How an answer is declared: a shape with one row a field, in the order in which they are written.

A row has the name on the wire, the kind of value, and where the value comes from. The function that writes the answer
(`writing.py`) and its schema in the OpenAPI document (`openapi/answers.py`) are made from these; a dialect has rows for
what differs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final, Generic, NamedTuple, TypeVar

from mock_server.contract.notation import FREE, Json

R = TypeVar("R")
Read = Callable[[Any], Any]


class Listed(NamedTuple):
    """Words of a status with a schema of their own in the document; those of a bare enum are listed in place."""

    words: type[StrEnum]


class Many(NamedTuple):
    """An array. `filled`: null instead of an empty one."""

    one: Kind
    filled: bool = False


class ByName(NamedTuple):
    """An object whose keys are data."""

    one: Kind


class AsJson(NamedTuple):
    """A value that is stored as JSON text, and written without parsing."""

    kind: Kind = FREE


class Tally(NamedTuple):
    """Counts by status: an object whose keys are the words of the status."""

    words: type[StrEnum]


class Constant(NamedTuple):
    """The same value in every answer."""

    value: object


class Beside(NamedTuple):
    """A value outside of the `part` that has the shape's other fields: an attribute, or a function's result."""

    of: str | Read


class Field(NamedTuple):
    """One field of an answer.

    `kind` decides how a value is written: an instant and a status as words, an object by its own shape. `of` is where
    the value comes from: an attribute of the record (by default of the field's name), or a function of the record.
    `given`: it is null if all these attributes are null, zero or empty. `nullable`: it can be null. `optional`: it is
    omitted if it has no value. `sent`: the value of the request is returned. `source` and `about` are in the document.
    """

    name: str
    kind: Kind
    source: str = ""
    of: str | Read | Constant | Beside = ""
    given: str | tuple[str, ...] = ()
    nullable: bool = True
    optional: bool = False
    sent: bool = False
    about: str = ""


class Several(NamedTuple):
    """Fields of which each answer has some: a function returns those, as they are written.

    Without any fields, it returns fields that no table names.
    """

    fields: tuple[Field, ...]
    read: Callable[[Any], Mapping[str, object]]


class AnswerShape(Generic[R]):
    """An object of an answer. Dialects use its `name`, and so does the document unless it `is_inline` there.

    `part`: the attribute of the record from which the fields are read. `keyed`: the record is a mapping, and fields are
    read by its keys. `like`: a shape that shares fields with this one; what a dialect changes in them there, it changes
    here too. `more`: the schema of other fields.
    """

    def __init__(
        self,
        name: str,
        *rows: Field | Several,
        about: str = "",
        is_inline: bool = False,
        part: str = "",
        like: AnswerShape[Any] | None = None,
        keyed: bool = False,
        more: Json | bool = False,
    ) -> None:
        self.name = name
        self.rows = rows
        self.fields = {row.name: row for row in rows if isinstance(row, Field)}
        self.about = about
        self.is_inline = is_inline
        self.part = part
        self.like = like
        self.keyed = keyed
        self.more = more
        self.writers: dict[object, Callable[[R], object]] = {}
        """The functions that write it, by the dialect."""

    @classmethod
    def inline(cls, name: str, *rows: Field | Several, **more: Any) -> AnswerShape[R]:
        """An object that the document describes in place."""
        return cls(name, *rows, is_inline=True, **more)


Kind = Json | type[StrEnum] | Listed | Many | ByName | AsJson | Tally | AnswerShape[Any]

NOTHING: Final = Constant(None)
"""A field of the public API for which this server has no value."""


def itself(record: R) -> R:
    """The record itself, as the value of a field."""
    return record


def sent(name: str, kind: Kind, source: str = "", *, optional: bool = False, about: str = "") -> Field:
    """A field that is only returned: if it was not sent it is null, or omitted if `optional`."""
    return Field(name, kind, source, NOTHING, nullable=not optional, optional=optional, sent=True, about=about)


def each(kind: Kind, *names: str, source: str = "", **alike: Any) -> tuple[Field, ...]:
    """Fields of one kind, each an attribute of its own name unless `of` says otherwise; `alike` is the same in all."""
    return tuple(Field(name, kind, source, **alike) for name in names)


def each_sent(kind: Kind, *names: str, source: str = "") -> tuple[Field, ...]:
    """Fields of one kind that are only returned."""
    return tuple(sent(name, kind, source) for name in names)
