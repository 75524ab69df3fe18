"""Every schema is in a form that generators of clients can read: each law here is one that some generator failed at.

openapi-generator loops where a choice has a list of types with an array in it, stops at an answer that is only null,
and takes an integer without a format for one of 32 bits; openapi-python-client leaves out every operation with an array
without `items`; TypeScript has no record whose named fields are of another type than the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import pytest

from tests.openapi.agreeing import SPOKEN, plain

Schema = Mapping[str, Any]
BY_NAME: Final = ("properties", "patternProperties", "$defs")
SEVERAL: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
ONE: Final = ("items", "additionalProperties", "propertyNames", "not")
VALUES: Final = ("enum", "const")
OF_VALUE: Final = {
    bool: "boolean",
    dict: "object",
    float: "number",
    int: "integer",
    list: "array",
    str: "string",
    type(None): "null",
}


def inside(schema: Schema, place: str) -> Iterator[tuple[str, Schema]]:
    """A schema and every schema inside it, each with its place."""
    yield place, schema
    for name in BY_NAME:
        for key, inner in schema.get(name, {}).items():
            yield from inside(inner, f"{place}.{key}")
    for name in SEVERAL:
        for number, inner in enumerate(schema.get(name, ())):
            yield from inside(inner, f"{place}/{name}{number}")
    for name in ONE:
        if isinstance(schema.get(name), dict):
            yield from inside(schema[name], f"{place}/{name}")


def schemas(value: Any, place: str = "") -> Iterator[tuple[str, Schema]]:
    """Every schema of a document: the named ones, and those of parameters, bodies, answers and headers."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if key == "schema":
            yield from inside(inner, place)
        elif place == "/components" and key == "schemas":
            for name, schema in inner.items():
                yield from inside(schema, name)
        elif isinstance(inner, dict | list) and key not in ("examples", "example"):
            yield from schemas(inner, f"{place}/{key}")


def types(schema: Schema) -> frozenset[str]:
    said = schema.get("type", ())
    return frozenset((said,) if isinstance(said, str) else said)


def arrays_have_items(schema: Schema) -> bool:
    return "array" not in types(schema) or "items" in schema


def only_objects_have_properties(schema: Schema) -> bool:
    return "object" in types(schema) or not {"properties", "additionalProperties", "required"} & schema.keys()


def only_null_is_beside_an_array_or_object(schema: Schema) -> bool:
    return not {"array", "object"} & types(schema) or len(types(schema) - {"null"}) == 1


def a_choice_has_no_type_of_its_own(schema: Schema) -> bool:
    return len({"type", "$ref", "anyOf", "oneOf", "allOf"} & schema.keys()) <= 1


def values_have_a_type(schema: Schema) -> bool:
    values = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())]
    return {OF_VALUE[type(value)] for value in values} <= types(schema)


def what_says_something_says_its_type(schema: Schema) -> bool:
    said = schema.keys() - {"description", "default", "examples", "x-source"}
    return not said or bool({"type", "$ref", "anyOf", "oneOf", "allOf", "maxLength"} & said)


def named_fields_and_others_are_not_of_two_types(schema: Schema) -> bool:
    return "properties" not in schema or isinstance(schema.get("additionalProperties", True), bool)


def integers_are_not_cut_to_32_bits(schema: Schema) -> bool:
    is_small = "const" in schema or schema.get("maximum", 2**53) < 2**31
    return types(schema) - {"null"} != {"integer"} or is_small or schema.get("format") == "int64"


LAWS: Final[tuple[Callable[[Schema], bool], ...]] = (
    arrays_have_items,
    only_objects_have_properties,
    only_null_is_beside_an_array_or_object,
    a_choice_has_no_type_of_its_own,
    values_have_a_type,
    what_says_something_says_its_type,
    named_fields_and_others_are_not_of_two_types,
    integers_are_not_cut_to_32_bits,
)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("dialect", sorted(SPOKEN))
def test_every_schema_keeps(dialect: str, law: Callable[[Schema], bool]) -> None:
    every = list(schemas(plain(dialect)))
    assert len(every) > 5000
    assert [place for place, schema in every if not law(schema)] == []


@pytest.mark.parametrize("dialect", sorted(SPOKEN))
def test_a_form_does_not_say_that_it_may_have_other_fields(dialect: str) -> None:
    """Where nothing is said it may; openapi-generator reports an error where it is."""
    items = plain(dialect)["paths"].values()
    operations = [found for item in items for name, found in item.items() if name != "parameters"]
    contents = [found.get("requestBody", {}).get("content", {}) for found in operations]
    forms = [content["multipart/form-data"]["schema"] for content in contents if "multipart/form-data" in content]
    assert len(forms) > 1
    assert not [form for form in forms if form.get("additionalProperties")]
