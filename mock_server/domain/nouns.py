"""The noun after a number in a sentence."""

from __future__ import annotations


def noun(count: int, one: str, more: str = "") -> str:
    """The word for so many: `event` for one, else `events`, or what is given for `more`."""
    return one if count == 1 else more or f"{one}s"
