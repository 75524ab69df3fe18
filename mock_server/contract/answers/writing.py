"""How an answer is written: each shape is compiled, for each dialect, to one function that makes all of its fields."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from enum import StrEnum
from itertools import groupby, takewhile
from typing import Any, Final, NamedTuple, TypeVar, cast

from msgspec import Struct

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
        """Compiles the function that writes a shape: it fills in a copy of an answer whose values are all null."""
        rows = list(rows_of(shape, self._dialect))
        always = takewhile(lambda row: row.among is None and not row.field.optional, rows)
        blank = dict.fromkeys(row.field.name for row in always)
        lines = [f"    own = record.{shape.part}"] if shape.part else []
        for among, group in groupby(rows, lambda row: row.among):
            found = list(group)
            lines += [self._line(row.field, blank) for row in found] if among is None else [self._several(among, found)]
        sent = {row.name: row.field.name for row in rows if row.field.sent}
        if sent:
            lines += [
                f"    for name, text in {self._own}.echo.items():",
                f"        if name in {self._named(sent)}:",
                f"            out[{self._named(sent)}[name]] = raw(text)",
            ]
        begin = f"    out = {self._named(blank)}.copy()"
        exec("\n".join(("def write(record):", begin, *filter(None, lines), "    return out")), self._scope)
        return cast(Callable[[R], dict[str, object]], self._scope["write"])

    def _several(self, among: Several, rows: Iterable[Row]) -> str:
        names = {row.name: row.field.name for row in rows}
        found = f"{self._named(among.read)}({self._own})"
        if all(name == wire for name, wire in names.items()) and len(names) == len(among.fields or (_NAMELESS,)):
            return f"    out.update({found})"
        wire = self._named(names)
        return f"    out.update({{{wire}[name]: one for name, one in {found}.items() if name in {wire}}})"

    def _line(self, field: Field, blank: Container[str]) -> str:
        """The statement that writes one field; empty if nothing has to be written."""
        stays = field.optional or field.name in blank
        if field.of == Constant(None):
            return "" if stays else f"    out[{field.name!r}] = None"
        names = (field.given,) if isinstance(field.given, str) else field.given
        tests = [" or ".join(self._own + self._looked_up.format(name) for name in names)] if any(names) else []
        value, filled = self._source(field), isinstance(field.kind, Many) and field.kind.filled
        if field.optional or (field.nullable and self._written(field.kind, "one") != "one"):
            tests = [*(f"({test})" for test in tests), f"(kept := {value}){'' if filled else ' is not None'}"]
            value = "kept"
        test = f"if {' and '.join(tests)}: " if tests else ""
        otherwise = "" if stays or not tests else f"\n    else: out[{field.name!r}] = None"
        return f"    {test}out[{field.name!r}] = {self._written(field.kind, value)}{otherwise}"

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


MOST_KEPT: Final = 256
"""Answers of one generation; two are kept (ours: a client polls few payments at a time)."""


class WrittenAnswer(Struct):
    """An answer as bytes, and the record that it shows; `at_rest` is that record as stored, once this was asked."""

    record: Any
    dialect: Dialect
    text: bytes
    at_rest: bytes | None = None


class WrittenAnswers:
    """Recently written answers by their record, which is frozen: a changed record is another one.

    Two generations as in `store/table.py`. Threads may share it: at worst an answer is written twice.
    """

    __slots__ = ("_old", "_young")

    def __init__(self) -> None:
        self._young: dict[int, WrittenAnswer] = {}
        self._old: dict[int, WrittenAnswer] = {}

    def get(self, record: object, dialect: Dialect) -> WrittenAnswer | None:
        """The answer that shows this very record in a dialect, or None."""
        place = id(record)
        kept = self._young.get(place) or self._old.get(place)
        return kept if kept is not None and kept.record is record and kept.dialect is dialect else None

    def put(self, record: object, dialect: Dialect, text: bytes) -> WrittenAnswer:
        """Keeps the answer, and the record, so that no other has its identity."""
        if len(self._young) >= MOST_KEPT:
            self._old, self._young = self._young, {}
        kept = self._young[id(record)] = WrittenAnswer(record, dialect, text)
        return kept
