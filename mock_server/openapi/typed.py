"""Every schema says its type: what it follows from (words, a choice of others) is not where viewers look for it.

Scalar warns of each schema without one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mock_server.contract.notation import Json

_ANY: Final = ("array", "boolean", "null", "number", "object", "string")
_OF_VALUE: Final = {
    bool: "boolean",
    dict: "object",
    float: "number",
    int: "integer",
    list: "array",
    str: "string",
    type(None): "null",
}
_BY_NAME: Final = ("properties", "patternProperties")
_CHOICES: Final = ("anyOf", "oneOf")
_SEVERAL: Final = (*_CHOICES, "allOf", "prefixItems")
_ONE: Final = ("items", "additionalProperties", "propertyNames", "not")


def add_types(schemas: Mapping[str, Json]) -> None:
    """Gives a type to every schema of a document that has none."""
    for schema in schemas.values():
        _add(schema, schemas)


def _add(schema: Json, schemas: Mapping[str, Json]) -> None:
    for inner in _inside(schema):
        _add(inner, schemas)
    if "type" in schema or "$ref" in schema:
        return
    found = _types(schema, schemas)
    schema["type"] = [*found] if len(found) > 1 else found[0]
    if found == _ANY and not any(name in schema for name in _SEVERAL):
        schema["additionalProperties"] = True


def _inside(schema: Json) -> Iterator[Json]:
    for name in _BY_NAME:
        yield from schema.get(name, {}).values()
    for name in _SEVERAL:
        yield from schema.get(name, ())
    yield from (schema[name] for name in _ONE if isinstance(schema.get(name), dict))


def _types(schema: Json, schemas: Mapping[str, Json]) -> tuple[str, ...]:
    """The types that a schema allows; all of them where it does not say."""
    if "$ref" in schema:
        return _types(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    found = {*_said(schema)}
    for name in _CHOICES:
        for one in schema.get(name, ()):
            found.update(_types(one, schemas))
    if "number" in found:
        found.discard("integer")
    return tuple(sorted(found)) or _ANY


def _said(schema: Json) -> Iterator[str]:
    kinds = schema.get("type", ())
    yield from (kinds,) if isinstance(kinds, str) else kinds
    if not kinds:
        values: list[Any] = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())]
        yield from (_OF_VALUE[type(value)] for value in values)
