"""Strict decoding of a snapshot's values: each has exactly the names, types and ranges of its kind, or is refused.

What passes here is stored as it is, and read without another check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from enum import Enum
from typing import Any, Final, TypeVar

import msgspec

from mock_server import jsontext
from mock_server.domain.instants import LATEST
from mock_server.scenario.conditions.paths import json_fields
from mock_server.store.protocol import MACHINE_FAULTS, DumpRefused

T = TypeVar("T")
LARGEST: Final = 2**53 - 1
MOST: Final = 2**47
"""What still can be counted on from: the due queue has 48 bits for a number."""
INSTANTS: Final = ("_at", "_until", "_required_by", "_before")
"""Suffixes of field names for times."""


def fits(where: str, value: object, kind: Any) -> Any:
    """The value with its type: no name is unknown or missing, every number in its range. Raises DumpRefused."""
    made = typed(where, value, kind)
    _same(where, value, made)
    bounded(where, made)
    return made


def typed(where: str, value: object, kind: Any) -> Any:
    """The value with its type. Raises DumpRefused."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as wrong:
        raise DumpRefused(f"{where}: {wrong}") from None


def members(where: str, value: object, *names: str) -> dict[str, Any]:
    """An object with exactly these names, or with any if there are none; its members are checked by themselves."""
    if not isinstance(value, dict):
        raise DumpRefused(f"{where}: Expected `object`, got `{type(value).__name__}`")
    if names:
        _named(where, value.keys(), names)
    return value


def items(where: str, value: object) -> list[Any]:
    """A list that may be long, whose items are checked one by one. Raises DumpRefused."""
    if not isinstance(value, list):
        raise DumpRefused(f"{where}: Expected `array`, got `{type(value).__name__}`")
    return value


def opened(where: str, read: Callable[[Any], T], value: Any) -> T:
    """Reads a value. Any error is the value's fault."""
    try:
        return read(value)
    except MACHINE_FAULTS:
        raise
    except Exception as wrong:
        raise DumpRefused(f"{where}: {type(wrong).__name__} {wrong}") from None


def within(where: str, number: int, least: int, most: int) -> None:
    """Raises DumpRefused for a number out of range."""
    if not least <= number <= most:
        raise DumpRefused(f"{where}: {number} is not between {least} and {most}")


def _named(where: str, found: Set[str], names: tuple[str, ...]) -> None:
    for name in names:
        if name not in found:
            raise DumpRefused(f"{where}: {name} is missing")
    for name in sorted(found - set(names)):
        raise DumpRefused(f"{where}: there is no field {name!r}")


def _same(where: str, kept: Any, made: object) -> None:
    """Checks that a value is what it was read as, because its readers use it as it is, without defaults."""
    if isinstance(made, msgspec.Struct):
        names = made.__struct_fields__
        inside = kept if isinstance(kept, Mapping) else dict(zip(names, kept, strict=True))
        _named(where, inside.keys(), names)
        for name, member in inside.items():
            _same(where, member, getattr(made, name))
    elif isinstance(made, tuple | list):
        for old, inner in zip(kept, made, strict=True):
            _same(where, old, inner)
    elif isinstance(made, Mapping):
        for name, inner in made.items():
            _same(where, kept[name], inner)
    elif type(kept) is not type(made) and not isinstance(made, Enum | float):
        raise DumpRefused(f"{where}: expected {type(made).__name__}, but found {type(kept).__name__}")


def bounded(where: str, value: object) -> None:
    """Checks every integer for the range of JSON, every time for that of dates, and reads every JSON text."""
    if isinstance(value, msgspec.Struct):
        texts = json_fields(type(value))
        for name in value.__struct_fields__:
            inner = getattr(value, name)
            if inner is None or (type(inner) is str and name not in texts):
                continue
            _field(f"{where}, {name}", name, inner, is_text=name in texts)
    elif isinstance(value, tuple | list):
        for inner in value:
            bounded(where, inner)
    elif isinstance(value, Mapping):
        for inner in value.values():
            bounded(where, inner)
    elif isinstance(value, int):
        within(where, value, -LARGEST, LARGEST)


def _field(where: str, name: str, value: Any, *, is_text: bool) -> None:
    if is_text:
        for text in value.values() if isinstance(value, Mapping) else (value,):
            opened(where, _TEXTS.get(name, _object), text)
    elif isinstance(value, int) and f"_{name}".endswith(INSTANTS):
        within(where, value, 0, LATEST)
    else:
        bounded(where, value)


def _any(text: str) -> object:
    return jsontext.parse(text.encode())


def _object(text: str) -> None:
    if not isinstance(found := _any(text), dict):
        raise TypeError(f"an object is expected, not {type(found).__name__}")


_pairs: Final = msgspec.json.Decoder(list[tuple[str, str]]).decode
_TEXTS: Final[dict[str, Callable[[str], object]]] = {"echo": _any, "headers": _pairs, "response_headers": _pairs}
"""What is in the JSON text of a field; in all others it is an object."""
