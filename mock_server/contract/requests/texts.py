"""Loaded values as the JSON text that they are kept in."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from mock_server.domain.commands import JsonText
from mock_server.jsontext import canonical

_encode: Final = msgspec.json.Encoder().encode


def known_text(value: Any) -> JsonText:
    """JSON text of a value that is already as JavaScript writes it: text, integers, flags, under known names."""
    return _encode(value).decode()


def metadata_text(pairs: dict[str, Any]) -> JsonText:
    """The pairs as JSON text, in JavaScript's form; texts under plain names, the usual case, are so already."""
    for key, value in pairs.items():
        if type(value) is not str or key[:1].isdigit():
            return canonical(pairs)
    return known_text(pairs)
