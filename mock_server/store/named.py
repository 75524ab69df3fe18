"""Records as named JSON, as a dump has them, and back.

At rest a record has no names. Here each has a second class with the same fields and defaults and with names: what a
document says is put into that first, so that a refusal names the field, and then into the record itself.
"""

from __future__ import annotations

import base64
import enum
import types
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Struct, structs

from mock_server.store import seals

_SCALARS = (str, int, float, bool, bytes, type(None), object, Any)
_PLAIN = frozenset({str, int, float, bool})


@cache
def fields_of(kind: type[Struct]) -> tuple[structs.FieldInfo, ...]:
    """The fields of a class, whose types are worked out once."""
    return structs.fields(kind)


def plain(record: Struct) -> dict[str, Any]:
    """The record as JSON; a None that is the default is left out, so that fields can be added."""
    values = ((name, getattr(record, name)) for name in record.__struct_fields__)
    named = {name: _plain(value) for name, value in values if value is not None}
    for name in _needed(type(record)):
        named.setdefault(name, None)
    return named


def _plain(value: Any) -> Any:
    if type(value) in _PLAIN or value is None:
        return value
    if isinstance(value, Struct):
        return plain(value)
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, bytes):  # a sealed record in there gets its field names first
        return base64.b64encode(seals.named(value)).decode("ascii")
    if isinstance(value, Mapping):
        return {name: _plain(member) for name, member in value.items()}
    return [_plain(member) for member in value]


@cache
def _needed(kind: type[Struct]) -> tuple[str, ...]:
    return tuple(field.name for field in fields_of(kind) if field.default is not None)


@cache
def named_class(kind: type[Struct]) -> type[Struct]:
    """The class with names; TypeError names a field of a type that cannot be kept.

    A class that has names already is its own, and so is one that holds others of its kind.
    """
    if not kind.__struct_config__.array_like:
        return kind
    fields = [
        (field.name, _named(f"{kind.__qualname__}.{field.name}", field.type), _default(field))
        for field in fields_of(kind)
    ]
    return msgspec.defstruct(kind.__name__, fields, kw_only=True)


def _default(field: structs.FieldInfo) -> Any:
    if field.default is not NODEFAULT:
        return field.default
    return msgspec.field() if field.required else msgspec.field(default_factory=field.default_factory)


def _named(where: str, hint: Any) -> Any:
    """A field's type with the classes in it that have names."""
    hint = hint.__origin__ if hasattr(hint, "__metadata__") else hint
    if hint in _SCALARS or get_origin(hint) is Literal:
        return hint
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint
    if isinstance(hint, type) and issubclass(hint, Struct):
        return named_class(hint)
    return _composed(where, hint)


def _composed(where: str, hint: Any) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Union or origin is types.UnionType:
        members = tuple(_named(where, one) for one in inner)
        if len(members) - (type(None) in members) == 1 or all(one in _SCALARS for one in members):
            return Union[members]  # noqa: UP007 — they are known only now
    elif origin is tuple and len(inner) == 2 and inner[1] is Ellipsis:
        return tuple[_named(where, inner[0]), ...]  # type: ignore[misc]  # known only now
    elif origin in (dict, Mapping) and inner[0] is str:
        return dict[str, _named(where, inner[1])]  # type: ignore[misc]  # known only now
    raise TypeError(f"{where} is {hint}: such a value cannot be kept")
