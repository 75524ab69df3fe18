"""How an answer is declared and written: a table of fields, each with its name, its value, and where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, Generic, NamedTuple, TypeVar

from mock_server.dialects import Dialect
from mock_server.domain.instants import iso
from mock_server.jsontext import raw

R = TypeVar("R")
Of = Callable[[Any, Dialect], object]


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
    """An answer's fields, compiled to what fills a template of nulls: attributes are read all at once."""

    def __init__(self, *fields: Field) -> None:
        self.fields = fields
        self._nulls: dict[str, object] = dict.fromkeys(field.name for field in fields)
        plain = [(field.name, field.of) for field in fields if isinstance(field.of, str)]
        self._plain = tuple(name for name, _ in plain)
        self._read = attrgetter(*(of for _, of in plain)) if len(plain) > 1 else None
        self._live = tuple((field.name, field.of) for field in fields if callable(field.of))

    def of(self, record: R, dialect: Dialect) -> dict[str, object]:
        """The answer's fields in their documented order."""
        out = self._nulls.copy()
        if self._read is not None:
            out.update(zip(self._plain, self._read(record), strict=True))
        for name, of in self._live:
            out[name] = of(record, dialect)
        return out

    def names(self) -> tuple[str, ...]:
        """The fields' names, in order."""
        return tuple(field.name for field in self.fields)


def instant(ms: int | None) -> str | None:
    """An instant as it is written, or null."""
    return None if ms is None else iso(ms)


def plain(name: str) -> Of:
    """A field of the record under its own name."""

    def of(record: Any, _: Dialect) -> object:
        return getattr(record, name)

    return of


def at(name: str) -> Of:
    """An instant of the record."""

    def of(record: Any, _: Dialect) -> object:
        return instant(getattr(record, name))

    return of


def free(name: str) -> Of:
    """A value that is kept as JSON text."""

    def of(record: Any, _: Dialect) -> object:
        return shown(getattr(record, name))

    return of


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
