"""JSON Schema in few words: what the tables of answers are written with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final

from mock_server.contract.answers.fields import Shape
from mock_server.contract.dialect import Dialect, ListKeys

Json = dict[str, Any]

TEXT: Final[Json] = {"type": "string"}
WHOLE: Final[Json] = {"type": "integer"}
NUMBER: Final[Json] = {"type": "number"}
FLAG: Final[Json] = {"type": "boolean"}
INSTANT: Final[Json] = {"type": "string", "format": "date-time"}
FREE: Final[Json] = {"type": "object", "additionalProperties": True}
ANY: Final[Json] = {}
NULL: Final[Json] = {"type": "null"}
LIST: Final[Json] = {"type": "array"}

_TYPES: Final[Mapping[str, Json]] = {
    "string": TEXT,
    "integer": WHOLE,
    "number": NUMBER,
    "boolean": FLAG,
    "object": FREE,
    "array": LIST,
}
_WHEN: Final = re.compile("(created|updated)|.*_(at|on|before|required_by)")
"""How fields are called that hold an instant."""


def ref(name: str) -> Json:
    """A schema of the document's own."""
    return {"$ref": f"#/components/schemas/{name}"}


def maybe(schema: Json) -> Json:
    """The same, or null."""
    if "enum" in schema:
        return {**schema, "type": [schema["type"], "null"], "enum": [*schema["enum"], None]}
    if isinstance(schema.get("type"), str):
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, NULL]} if schema else schema


def many(schema: Json) -> Json:
    """An array of them."""
    return {"type": "array", "items": schema}


def words(of: Iterable[str]) -> Json:
    """One of these words."""
    return {"type": "string", "enum": [str(word) for word in of]}


def spoken(dialect: Dialect, kind: type[StrEnum]) -> Json:
    """A status, in the dialect's words."""
    return words(dialect.status_out(word) for word in kind)


def told(schema: Json, description: str) -> Json:
    """The same, with what it means."""
    return {**schema, "description": description}


def record(fields: Mapping[str, Json], *, optional: Iterable[str] = (), about: str = "") -> Json:
    """An object that has all of these fields, but for those that may be missing."""
    left_out = frozenset(optional)
    found: Json = {"type": "object", "properties": dict(fields)}
    required = [name for name in fields if name not in left_out]
    if required:
        found["required"] = required
    return told(found, about) if about else found


def page(keys: ListKeys, item: Json) -> Json:
    """One page of a list, in its envelope."""
    if keys.items is None:
        return many(item)
    rows = ((keys.size, WHOLE), (keys.items, many(item)), (keys.total, WHOLE), (keys.more, FLAG))
    return record({key: kind for key, kind in rows if key is not None})


def counted(item: Json, **more: Json) -> Json:
    """A list of the control API, which is never in pages."""
    return record({"data": many(item), "total_count": WHOLE, **more})


def of_shape(shape: Shape[Any], kinds: Mapping[str, Json], about: str = "") -> Json:
    """An answer's schema from its table; `kinds` says more of single fields than their type."""
    strangers = kinds.keys() - set(shape.names())
    assert not strangers, f"no such fields: {strangers}"
    fields: dict[str, Json] = {}
    for field in shape.fields:
        base = kinds[field.name] if field.name in kinds else _plain(field.name, field.type)
        schema = maybe(base) if field.nullable else base
        if field.about:
            schema = told(schema, field.about)
        fields[field.name] = {**schema, "x-source": field.source}
    return record(fields, about=about)


def _plain(name: str, kind: str) -> Json:
    return INSTANT if kind == "string" and _WHEN.fullmatch(name) else _TYPES[kind]
