"""JSON Schema in short form, for the shapes of answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

Json = dict[str, Any]

TEXT: Final[Json] = {"type": "string"}
WHOLE: Final[Json] = {"type": "integer", "format": "int64"}
NUMBER: Final[Json] = {"type": "number"}
FLAG: Final[Json] = {"type": "boolean"}
INSTANT: Final[Json] = {"type": "string", "format": "date-time"}
FREE: Final[Json] = {"type": "object", "additionalProperties": True}
ANY: Final[Json] = {}
NULL: Final[Json] = {"type": "null"}
LIST: Final[Json] = {"type": "array", "items": {}}


def ref(name: str) -> Json:
    """A reference to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def maybe(schema: Json) -> Json:
    """The same, or null."""
    rest = {key: value for key, value in schema.items() if key not in ("$ref", "anyOf")}
    choices = [{"$ref": schema["$ref"]}] if "$ref" in schema else schema.get("anyOf", ())
    if choices:
        return {**rest, "anyOf": [*choices, NULL]}
    if "enum" in schema:
        rest["enum"] = [*schema["enum"], None]
    if "type" in schema:
        known = schema["type"]
        rest["type"] = [*(known if isinstance(known, list) else [known]), "null"]
    return rest


def many(schema: Json) -> Json:
    """An array of them."""
    return {"type": "array", "items": schema}


def words(of: Iterable[str]) -> Json:
    """One of these words."""
    return {"type": "string", "enum": [str(word) for word in of]}


def described(schema: Json, description: str) -> Json:
    """The same, with a description."""
    return {**schema, "description": description}


def record(fields: Mapping[str, Json], *, optional: Iterable[str] = (), about: str = "") -> Json:
    """An object that has all of these fields except the optional ones."""
    found: Json = {"type": "object", "properties": dict(fields)}
    required = [name for name in fields if name not in frozenset(optional)]
    if required:
        found["required"] = required
    return described(found, about) if about else found
