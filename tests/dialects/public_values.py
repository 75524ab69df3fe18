"""Values of the types in the public API's tables: good ones of each kind, and bodies with one at any place of a schema.

The types are those of what it takes (public_requests.txt) and of what it answers (public_api.txt).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.dialects.public import read, table

ROUTES, _OWN = read(Path(__file__).with_name("public_requests.txt"))
SCHEMAS: Final = {**table()[1], **_OWN}
Place = tuple[str | int, ...]
"""The way to a member: names, `[]` for an item, and the number of a variant."""

TEXTS: Final = {
    "email": "jane.doe@example.com", "url": "https://shop.example.com/", "ip_address": "203.0.113.7",
    "number": "4242424242424242", "exp_month": "03", "exp_year": "2035", "expiry_month": "03", "expiry_year": "2035",
    "cvc": "737", "card_network": "Visa", "bank_type": "checking", "data": "424242",
}  # fmt: skip
"""Texts by a part of their name, where not any text is good."""
LEAST: Final = {"max_auto_retries_enabled": 3, "session_expiry": 900, "limit": 20}
LATER: Final = ("2027-01-15T10:00:00Z", "2027-01-16T10:00:00Z")
OTHERS: Final[dict[str, tuple[Any, ...]]] = {
    "True": (False,), "1.5": (2,), "100": (0, 7), "ab": ("ba",), LATER[0]: (LATER[1],),
    "{'a': 'b'}": ({}, {"b": [None]}),
    "jane.doe@example.com": ("john.doe@example.com",), "https://shop.example.com/": ("https://example.com/",),
}  # fmt: skip
"""Further values of the kind of a good one."""
LONGEST: Final = 60
"""Words of a list that are tried; the others are test_public_choices.py's."""


def plain(schema: Any) -> Any:
    while "$ref" in schema:
        schema = SCHEMAS[schema["$ref"].rpartition("/")[2]]
    return schema


def together(schema: Any) -> list[Any]:
    """What an `allOf` is made of."""
    nothing = {"type": "object"}  # beside a part that may be null (public.flat)
    return [one["anyOf"][0] if nothing in one.get("anyOf", ()) else one for one in plain(schema).get("allOf", ())]


def variants(schema: Any) -> list[Any]:
    """The types of which a value can be one."""
    either = (plain(one).get("anyOf") for one in together(schema))
    return next(filter(None, either), plain(schema).get("anyOf", []))


def parts(schema: Any) -> tuple[dict[str, Any], frozenset[str]]:
    """The members of an object, and those that it must have."""
    schema = plain(schema)
    found, needed = dict(schema.get("properties", {})), frozenset(schema.get("required", ()))
    for one in together(schema):
        more, must = parts(one)
        found, needed = found | more, needed | must
    return found, needed


def value(schema: Any, name: str = "", *, whole: bool = False, depth: int = 0) -> Any:
    """A good value: with what it must have alone, or the `whole`."""
    schema = plain(schema)
    members, needed = parts(schema)
    if "anyOf" in schema:
        return value(schema["anyOf"][0], name, whole=whole, depth=depth)
    if members:
        names = members if whole and depth < 5 else [one for one in members if one in needed]
        return {one: value(members[one], one, whole=whole, depth=depth + 1) for one in names}
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "array":
        return [value(schema["items"], name, whole=whole, depth=depth + 1)]
    if kind == "string" and "format" in schema:
        return LATER[0]
    if kind == "string":
        return next((text for word, text in TEXTS.items() if word in name), "ab")
    if kind == "object" and isinstance(schema["additionalProperties"], dict):
        return {"ab": value(schema["additionalProperties"], depth=depth + 1)}
    return {"boolean": True, "integer": LEAST.get(name, 100), "number": 1.5, "object": {"a": "b"}}.get(kind or "", "ab")


def kinds(schema: Any, name: str) -> Iterator[Any]:
    """A good value of each kind that a member can have."""
    schema = plain(schema)
    if "anyOf" in schema:
        for one in schema["anyOf"]:
            yield from [None] if one.get("type") == "null" else kinds(one, name)
    elif "enum" in schema:
        yield from schema["enum"][:LONGEST]
    elif parts(schema)[0]:
        yield from (value(schema, name), value(schema, name, whole=True))
    elif schema.get("type") == "array":
        yield from ([], *([one] for one in kinds(schema["items"], name)))
    else:
        good = value(schema, name)
        yield from (good, *OTHERS.get(str(good), ()))


def places(schema: Any, way: Place = (), seen: frozenset[str] = frozenset()) -> Iterator[tuple[Place, Any]]:
    """Every member of a schema, at any depth."""
    if (name := schema.get("$ref", "")) in seen:
        return
    seen, schema = seen | {name} - {""}, plain(schema)
    for number, one in enumerate(variants(schema)):
        yield from places(one, (*way, number), seen)
    if "items" in schema:
        yield from places(schema["items"], (*way, "[]"), seen)
    for key, member in parts(schema)[0].items():
        yield (*way, key), member
        yield from places(member, (*way, key), seen)


def with_value(schema: Any, way: Place, good: Any, base: Any = None) -> Any:
    """A body with a value at a place, and beside it what must be there."""
    if not way:
        return good
    schema, (first, *rest) = plain(schema), way
    if isinstance(first, int):
        return with_value(variants(schema)[first], tuple(rest), good, base)
    if first == "[]":
        return [with_value(schema["items"], tuple(rest), good)]
    around = value(schema) if base is None else base
    return {
        **(around if isinstance(around, dict) else {}),
        first: with_value(parts(schema)[0][first], tuple(rest), good),
    }
