"""How an answer is written: as an object of a class for its shape, which is encoded twice as fast as a dict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import groupby
from keyword import iskeyword
from typing import Any, Final, NamedTuple, TypeVar, cast

import msgspec
from msgspec import UNSET, Struct, structs

from mock_server.contract.answers import fields as kinds
from mock_server.contract.answers.fields import AnswerShape, Field, Kind, Several
from mock_server.contract.dialect import Dialect
from mock_server.contract.notation import FREE
from mock_server.domain.instants import iso
from mock_server.jsontext import Raw
from mock_server.recent import Recent

R = TypeVar("R")


def write(shape: AnswerShape[R], record: R, dialect: Dialect) -> object:
    """The answer, whose fields are written in their documented order."""
    return (shape.writers.get(dialect) or _compiled(shape, dialect))(record)


def fields_written(answer: Any) -> dict[str, Any]:
    """The fields of a written answer by their names."""
    if isinstance(answer, dict):
        return answer
    values = zip(answer.__struct_encode_fields__, structs.astuple(answer), strict=True)
    return {name: value for name, value in values if value is not UNSET}


class Row(NamedTuple):
    """A field in a dialect; `name` is its name in the shape, the field's own name is the dialect's."""

    name: str
    field: Field
    among: Several | None = None


def fields_of(shape: AnswerShape[Any]) -> Iterator[tuple[Field, Several | None]]:
    """The shape's own fields, each with its `Several`, if any; a nameless one represents fields that no table names."""
    for row in shape.rows:
        if isinstance(row, Several):
            yield from ((field, row) for field in row.fields or (Field("", FREE),))
        else:
            yield row, None


def rows_of(shape: AnswerShape[Any], dialect: Dialect) -> Iterator[Row]:
    """The fields of a shape in a dialect: without those that it omits, and with those that it adds at the end."""
    fields = list(fields_of(shape))
    known = {field.name for field, _ in fields}
    names, other = dialect.record_names.get(shape.name, {}), dialect.record_fields.get(shape.name, {})
    if shape.like is not None:
        whole = known.issuperset(field.name for field, _ in fields_of(shape.like))
        names = {**dialect.record_names.get(shape.like.name, {}), **names}
        shared = dialect.record_fields.get(shape.like.name, {}).items()
        other = {**{name: field for name, field in shared if whole or name in known}, **other}
    for field, among in fields:
        said = other.get(field.name, field)
        if said is field:
            wire = names.get(field.name, field.name)
            yield Row(field.name, field._replace(name=wire, of=field.of or field.name), among)
        elif said is not None:
            yield Row(field.name, said)
    yield from (Row(name, field) for name, field in other.items() if field is not None and name not in known)


def _compiled(shape: AnswerShape[R], dialect: Dialect) -> Callable[[R], object]:
    made = _Code(dialect, "own" if shape.part else "record", "[{!r}]" if shape.keyed else ".{}").function(shape)
    shape.writers[dialect] = made
    return made


class _Code:
    """The code of one function, and the values that it uses, by name.

    It is compiled from text: one function for all shapes, which reads the rows, takes 2 % more instructions a create.
    """

    def __init__(self, dialect: Dialect, own: str, looked_up: str) -> None:
        self._own = own
        self._looked_up = looked_up
        self._dialect = dialect
        self._scope: dict[str, Any] = {"iso": iso, "raw": Raw, "UNSET": UNSET, "fields": fields_written}

    def function(self, shape: AnswerShape[R]) -> Callable[[R], object]:
        """Compiles the function that writes a shape."""
        lines = [f"    own = record.{shape.part}"] if shape.part else []
        parts: list[str] = []
        for is_open, group in groupby(rows_of(shape, self._dialect), lambda row: not row.field.name):
            rows = list(group)
            if is_open:
                parts += [f"{self._named(row.among.read)}({self._own})" for row in rows if row.among is not None]
            else:
                parts.append(f"out_{len(parts)}")
                lines += self._object(shape.name, rows, parts[-1])
        whole = parts[0] if len(parts) == 1 else ", ".join(f"**fields({part})" for part in parts).join("{}")
        exec("\n".join(("def write(record):", *lines, f"    return {whole}")), self._scope)
        return cast(Callable[[R], object], self._scope["write"])

    def _object(self, shape: str, rows: list[Row], out: str) -> Iterator[str]:
        """The statements that make an object with these fields."""
        names = enumerate(row.field.name for row in rows)
        attributes = {name: name if name.isidentifier() and not iskeyword(name) else f"_{at}" for at, name in names}
        defined = [(own, Any, msgspec.field(default=None, name=wire)) for wire, own in attributes.items()]
        values = ", ".join(self._value(row.field, row.among) for row in rows)
        yield f"    {out} = {self._named(msgspec.defstruct(shape, defined))}({values})"
        sent = {row.name: attributes[row.field.name] for row in rows if row.field.sent}
        if sent:
            yield f"    for name, text in {self._own}.echo.items():"
            yield f"        if name in {self._named(sent)}: setattr({out}, {self._named(sent)}[name], raw(text))"
        for among, group in groupby(rows, lambda row: row.among):
            if among is not None:
                some = self._named({row.name: attributes[row.field.name] for row in group})
                yield f"    for name, one in {self._named(among.read)}({self._own}).items():"
                yield f"        if name in {some}: setattr({out}, {some}[name], one)"

    def _value(self, field: Field, among: Several | None) -> str:
        """The value of one field, as an expression."""
        nothing = "UNSET" if field.optional or among is not None else "None"
        if field.of == kinds.Constant(None) or among is not None:
            return nothing
        names = (field.given,) if isinstance(field.given, str) else field.given
        tests = [" or ".join(self._own + self._looked_up.format(name) for name in names)] if any(names) else []
        value, filled = self._source(field), isinstance(field.kind, kinds.Many) and field.kind.filled
        if field.optional or (field.nullable and self._written(field.kind, "one") != "one"):
            tests = [*(f"({test})" for test in tests), f"(kept := {value}){'' if filled else ' is not None'}"]
            value = "kept"
        written = self._written(field.kind, value)
        return f"({written} if {' and '.join(tests)} else {nothing})" if tests else written

    def _source(self, field: Field) -> str:
        """Where the value comes from, as an expression."""
        match field.of:
            case str(path):
                return self._own + self._looked_up.format(path)
            case kinds.Constant(value):
                return repr(value) if value is None or isinstance(value, str | bool | int) else self._named(value)
            case read if read is kinds.itself:
                return self._own
            case kinds.Beside(str(path)):
                return f"record.{path}"
            case kinds.Beside(read):
                return f"{self._named(read)}(record)"
            case read:
                return f"{self._named(read)}({self._own})"

    def _written(self, kind: Kind, value: str) -> str:
        """A value other than null as it is written, as an expression."""
        match kind:
            case AnswerShape():
                made = kind.writers.get(self._dialect) or _compiled(kind, self._dialect)
                return f"{self._named(made)}({value})"
            case kinds.Many(one) | kinds.ByName(one):
                inner = self._written(one, "one")
                if inner == "one":
                    return value
                if isinstance(kind, kinds.Many):
                    return f"[{inner} for one in {value}]"
                return f"{{name: {inner} for name, one in {value}.items()}}"
            case kinds.AsJson():
                return f"raw({value})"
            case kinds.Tally(words):
                return f"{{wire: {value}.get(word, 0) for word, wire in {self._words(words)}.items()}}"
            case kinds.Listed(words):
                return f"{self._words(words)}[{value}]"
            case dict():
                return f"iso({value})" if kind.get("format") == "date-time" else value
            case _:
                return f"{self._words(kind)}[{value}]"

    def _words(self, kind: type[StrEnum]) -> str:
        return self._named(self._dialect.spoken(kind))

    def _named(self, value: object) -> str:
        for name, there in self._scope.items():
            if there is value:
                return name
        name = f"value_{len(self._scope)}"
        self._scope[name] = value
        return name


MOST_KEPT: Final = 128
"""Answers of one generation; two are kept (ours: a client polls few payments at a time)."""


class WrittenAnswer(Struct):
    """An answer as bytes, and the record that it shows; `at_rest` is that record as stored, once this was asked."""

    record: Any
    dialect: Dialect
    text: bytes
    at_rest: bytes | None = None


class WrittenAnswers(Recent[int, WrittenAnswer]):
    """Recently written answers by their frozen record. Threads may share it: at worst an answer is written twice."""

    def __init__(self) -> None:
        super().__init__(2 * MOST_KEPT)

    def find(self, record: object, dialect: Dialect) -> WrittenAnswer | None:
        """The answer that shows this very record in a dialect, or None."""
        number = id(record)
        kept = self.young.get(number) or self._old.get(number)
        return kept if kept is not None and kept.record is record and kept.dialect is dialect else None

    def keep(self, record: object, dialect: Dialect, text: bytes) -> WrittenAnswer:
        """Keeps the answer, and the record, so that no other has its identity."""
        kept = self.young[id(record)] = WrittenAnswer(record, dialect, text)
        if len(self.young) > self.half:
            self.turn()
        return kept
