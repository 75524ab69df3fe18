"""How an answer is written: each shape is compiled, for each dialect, to one function that makes all of its fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import groupby
from typing import Any, Final, NamedTuple, TypeVar, cast

from mock_server.contract.answers.fields import (
    AnswerShape,
    AsJson,
    Beside,
    ByName,
    Constant,
    Field,
    Kind,
    Listed,
    Many,
    Several,
    Tally,
    itself,
)
from mock_server.contract.dialect import Dialect
from mock_server.contract.notation import FREE
from mock_server.domain.instants import iso
from mock_server.jsontext import Raw

R = TypeVar("R")


def write(shape: AnswerShape[R], record: R, dialect: Dialect) -> dict[str, object]:
    """The answer's fields in their documented order."""
    found = shape.writers.get(id(dialect))
    return (found[1] if found is not None else _compiled(shape, dialect))(record)


_NAMELESS: Final = Field("", FREE)


class Row(NamedTuple):
    """A field in a dialect; `name` is its name in the shape, the field's own name is the dialect's."""

    name: str
    field: Field
    among: Several | None = None


def fields_of(shape: AnswerShape[Any]) -> Iterator[tuple[Field, Several | None]]:
    """The shape's own fields, each with its `Several`, if any; a nameless one represents fields that no table names."""
    for row in shape.rows:
        if isinstance(row, Several):
            yield from ((field, row) for field in row.fields or (_NAMELESS,))
        else:
            yield row, None


def rows_of(shape: AnswerShape[Any], dialect: Dialect) -> Iterator[Row]:
    """The fields of a shape in a dialect: without those that it omits, and with those that it adds at the end."""
    fields = list(fields_of(shape))
    known = {field.name for field, _ in fields}
    names, other = dialect.names(shape.name), dialect.fields(shape.name)
    if shape.like is not None:
        whole = known.issuperset(field.name for field, _ in fields_of(shape.like))
        names = {**dialect.names(shape.like.name), **names}
        shared = dialect.fields(shape.like.name).items()
        other = {**{name: field for name, field in shared if whole or name in known}, **other}
    for field, among in fields:
        said = other.get(field.name, field)
        if said is field:
            wire = names.get(field.name, field.name)
            yield Row(field.name, field._replace(name=wire, of=field.of or field.name), among)
        elif said is not None:
            yield Row(field.name, said)
    yield from (Row(name, field) for name, field in other.items() if field is not None and name not in known)


def _compiled(shape: AnswerShape[R], dialect: Dialect) -> Callable[[R], dict[str, object]]:
    made = _Code(dialect, "own" if shape.part else "record", "[{!r}]" if shape.keyed else ".{}").function(shape)
    shape.writers[id(dialect)] = (dialect, made)
    return made


class _Code:
    """The code of one function, and the values that it uses, by name.

    It is compiled from text: one function for all shapes, which reads the rows, takes 2 % more instructions a create.
    """

    def __init__(self, dialect: Dialect, own: str, looked_up: str) -> None:
        self._own = own
        self._looked_up = looked_up
        self._dialect = dialect
        self._scope: dict[str, Any] = {"iso": iso, "raw": Raw}

    def function(self, shape: AnswerShape[R]) -> Callable[[R], dict[str, object]]:
        """Compiles the function that writes a shape."""
        rows = list(rows_of(shape, self._dialect))
        groups = groupby(rows, lambda row: row.among)
        entries = [entry for among, group in groups for entry in self._group(among, group)]
        lines = [f"    own = record.{shape.part}"] if shape.part else []
        lines.append(f"    out = {{{', '.join(entries)}}}")
        sent = {row.name: row.field.name for row in rows if row.field.sent}
        if sent:
            lines += [
                f"    for name, text in {self._own}.echo.items():",
                f"        if name in {self._named(sent)}:",
                f"            out[{self._named(sent)}[name]] = raw(text)",
            ]
        exec("\n".join(("def write(record):", *lines, "    return out")), self._scope)
        return cast(Callable[[R], dict[str, object]], self._scope["write"])

    def _group(self, among: Several | None, rows: Iterator[Row]) -> Iterator[str]:
        if among is None:
            yield from (entry for row in rows if (entry := self._entry(row.field)))
            return
        names = {row.name: row.field.name for row in rows}
        found = f"{self._named(among.read)}({self._own})"
        if all(name == wire for name, wire in names.items()) and len(names) == len(among.fields or (_NAMELESS,)):
            yield f"**{found}"
        else:
            wire = self._named(names)
            yield f"**{{{wire}[name]: one for name, one in {found}.items() if name in {wire}}}"

    def _entry(self, field: Field) -> str:
        """One field as an entry of a dict display; empty for optional fields that are only returned."""
        value, filled = self._read(field), isinstance(field.kind, Many) and field.kind.filled
        if not field.optional:
            return f"{field.name!r}: {self._nullable(field, value, filled=filled)}"
        if field.of == Constant(None):
            return ""
        there = "" if filled else " is not None"
        kept = self._kept()
        entry = f"{{{field.name!r}: {self._written(field.kind, kept)}}}"
        return f"**({entry} if ({kept} := {value}){there} else {{}})"

    def _nullable(self, field: Field, value: str, *, filled: bool) -> str:
        if value == "None" or self._written(field.kind, "one") == "one":
            return value
        if not field.nullable:
            return self._written(field.kind, value)
        kept = self._kept()
        there = "" if filled else " is not None"
        return f"{self._written(field.kind, kept)} if ({kept} := {value}){there} else None"

    def _read(self, field: Field) -> str:
        """The value that the field has, as an expression."""
        names = (field.given,) if isinstance(field.given, str) else field.given
        given = " or ".join(self._own + self._looked_up.format(name) for name in names)
        return f"({self._source(field)} if {given} else None)" if given else self._source(field)

    def _source(self, field: Field) -> str:
        """Where the value comes from, as an expression."""
        match field.of:
            case str(path):
                return self._own + self._looked_up.format(path)
            case Constant(value):
                return repr(value) if value is None or isinstance(value, str | bool | int) else self._named(value)
            case read if read is itself:
                return self._own
            case Beside(str(path)):
                return f"record.{path}"
            case Beside(read):
                return f"{self._named(read)}(record)"
            case read:
                return f"{self._named(read)}({self._own})"

    def _written(self, kind: Kind, value: str) -> str:
        """A value other than null as it is written, as an expression."""
        match kind:
            case AnswerShape():
                _, made = kind.writers.get(id(self._dialect)) or (None, _compiled(kind, self._dialect))
                return f"{self._named(made)}({value})"
            case Many(one) | ByName(one):
                inner = self._written(one, "one")
                if inner == "one":
                    return value
                if isinstance(kind, Many):
                    return f"[{inner} for one in {value}]"
                return f"{{name: {inner} for name, one in {value}.items()}}"
            case AsJson():
                return f"raw({value})"
            case Tally(words):
                return f"{{wire: {value}.get(word, 0) for word, wire in {self._words(words)}.items()}}"
            case Listed(words):
                return f"{self._words(words)}[{value}]"
            case dict():
                return f"iso({value})" if kind.get("format") == "date-time" else value
            case _:
                return f"{self._words(kind)}[{value}]"

    def _words(self, kind: type[StrEnum]) -> str:
        return self._named(self._dialect.words.get(kind) or {word: word.value for word in kind})

    def _named(self, value: object) -> str:
        """A name for a value."""
        for name, there in self._scope.items():
            if there is value:
                return name
        name = f"value_{len(self._scope)}"
        self._scope[name] = value
        return name

    def _kept(self) -> str:
        """A name that nothing else in the function has."""
        name = f"kept_{len(self._scope)}"
        self._scope[name] = None
        return name


MOST_KEPT: Final = 256
"""Answers of one generation; two are kept (ours: a client polls few payments at a time)."""


class WrittenAnswers:
    """Recently written answers, as bytes, by their record, which is frozen: a changed record is another one.

    Two generations as in `store/table.py`. Threads may share it: at worst an answer is written twice.
    """

    __slots__ = ("_old", "_young")

    def __init__(self) -> None:
        self._young: dict[int, tuple[object, Dialect, bytes]] = {}
        self._old: dict[int, tuple[object, Dialect, bytes]] = {}

    def get(self, record: object, dialect: Dialect) -> bytes | None:
        """The bytes of this very record in a dialect, or None."""
        place = id(record)
        kept = self._young.get(place) or self._old.get(place)
        return kept[2] if kept is not None and kept[0] is record and kept[1] is dialect else None

    def put(self, record: object, dialect: Dialect, text: bytes) -> None:
        """Keeps the bytes, and the record, so that no other has its identity."""
        if len(self._young) >= MOST_KEPT:
            self._old, self._young = self._young, {}
        self._young[id(record)] = (record, dialect, text)
