"""Answers of the control API that people read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Why(dict[str, Any]):
    """Why a payment stands where it stands; as text one line a reason."""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self['payment_id']} is {self['status']}: {self['headline']}"
        for one in self["decisions"]:
            yield f"  {one['operation']}: {one['text']}"
            yield from (f"    not {near['rule']}: {near['failed']}" for near in one["near_misses"])
        if self["failure"]:
            yield f"  reason: {self['failure']['decline']}"
        if self["waits_for"]:
            yield f"  waits for: {self['waits_for']['kind']}"
        yield from (f"  due {due['at']}: {due['what']}" for due in self["due"])
