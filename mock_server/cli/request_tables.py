"""What the calls of the control API take, as rows of text for the docs: read from the schemas that check it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from mock_server.cli.tables import Table

if TYPE_CHECKING:
    from marshmallow.fields import Field

MANY: Final = 12
"""More words than these are not listed: they stand in a table of their own, or the error lists them."""


def control_requests() -> Table:
    """Return the fields of bodies and queries of the control API, call by call."""
    from mock_server.control.operations import CONTROL_OPERATIONS

    rows = (row for operation in CONTROL_OPERATIONS for row in _fields(operation.name, operation.takes))
    return Table(("operation", "field", "in", "required", "meaning", "example"), tuple(rows))


def _fields(operation: str, shapes: tuple[Any, Any]) -> Iterator[tuple[str, ...]]:
    from mock_server.dialects.interface import INTERFACE

    for place, shape in zip(("body", "query"), shapes, strict=True):
        for name, field in shape.of(INTERFACE).schema.fields.items() if shape else ():
            required = "yes" if field.required else ""
            yield operation, name, place, required, _meaning(field), _example(field)


def _meaning(field: Field[Any]) -> str:
    words = _words(field)
    said = str(field.metadata.get("description", ""))
    return f"{said} One of {', '.join(words)}." if words and len(words) <= MANY else said


def _words(field: Field[Any]) -> tuple[str, ...]:
    from marshmallow.validate import OneOf

    return tuple(str(word) for rule in field.validators if isinstance(rule, OneOf) for word in rule.choices)


def _example(field: Field[Any]) -> str:
    from mock_server import jsontext

    example = field.metadata.get("example")
    return "" if example is None else jsontext.dump(example).decode()
