"""A query string as the body it stands for: every value is text there, and a list is the same name again (ours)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from marshmallow import Schema
from marshmallow.fields import Boolean, Field, Integer

from mock_server.contract.requests.fields import Choice, Instant, Items
from mock_server.domain.instants import iso, parse_query

_INTEGER: Final = re.compile(r"-?[0-9]{1,16}")
_FLAGS: Final = {"true": True, "false": False}


def as_body(schema: Schema, pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The pairs of a query under their names; what no field can read stays text and is refused by the field."""
    body: dict[str, Any] = {}
    for name, text in pairs:
        field = schema.load_fields.get(name)
        values = _values(field, text)
        if name in body or len(values) > 1:
            before = body.get(name, [])
            body[name] = [*(before if isinstance(before, list) else [before]), *values]
        else:
            body[name] = values[0]
    return body


def _values(field: Field[Any] | None, text: str) -> list[Any]:
    if isinstance(field, Items):
        # Words never hold a comma; a free text may.
        parts = text.split(",") if isinstance(field.inner, Choice) else [text]
        return [_value(field.inner, part) for part in parts]
    return [_value(field, text)]


def _value(field: Field[Any] | None, text: str) -> Any:
    if isinstance(field, Integer) and _INTEGER.fullmatch(text):
        return int(text)
    if isinstance(field, Boolean):
        return _FLAGS.get(text, text)
    if isinstance(field, Instant):
        return _instant(text)
    return text


def _instant(text: str) -> str:
    try:
        return iso(parse_query(text))
    except ValueError:
        return text
