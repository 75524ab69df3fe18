"""What is the same in many places of the document gets a name, and every schema gets a type.

The type often follows from the rest of a schema (words, a choice of others), but Scalar warns about each schema without
one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from mock_server import jsontext
from mock_server.contract.notation import Json, maybe, ref
from mock_server.domain.countries import COUNTRIES
from mock_server.domain.money import CURRENCIES

_NAMED: Final[Mapping[str, tuple[str, ...]]] = {
    "Currency": tuple(row.code for row in CURRENCIES),
    "Country": tuple(sorted(COUNTRIES)),
}
_OR_NULL: Final = "OrNull"
_ABOUT: Final = {"Currency": "A three-letter ISO 4217 code.", "Country": "A two-letter ISO 3166 code."}


def tidied(whole: Json) -> Json:
    """The document with names for long lists of words, and for responses that several routes share."""
    found: Json = _with_names(whole)
    schemas = found["components"]["schemas"]
    for name, listed in _NAMED.items():
        schemas[name] = {"type": "string", "enum": [*listed], "description": _ABOUT[name]}
        schemas[name + _OR_NULL] = maybe(schemas[name])
    add_types(schemas)
    found["components"]["schemas"] = {name: schemas[name] for name in sorted(schemas)}
    found["components"]["responses"] = _shared_responses(found["paths"])
    _drop_unused_examples(found)
    return found


def _drop_unused_examples(found: Json) -> None:
    """Drops the refusals of no route: those of unknown paths and of customer pages."""
    text = jsontext.dump({"paths": found["paths"], "responses": found["components"]["responses"]})
    kept = found["components"]["examples"]
    found["components"]["examples"] = {
        name: body for name, body in kept.items() if f'"#/components/examples/{name}"'.encode() in text
    }


def _with_names(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_names(inner) for inner in value]
    if not isinstance(value, dict):
        return _plain(value)
    named = _name_of(value)
    return named if named is not None else {key: _with_names(inner) for key, inner in value.items()}


def _plain(value: Any) -> Any:
    """A limit or a word as a plain JSON value."""
    return next(
        (kind(value) for kind in (int, str) if isinstance(value, kind) and type(value) not in (kind, bool)), value
    )


def _name_of(schema: Json) -> Json | None:
    """A list of words that has a name, as a reference with the schema's other keys."""
    listed = schema.get("enum")
    if not isinstance(listed, list) or len(listed) < 100:
        return None
    plain = tuple(word for word in listed if word is not None)
    name = next((name for name, words in _NAMED.items() if set(words) == set(plain)), None)
    if name is None:
        return None
    rest = {key: value for key, value in schema.items() if key not in ("type", "enum")}
    return rest | ref(name + _OR_NULL if None in listed else name)


def _shared_responses(paths: Json) -> Json:
    """Names the error responses that several operations share, and replaces them with references."""
    places = [
        (responses, status)
        for item in paths.values()
        for operation in item.values()
        if isinstance(operation, dict)
        for responses in [operation["responses"]]
        for status in responses
        if status != "200"
    ]
    times = Counter(jsontext.canonical(responses[status]) for responses, status in places)
    names: dict[str, str] = {}
    found: Json = {}
    for responses, status in places:
        text = jsontext.canonical(responses[status])
        if times[text] > 1:
            if text not in names:
                same = sum(name.startswith(f"Error{status}") for name in found)
                names[text] = f"Error{status}v{same + 1}" if same else f"Error{status}"
                found[names[text]] = responses[status]
            responses[status] = {"$ref": f"#/components/responses/{names[text]}"}
    return found


# types

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
