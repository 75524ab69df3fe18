"""A body without the keys that no schema knows, for `unknown_fields=ignore` (decisions "Words on the wire")."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema
from marshmallow.fields import Field

from mock_server.contract.requests.fields import Items, Part, Variant


def pruned(schema: Schema, data: Any) -> Any:
    """The known part of an object at every depth; anything else as it is."""
    if not isinstance(data, dict):
        return data
    known = schema.load_fields
    return {key: _pruned_value(known[key], value) for key, value in data.items() if key in known}


def _pruned_value(field: Field[Any], value: Any) -> Any:
    if isinstance(field, Part | Variant):
        return pruned(field.schema_for(value), value)
    if isinstance(field, Items) and isinstance(value, list):
        return [_pruned_value(field.inner, item) for item in value]
    return value
