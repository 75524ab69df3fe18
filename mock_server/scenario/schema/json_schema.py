"""The language as a JSON Schema, for editors and for `GET /_sandbox/scenarios/schema`: made from the grammar itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from mock_server.contract.kinds.base import Json
from mock_server.scenario.schema.block import SchemaBlock
from mock_server.scenario.schema.top import ScenarioBlock

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
TITLE: Final = "A scenario of payment-sandbox"


def json_schema() -> Json:
    """The whole language, with every block under `$defs`."""
    blocks = {block.__name__: block for block in _blocks(SchemaBlock)}
    top = blocks.pop(ScenarioBlock.__name__).json()
    used = _used(top, blocks)
    return {"$schema": DRAFT, "title": TITLE, **top, "$defs": {name: used[name] for name in sorted(used)}}


def _blocks(block: type[SchemaBlock]) -> Iterator[type[SchemaBlock]]:
    for below in block.__subclasses__():
        yield below
        yield from _blocks(below)


def _used(json: Json, blocks: dict[str, type[SchemaBlock]]) -> dict[str, Json]:
    """The blocks that a schema leads to, near or far."""
    used: dict[str, Json] = {}
    todo = [json]
    while todo:
        for name in _references(todo.pop()):
            if name not in used:
                used[name] = blocks[name].json()
                todo.append(used[name])
    return used


def _references(json: Any) -> Iterator[str]:
    if isinstance(json, dict):
        if "$ref" in json:
            yield str(json["$ref"]).rpartition("/")[2]
        for value in json.values():
            yield from _references(value)
    elif isinstance(json, list):
        for value in json:
            yield from _references(value)
