"""A number that is refused is shown as it was written: 1.0 is no whole number, and no message says that 1 is none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from marshmallow import ValidationError

from mock_server.scenario.schema.block import SchemaBlock, load
from mock_server.scenario.schema.top import ScenarioBlock


def blocks(block: type[SchemaBlock] = SchemaBlock) -> Iterator[type[SchemaBlock]]:
    for below in block.__subclasses__():
        yield below
        yield from blocks(below)


def texts(found: Any) -> Iterator[str]:
    for one in found.values() if isinstance(found, dict) else found if isinstance(found, list) else ():
        yield from texts(one)
    if isinstance(found, str):
        yield found


BLOCKS: Final[list[type[SchemaBlock]]] = sorted({ScenarioBlock, *blocks()}, key=lambda one: one.what)


@pytest.mark.parametrize("number", [1.0, 0.0, -2.0, 1e20])
@pytest.mark.parametrize("block", BLOCKS, ids=lambda one: one.__name__)
def test_a_decimal_is_shown_with_its_point(block: type[SchemaBlock], number: float) -> None:
    for key in [*block.keys()]:
        try:
            load(block, {key: number})
        except ValidationError as wrong:
            for text in texts(wrong.messages):
                assert not re.search(r"not -?\d+(;|$)", text), (key, text)
