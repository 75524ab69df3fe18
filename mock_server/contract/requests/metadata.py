"""What metadata may hold (interface §8.5, decisions "Words on the wire")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from mock_server.domain import limits
from mock_server.jsontext import canonical

_encode: Final = msgspec.json.Encoder().encode
_PAIRS: Final = int(limits.METADATA_PAIRS)
_KEY: Final = int(limits.METADATA_KEY)
_VALUE: Final = int(limits.METADATA_VALUE)


def is_fine(pairs: Mapping[str, Any]) -> bool:
    """Whether every limit is kept."""
    if len(pairs) > _PAIRS:
        return False
    for key, value in pairs.items():
        if len(key) > _KEY or (len(value) if type(value) is str else _length(value)) > _VALUE:
            return False
    return True


def text_of(pairs: dict[str, Any]) -> str:
    """The pairs as JSON text, in JavaScript's form; texts under plain names, the usual case, are so already."""
    for key, value in pairs.items():
        if type(value) is not str or key[:1].isdigit():
            return canonical(pairs)
    return _encode(pairs).decode()


def mistakes_of(pairs: Mapping[str, Any]) -> dict[str, list[str]] | list[str]:
    """What is wrong, by key; nothing if every limit is kept."""
    if len(pairs) > _PAIRS:
        return [f"must have at most {_PAIRS} pairs, not {len(pairs)}"]
    found = {key: [*_wrong_key(key), *_wrong_value(value)] for key, value in pairs.items()}
    return {key: words for key, words in found.items() if words}


def _wrong_key(key: str) -> list[str]:
    return [] if len(key) <= _KEY else [f"must have a key of at most {_KEY} characters, not {len(key)}"]


def _wrong_value(value: Any) -> list[str]:
    count = _length(value)
    return [] if count <= _VALUE else [f"must be at most {_VALUE} characters long, not {count}"]


def _length(value: Any) -> int:
    # A number or an object counts the characters of its own JSON text, a text only its own.
    return len(value) if type(value) is str else len(canonical(value))
