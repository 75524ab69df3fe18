"""What is different between two JSON values, place by place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

MOST: Final = 300
"""So many differences are shown (ours)."""
LONGEST: Final = 2_000


class Difference(NamedTuple):
    """One place: what stood there, and what stands there now; None where there is nothing."""

    place: str
    old: str | None
    new: str | None


class Differences(NamedTuple):
    """Every place that differs, and how many are the same."""

    rows: tuple[Difference, ...]
    same: int


_NOTHING: Final = object()


def differences(old: Any, new: Any) -> Differences:
    """The places that differ, in the order of the first value and then of the second."""
    before, after = dict(_leaves(old, "")), dict(_leaves(new, ""))
    rows = [
        Difference(place, _text(before.get(place, _NOTHING)), _text(after.get(place, _NOTHING)))
        for place in {**before, **after}
        if before.get(place, _NOTHING) != after.get(place, _NOTHING)
    ]
    same = sum(1 for place, value in before.items() if place in after and after[place] == value)
    return Differences(tuple(rows[:MOST]), same)


def _leaves(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict | list) and value:
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for name, inner in pairs:
            yield from _leaves(inner, f"{place}.{name}" if place else str(name))
    else:
        yield place or "(all)", value


def _text(value: Any) -> str | None:
    return None if value is _NOTHING else json.dumps(value, ensure_ascii=False)[:LONGEST]
