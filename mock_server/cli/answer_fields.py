"""Compares the results that a story expects with the answers in the OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from mock_server.contract.operations import OPERATIONS
from mock_server.dialects.interface import INTERFACE
from mock_server.openapi.document import document
from mock_server.scenario.conditions.when import OPERATORS, show
from mock_server.scenario.model.mistakes import Mistake, nearest
from mock_server.scenario.model.scenario import Scenario
from mock_server.scenario.story.requests import CONTROL, SEEN, STEPS

Json = Mapping[str, Any]
KINDS: Final[Mapping[str, Any]] = {"string": str, "integer": int, "number": int | float, "array": list}
COMPARING: Final = frozenset({"eq", "in"})
_PART: Final = re.compile(r"<[a-z_]+>|\{[a-z_]+\}")


def mistakes(scenario: Scenario) -> Iterator[Mistake]:
    """Fields that no answer of a step can have, and values of the wrong type."""
    route: str | None = None
    for step in scenario.story:
        row = next((row for row in OPERATIONS if row.name == step.do), None)
        if step.do in STEPS:
            route = f"POST {CONTROL}{STEPS[str(step.do)].path}"
        elif row is not None:
            route = f"{row.method} {row.path}"
        for key, expected in step.see.items():
            if step.do is not None and route is not None and (message := _wrong(key, expected, route)):
                place = step.place
                yield Mistake(scenario.file, place.line, place.column, f"step {step.number} of the story: {message}")


def _wrong(key: str, expected: object, route: str) -> str | None:
    if key in SEEN or key.split(".")[0] == "error":
        return None
    found: Sequence[Json] = _whole(_answers().get(_PART.sub("<>", route), {}))
    for step in key.split("."):
        names = {name for one in found for name in one.get("properties", {})}
        is_open = not found or any("properties" not in one and "items" not in one for one in found)
        below = [below for one in found for below in _below(one, step)]
        if not below:
            return None if is_open else f"answers of this call have no {key}{nearest(step, names)}"
        found = below
    return _never(key, expected, found)


def _below(one: Json, step: str) -> Sequence[Json]:
    if step.isdecimal() and "items" in one:
        return _whole(one["items"])
    below = one.get("properties", {}).get(step)
    return () if below is None else _whole(below)


def _never(key: str, expected: object, found: Sequence[Json]) -> str | None:
    """The problem of a plain value that a field can never have."""
    sorts = {sort for one in found for sort in _sorts(one)} - {"null"}
    words = [str(word) for one in found for word in one.get("enum", ())]
    is_listed = all("enum" in one for one in found if _sorts(one) != ["null"])
    for value in _compared(expected):
        if isinstance(value, bool):
            fits = not sorts.isdisjoint({"boolean", "any"})
        else:
            fits = any(isinstance(value, KINDS.get(sort, object)) for sort in sorts)
        if not fits:
            return f"{key} can never be {show(value)}: its type is {' or '.join(sorted(sorts))}"
        if is_listed and value not in words:
            return f"{key} can never be {show(value)}{nearest(str(value), words)}"
    return None


def _sorts(one: Json) -> list[str]:
    sort = one.get("type", "any")
    return [sort] if isinstance(sort, str) else list(sort)


def _compared(expected: object) -> Iterator[object]:
    """The plain values that a field is compared with, without references and null, which fit any type."""
    if isinstance(expected, Mapping):
        if expected.keys() <= OPERATORS.keys():
            for name in expected.keys() & COMPARING:
                yield from _compared(expected[name])
    elif isinstance(expected, list):
        for one in expected:
            yield from _compared(one)
    elif expected is not None and not (isinstance(expected, str) and expected.startswith("$")):
        yield expected


def _whole(schema: Json) -> list[Json]:
    """A schema's alternatives and parts, with references resolved."""
    if "$ref" in schema:
        return _whole(_document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    parts = [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())]
    own = [schema] if schema.keys() - {"anyOf", "oneOf", "allOf", "description", "title"} else []
    return [*own, *(whole for part in parts for whole in _whole(part))]


@cache
def _document() -> Json:
    return document(INTERFACE)


@cache
def _answers() -> Mapping[str, Json]:
    """The schema of each route's successful answer, by method and path without the names of its parts."""
    return {
        _PART.sub("<>", f"{method.upper()} {path}"): content["application/json"]["schema"]
        for path, methods in _document()["paths"].items()
        for method, row in methods.items()
        if isinstance(row, dict)
        and "application/json" in (content := row.get("responses", {}).get("200", {}).get("content", {}))
    }
