"""How an answer is declared and written: a table of fields, each with its name, its value, and where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from mock_server.contract.dialect import Dialect
from mock_server.domain.instants import iso
from mock_server.jsontext import raw

R = TypeVar("R")
Of = Callable[[Any, Dialect], object]


class Attribute:
    """A value that is an attribute of the record, written in one way; a shape writes it into its own function."""

    def __init__(self, name: str, write: Callable[[Any], object], template: str) -> None:
        self.name = name
        self._write = write
        self._template = template

    def __call__(self, record: Any, dialect: Dialect) -> object:
        return self._write(getattr(record, self.name))

    @property
    def expression(self) -> str:
        """The value, where `record` is the record."""
        return self._template.format(f"record.{self.name}")


class Field(NamedTuple):
    """One field of an answer. `of` is the record's attribute of that value, or a function of record and dialect.

    `of` None: always null here, unless the request sent it (an echo). `type` is the JSON type (`string`, `integer`,
    `boolean`, `object`, `array`), `nullable` whether it can be null.
    """

    name: str
    of: Of | str | None
    type: str
    source: str
    nullable: bool = True
    about: str = ""


class Shape(Generic[R]):
    """An answer's fields, compiled with the first answer to one function that makes all of them at once."""

    def __init__(self, *fields: Field) -> None:
        self.fields = fields
        self._made: Callable[[R, Dialect], dict[str, object]] | None = None

    def of(self, record: R, dialect: Dialect) -> dict[str, object]:
        """The answer's fields in their documented order."""
        return (self._made or self._compile())(record, dialect)

    def names(self) -> tuple[str, ...]:
        """The fields' names, in order."""
        return tuple(field.name for field in self.fields)

    def _compile(self) -> Callable[[R, Dialect], dict[str, object]]:
        scope: dict[str, Any] = {"iso": iso, "raw": raw}
        lines = [f"{field.name!r}: {_expression(at, field.of, scope)}," for at, field in enumerate(self.fields)]
        exec("def made(record, dialect):\n    return {" + "\n        ".join(lines) + "}", scope)
        made: Callable[[R, Dialect], dict[str, object]] = scope["made"]
        self._made = made
        return made


def _expression(at: int, of: Of | str | None, scope: dict[str, Any]) -> str:
    if of is None:
        return "None"
    if isinstance(of, str):
        return f"record.{of}"
    if isinstance(of, Attribute):
        return of.expression
    scope[f"of_{at}"] = of
    return f"of_{at}(record, dialect)"


def instant(ms: int | None) -> str | None:
    """An instant as it is written, or null."""
    return None if ms is None else iso(ms)


def plain(name: str) -> Of:
    """A field of the record under its own name."""
    return Attribute(name, lambda value: value, "{0}")


def at(name: str) -> Of:
    """An instant of the record."""
    return Attribute(name, instant, "None if {0} is None else iso({0})")


def free(name: str) -> Of:
    """A value that is kept as JSON text."""
    return Attribute(name, shown, "None if {0} is None else raw({0})")


def word(name: str) -> Of:
    """A status in the dialect's word."""

    def of(record: Any, dialect: Dialect) -> object:
        status = getattr(record, name)
        return None if status is None else dialect.status_out(status)

    return of


def shown(text: str | None) -> object:
    """JSON text as it stands in an answer, or null."""
    return None if text is None else raw(text)


def renamed(values: Mapping[str, object], names: Mapping[str, str]) -> dict[str, object]:
    """Fields under the names that a dialect gives them."""
    return {names.get(name, name): value for name, value in values.items()}
