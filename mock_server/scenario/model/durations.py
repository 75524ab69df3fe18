"""Durations of the language: `250ms`, `30s`, `15m`, `24h`, `30d` (scenario language, "An outcome")."""

from __future__ import annotations

import re
from typing import Final

from mock_server.domain.instants import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS

UNITS_MS: Final = {"ms": 1, "s": SECOND_MS, "m": MINUTE_MS, "h": HOUR_MS, "d": DAY_MS}
LONGEST_MS: Final = 3_650 * DAY_MS
PATTERN: Final = r"[0-9]{1,12}(\.[0-9]{1,3})?(ms|s|m|h|d)"
_DURATION: Final = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,3})?)(ms|s|m|h|d)", re.ASCII)
_NUMBER: Final = re.compile(r"[0-9]+(\.[0-9]+)?", re.ASCII)


def duration_ms(text: str) -> int:
    """Milliseconds. ValueError says what is wrong, to be read after the text."""
    found = _DURATION.fullmatch(text)
    if found is None:
        if _NUMBER.fullmatch(text):
            raise ValueError(f"has no unit; write {text}s or {text}ms")
        raise ValueError("is no duration such as 250ms, 30s, 15m, 24h or 30d")
    ms = round(float(found[1]) * UNITS_MS[found[2]])
    if ms > LONGEST_MS:
        raise ValueError("is over 3650d")
    return ms
