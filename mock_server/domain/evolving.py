"""A new value from an old one: `dataclasses.replace` for frozen records with many fields, many times as quick.

`replace` calls the constructor, which sets every field by name through `object.__setattr__`; a payment has eighty
fields and changes several times in one call. Here they are read at once and the record is made anew from them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

from mock_server.domain.making import maker

R = TypeVar("R")

_Plan = tuple[Callable[[Any], tuple[Any, ...]], dict[str, int], Callable[[list[Any]], Any]]


@cache
def _plan(kind: type) -> _Plan:
    """How to read all fields of a record, where each stands, and how to make one of them."""
    names = tuple(field.name for field in fields(kind))
    # One name alone would be read without its tuple.
    read = attrgetter(*names) if len(names) > 1 else lambda record: (getattr(record, names[0]),)
    return read, {name: at for at, name in enumerate(names)}, maker(kind)


def evolve(record: R, **changes: Any) -> R:
    """The record with some fields changed. KeyError for a field it does not have."""
    kind: Any = type(record)
    read, places, make = _plan(kind)
    values = list(read(record))
    for name, value in changes.items():
        values[places[name]] = value
    made: R = make(values)
    return made
