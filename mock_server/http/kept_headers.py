"""The headers of a call as the journal keeps them: bounded, and without what opens a door."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from mock_server.domain.hiding import SHORTEST
from mock_server.http.redaction import cleaned_text

MARK: Final = "[redacted]"
"""What stands in the place of a key, a cookie and the like."""
MOST: Final = 40
LONGEST: Final = 200
"""So many headers of a call are kept, and so many characters of one (ours)."""
_SECRETS: Final = re.compile(r"key|auth|cookie|token|secret|passw|signature|session|credential")
_CODE_LENGTHS: Final = (3, 4)
_BARE: Final = frozenset({"CONTENT_TYPE", "CONTENT_LENGTH"})

_names: dict[str, tuple[str, bool]] = {}
_clean: set[str] = set()
_REMEMBERED: Final = 1_024
"""So many names and values are remembered, for clients send the same ones again and again."""


def kept_headers(environ: Mapping[str, Any]) -> dict[str, str]:
    """The headers by their names in small letters, in the order in which they came."""
    kept: dict[str, str] = {}
    for key, value in environ.items():
        name, is_secret = _names.get(key) or _named(key)
        if name:
            kept[name] = MARK if is_secret else value if value in _clean else _cleaned(key, value)
    if len(kept) > MOST:
        return dict(list(kept.items())[:MOST])
    return kept


def _named(key: str) -> tuple[str, bool]:
    """A header's name, none for what is no header; and whether its value is a secret."""
    name = cleaned_text(key.removeprefix("HTTP_").replace("_", "-").lower())[:LONGEST]
    found = (name, bool(_SECRETS.search(name))) if key.startswith("HTTP_") or key in _BARE else ("", False)
    if len(_names) < _REMEMBERED:
        _names[key] = found
    return found


def _cleaned(key: str, value: str) -> str:
    """A value without card data and keys; only what has none of them is remembered, and no number."""
    if key != "CONTENT_LENGTH" and value.isdigit() and len(value) in _CODE_LENGTHS:
        return MARK  # a security code, for all that is known
    if key == "CONTENT_LENGTH" and len(value) < SHORTEST and value.isdigit():
        return value
    kept = cleaned_text(value)
    if kept == value and not value.isdigit() and len(value) <= LONGEST and len(_clean) < _REMEMBERED:
        _clean.add(value)
    return kept[:LONGEST]
