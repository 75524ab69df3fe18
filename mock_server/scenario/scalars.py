"""What a bare word is in the core schema of YAML 1.2: only these are no text (scenario language, first page)."""

from __future__ import annotations

import math
import re
from typing import Final

_WORDS: Final[dict[str, object]] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,60}", re.ASCII)
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_STARTS: Final = frozenset("-+.0123456789")


def resolve(text: str) -> object:
    """The value of a scalar without quotes; `on`, `no`, `1:30` and dates stay text."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _STARTS or len(text) > 60:
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text
