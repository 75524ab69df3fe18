"""A JSON Schema in words: its type, and the rules that its values keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mock_server.contract.notation import NULL, Json

Link = Callable[[str], str]
FEW: Final = 12
"""More words than these are counted, not listed."""
_FORMATS: Final = {
    "date-time": "instant",
    "email": "e-mail address",
    "uri": "URL",
    "binary": "file",
}


def without_null(schema: Json) -> tuple[Json, bool]:
    """The schema of what is not null, and whether null may stand there too."""
    kinds = schema.get("type")
    if isinstance(kinds, list) and "null" in kinds:
        rest = [kind for kind in kinds if kind != "null"]
        words = {"enum": [word for word in schema["enum"] if word is not None]} if "enum" in schema else {}
        return {**schema, **words, "type": rest[0] if len(rest) == 1 else rest}, True
    if NULL in schema.get("anyOf", ()):
        rest = [one for one in schema["anyOf"] if one != NULL]
        others = {key: value for key, value in schema.items() if key != "anyOf"}
        return ({**others, **rest[0]} if len(rest) == 1 else {**others, "anyOf": rest}), True
    return schema, False


def type_of(schema: Json, link: Link, *, whole: bool = False) -> str:
    """What a value is; `whole` lists all its words, however many."""
    if "$ref" in schema:
        return link(str(schema["$ref"]).rpartition("/")[2])
    for several, between in (("anyOf", " or "), ("oneOf", " or "), ("allOf", " with ")):
        if several in schema:
            told = [type_of(one, link) for one in schema[several]]
            return between.join(part for part in dict.fromkeys(told) if part not in ("", "object"))
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return _words(schema["enum"], whole=whole)
    if schema.get("type") == "array":
        return f"array of {type_of(schema.get('items', {}), link) or 'anything'}"
    kind = _FORMATS.get(schema.get("format", "")) or schema.get("type", "")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _words(words: list[object], *, whole: bool) -> str:
    shown = [f"`{word}`" for word in words if word is not None]
    if len(shown) <= FEW or whole:
        return ", ".join(shown)
    return f"one of {len(shown)} words, such as {', '.join(shown[:3])}"


def rules_of(schema: Json) -> str:
    """Length, range and form, in a sentence each."""
    inner = schema["items"] if schema.get("type") == "array" and isinstance(schema.get("items"), dict) else {}
    found = [*_bounds(schema), *_bounds(inner)]
    return f"({'; '.join(found)})" if found else ""


def _bounds(schema: Json) -> list[str]:
    found = []
    if "minimum" in schema or "maximum" in schema:
        least, most = schema.get("minimum"), schema.get("maximum")
        found.append(
            f"at least {least}" if most is None else f"{least} to {most}" if least is not None else f"at most {most}"
        )
    if "maxLength" in schema:
        found.append(f"at most {schema['maxLength']} characters")
    if "maxProperties" in schema:
        found.append(f"at most {schema['maxProperties']} pairs")
    if "pattern" in schema and "enum" not in schema:
        found.append(f"`{schema['pattern']}`")
    return found
