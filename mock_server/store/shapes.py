"""The meaning of a record's bytes for other processes: the names of its fields, in order.

Stored bytes have no names. A shape is a class's name with its fields, and the fields of the records in it; its
number, which precedes the bytes, follows from the shape. So the same class has the same number in every process,
and bytes of an earlier version, whose class had other fields, are recognised and read by its names.
"""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final, Union, get_args, get_origin

import msgspec
from msgspec import Struct

from mock_server.domain.records import BESIDE

LIST: Final = "each"
MAP: Final = "members"


def shape_of(kind: type[Struct]) -> str:
    """A class's shape as JSON: `["Payment", [["amount", null], ["card", [["brand", null], …]], …]]`.

    The second value of a field is null, the fields of the record in it, `{"each": …}` for several records, or
    `{"members": …}` for a mapping of them. A field with shared bytes has `"beside"`.
    """
    return json.dumps([kind.__qualname__, _fields(kind)], separators=(",", ":"))


def number_of(shape: str) -> int:
    """The number of a shape in sealed records."""
    return int.from_bytes(blake2b(shape.encode(), digest_size=4).digest(), "little")


def _fields(kind: type[Struct]) -> list[Any]:
    return [[field.name, _within(field.type)] for field in msgspec.structs.fields(kind)]


def _within(hint: Any) -> Any:
    """The part of a field's type that is stored without names."""
    if hasattr(hint, "__metadata__"):
        return "beside" if BESIDE in hint.__metadata__ else _within(hint.__origin__)
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _fields(hint) if hint.__struct_config__.array_like else None
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Union or origin is types.UnionType:
        return next((found for one in inner if (found := _within(one)) is not None), None)
    if origin is tuple and (found := _within(inner[0])) is not None:
        return {LIST: found}
    return {MAP: found} if origin in (dict, Mapping) and (found := _within(inner[1])) is not None else None


def named_by(shape: str, content: bytes | memoryview) -> dict[str, Any]:
    """The values of a stored record by the names of its shape. Raises ValueError if they do not match.

    Fields that the record's class does not have are refused when the record is created.
    """
    named = _named(json.loads(shape)[1], msgspec.msgpack.decode(content))
    if not isinstance(named, dict):
        raise ValueError("the record is not a list of fields")
    return named


def _named(within: Any, value: Any) -> Any:
    if within is None or value is None:
        return value
    if isinstance(within, dict):
        ((how, inner),) = within.items()
        if how == LIST:
            return [_named(inner, one) for one in value]
        return {name: _named(inner, one) for name, one in value.items()}
    if within == "beside":
        return value
    if not isinstance(value, list) or len(value) > len(within):
        raise ValueError("a record has more fields than its shape names")
    return {name: _named(inner, one) for (name, inner), one in zip(within, value, strict=False)}
