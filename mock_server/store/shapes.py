"""What a record's bytes mean, said so that another process can read them: the names of its fields, in their order.

Bytes at rest hold no names. A shape is a class's name with its fields, and the fields of the records within; its
number, which stands before the bytes, follows from it alone. So the same class has the same number in every process,
and bytes that an earlier version wrote, whose class had other fields, are told apart and read by its names.
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
_unpack = msgspec.msgpack.Decoder().decode


def shape_of(kind: type[Struct]) -> str:
    """A class's shape as JSON: `["Payment", [["amount", null], ["card", [["brand", null], …]], …]]`.

    Beside a field's name stands null, the fields of the record that it holds, `{"each": …}` for several of them, or
    `{"members": …}` for a mapping of them. A field whose bytes rest beside the record has `"beside"`.
    """
    return json.dumps([kind.__qualname__, _fields(kind)], separators=(",", ":"))


def number_of(shape: str) -> int:
    """The number under which records of a shape are sealed."""
    return int.from_bytes(blake2b(shape.encode(), digest_size=4).digest(), "little")


def _fields(kind: type[Struct]) -> list[Any]:
    return [[field.name, _within(field.type)] for field in msgspec.structs.fields(kind)]


def _within(hint: Any) -> Any:
    """What of a field's type has no names at rest."""
    if hasattr(hint, "__metadata__"):
        return "beside" if BESIDE in hint.__metadata__ else _within(hint.__origin__)
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _fields(hint) if hint.__struct_config__.array_like else None
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Union or origin is types.UnionType:
        return next((found for one in inner if (found := _within(one)) is not None), None)
    if origin is tuple and (found := _within(inner[0])) is not None:
        return {LIST: found}
    if origin in (dict, Mapping) and (found := _within(inner[1])) is not None:
        return {MAP: found}
    return None


def named_by(shape: str, content: bytes | memoryview) -> dict[str, Any]:
    """The values of a record at rest by the names that its shape gives them. Raises ValueError where they do not fit.

    What the record's class does not have is left for whoever makes one of them to refuse.
    """
    named = _named(json.loads(shape)[1], _unpack(content))
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
