"""How values stand in a message: in the dialect's words, never as a number that could be a card's (ours)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Final

from mock_server.domain.errors import FieldError
from mock_server.domain.instants import iso

_LONG_NUMBER: Final = re.compile(r"[0-9](?:[ -]?[0-9]){11,}")
_MAX_SHOWN: Final = 200

ToWire = Callable[[StrEnum], str]


class Said(dict[str, str]):
    """The values of a message by name; one that is not there reads as a gap, not as a crash."""

    def __missing__(self, name: str) -> str:
        return f"({name})"


def said(values: Mapping[str, object], fields: tuple[FieldError, ...], to_wire: ToWire) -> Said:
    """Spell a refusal's values; `field`, `problem` and `more` tell of its wrong fields."""
    words = Said((name, _spelled(name, value, to_wire)) for name, value in values.items())
    if fields:
        words.update((name, _spelled(name, value, to_wire)) for name, value in fields[0].values.items())
        rest = len(fields) - 1
        words["field"] = masked(fields[0].field)
        words["problem"] = masked(fields[0].message)
        words["more"] = f" ({rest} more in fields)" if rest else ""
    return words


def masked(text: str) -> str:
    """Give a text without numbers as long as a card's, and not longer than a message should be."""
    short = text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"
    return _LONG_NUMBER.sub("[number]", short)


def _spelled(name: str, value: object, to_wire: ToWire) -> str:
    if isinstance(value, StrEnum):
        return to_wire(value)
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, int):
        return iso(value) if name.endswith("_at") else str(value)
    if isinstance(value, Iterable):
        return ", ".join(_spelled(name, item, to_wire) for item in value)
    return "null" if value is None else masked(str(value))
