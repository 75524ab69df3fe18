"""How the values of each type of field go down to a row, up again, and to JSON; worked out once per type."""

from __future__ import annotations

import base64
import enum
import types
from collections.abc import Callable, Mapping
from functools import partial
from operator import attrgetter
from typing import Any, Literal, Protocol, Union, get_args, get_origin

import msgspec

from mock_server.store import seals

Way = Callable[[Any], Any]
"""Turns one value that is there into another form."""

_SCALARS = (str, int, float, bool, bytes, type(None), object, Any)


class NestedCodec(Protocol):
    """What is asked of the codec of a record inside a record."""

    def row(self, record: Any, /) -> list[Any]: ...
    def record(self, row: list[Any], /) -> Any: ...
    def plain(self, record: Any, /) -> dict[str, Any]: ...


CodecOf = Callable[[Any], NestedCodec]


class Ways:
    """Down to a row, up again, and to JSON; None: the value stays as it is."""

    __slots__ = ("down", "plain", "up")

    def __init__(self, down: Way | None = None, up: Way | None = None, plain: Way | None = None) -> None:
        self.down = down
        self.up = up
        self.plain = plain


def ways(where: str, hint: Any, codec_of: CodecOf) -> Ways:
    """The ways of a type; TypeError names the field whose values cannot be kept."""
    if hint in _SCALARS or get_origin(hint) is Literal:
        return Ways(plain=_bytes_plain if hint is bytes else None)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return Ways(up={member.value: member for member in hint}.__getitem__, plain=attrgetter("value"))
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return _nested(hint, codec_of)
    return _composed(where, hint, codec_of)


def _composed(where: str, hint: Any, codec_of: CodecOf) -> Ways:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Union or origin is types.UnionType:
        return _union(where, inner, codec_of)
    if origin is tuple and len(inner) == 2 and inner[1] is Ellipsis:
        return _many(_each(where, inner[0], codec_of))
    if origin in (dict, Mapping) and inner[0] is str:
        return _mapped(_each(where, inner[1], codec_of))
    raise TypeError(f"{where} is {hint}: such a value cannot be kept")


def _union(where: str, hints: tuple[Any, ...], codec_of: CodecOf) -> Ways:
    members = [ways(where, hint, codec_of) for hint in hints if hint is not type(None)]
    if len(members) == 1:
        return members[0]
    if any(way.down or way.up or way.plain for way in members):
        raise TypeError(f"{where} is one of several sorts, which cannot be told apart again")
    return Ways()


def _nested(kind: type, codec_of: CodecOf) -> Ways:
    """Its codec is found when first used: a record may hold others of its own type."""
    found: list[NestedCodec] = []

    def codec() -> NestedCodec:
        if not found:
            found.append(codec_of(kind))
        return found[0]

    return Ways(
        down=lambda value: codec().row(value),
        up=lambda row: codec().record(row),
        plain=lambda value: codec().plain(value),
    )


def _each(where: str, hint: Any, codec_of: CodecOf) -> Ways:
    """The ways of a container's members, which may be None."""
    own = ways(where, hint, codec_of)
    return Ways(_unless_none(own.down), _unless_none(own.up), _unless_none(own.plain))


def _unless_none(way: Way | None) -> Way | None:
    return None if way is None else lambda value: None if value is None else way(value)


def _many(each: Ways) -> Ways:
    return Ways(
        down=partial(_over, list, each.down) if each.down else None,
        up=partial(_over, tuple, each.up) if each.up else tuple,
        plain=partial(_over, list, each.plain) if each.plain else list,
    )


def _over(build: Way, way: Way, values: Any) -> Any:
    return build(map(way, values))


def _mapped(each: Ways) -> Ways:
    return Ways(
        down=partial(_over_values, each.down) if each.down else None,
        up=partial(_over_values, each.up) if each.up else None,
        plain=partial(_over_values, each.plain) if each.plain else _as_dict,
    )


def _over_values(way: Way, members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: way(value) for name, value in members.items()}


def _as_dict(members: Mapping[str, Any]) -> dict[str, Any]:
    return members if type(members) is dict else dict(members)


def _bytes_plain(value: bytes) -> str:
    """Base64; a sealed record in there gets its field names first."""
    return base64.b64encode(seals.named(value)).decode("ascii")
