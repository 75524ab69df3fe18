"""JSON Schema in few words: what the shapes of answers are declared with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

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
