"""Durations: `250ms`, `30s`, `15m`, `24h`, `30d`, for settings, control calls and scenarios."""

from __future__ import annotations

import re
from typing import Final

_MS_OF: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_UNIT: Final = "|".join(_MS_OF)
_DURATION: Final = re.compile(rf"(\d{{1,99}}(?:\.\d{{1,99}})?)\s*({_UNIT})?", re.ASCII)
SPELLED_OUT: Final = rf"[0-9]{{1,12}}(\.[0-9]{{1,3}})?({_UNIT})"
"""The form in scenarios: with a unit, without blanks, of limited length."""
LONGEST_MS: Final = 3_650 * _MS_OF["d"]


def duration_ms(text: str) -> int:
    """A duration, or a bare number of seconds, in milliseconds (scenarios "An outcome"). Raises ValueError."""
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return round(float(found[1]) * _MS_OF[found[2] or "s"])


def spelled_out_ms(text: str) -> int:
    """A duration of a scenario in milliseconds. Raises ValueError with what is wrong, which follows the text."""
    if re.fullmatch(SPELLED_OUT, text, re.ASCII) is None:
        if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text, re.ASCII):
            raise ValueError(f"has no unit; write {text}s or {text}ms")
        raise ValueError("is not a duration such as 250ms, 30s, 15m, 24h or 30d")
    ms = duration_ms(text)
    if ms > LONGEST_MS:
        raise ValueError("is more than 3650d")
    return ms


def show_duration(ms: int) -> str:
    """Milliseconds in the largest unit that gives a whole number."""
    for unit in ("d", "h", "m", "s"):
        if ms and ms % _MS_OF[unit] == 0:
            return f"{ms // _MS_OF[unit]}{unit}"
    return f"{ms}ms" if ms else "0"
