"""Every field of the public API's requests is taken here (decisions "Words on the wire")."""

from __future__ import annotations

import pytest
from marshmallow import Schema

from mock_server.contract.operation import PerDialect
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.interface import INTERFACE
from tests.contract.requests.public_names import PUBLIC, QUERIES

SHAPES = {name: row.takes for name, row in BY_NAME.items()}


def schema_of(operation: str, place: int) -> Schema:
    shape = SHAPES[operation][place]
    found = shape.of(INTERFACE) if isinstance(shape, PerDialect) else shape
    schema: Schema = found.schema  # type: ignore[union-attr]  # every shape has one
    return schema


@pytest.mark.parametrize("operation", PUBLIC)
def test_every_public_field_is_taken(operation: str) -> None:
    assert set(PUBLIC[operation].split()) <= set(schema_of(operation, 0).load_fields)


@pytest.mark.parametrize("operation", QUERIES)
def test_every_public_parameter_is_taken(operation: str) -> None:
    assert set(QUERIES[operation].split()) <= set(schema_of(operation, 1).load_fields)
