"""Names in the document: of schemas, of path templates, of operations that stand on several routes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Protocol, TypeVar

_PART: Final = re.compile("<([a-z_]+)>")


class Routed(Protocol):
    """A row of one of the tables of calls."""

    @property
    def name(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def path(self) -> str: ...


R = TypeVar("R", bound=Routed)


def camel(name: str) -> str:
    """`payment_methods.create` as `PaymentMethodsCreate`; what begins with a capital stays."""
    return "".join(part[:1].upper() + part[1:] for part in re.split("[._]", name) if part)


def template(path: str) -> str:
    """A path as OpenAPI writes it."""
    return _PART.sub(r"{\1}", path)


def parts_of(path: str) -> tuple[str, ...]:
    """The names of a path's parts."""
    return tuple(_PART.findall(path))


def operation_ids(rows: Iterable[R]) -> Iterator[tuple[R, str]]:
    """Each row with an id of its own: its name, and where several routes share that, what tells this one apart."""
    first: dict[str, R] = {}
    taken: set[str] = set()
    for row in rows:
        wanted = _wanted(row, first.setdefault(row.name, row))
        unique = next(name for name in wanted if name not in taken)
        taken.add(unique)
        yield row, unique


def _wanted(row: Routed, first: Routed) -> Iterator[str]:
    """The name alone, with a word that only this path has, with the method, with both; `short` for a shorter path."""
    yield row.name
    known = set(_words(first))
    own = [word for word in _words(row) if word not in known]
    method = row.method.lower()
    yield from (f"{row.name}.{word}" for word in own)
    if row.method != first.method:
        yield f"{row.name}.{method}"
    yield from (f"{row.name}.{word}.{method}" for word in own)
    yield f"{row.name}.short"


def _words(row: Routed) -> list[str]:
    return re.findall("[a-z_]+", _PART.sub("", row.path))
