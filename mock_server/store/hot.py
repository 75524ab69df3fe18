"""Records lately used, decoded: one bounded store of them for all spaces of a server."""

from __future__ import annotations

import threading
from typing import Any

Place = tuple[int, str]
"""A table's serial number and a key."""


class Hot:
    """Two generations of records; a full young one becomes the old one, whose rest is let go.

    Every table is used under its space's lock alone. Between tables only the change of generations is shared, and it
    can lose a record but never bring back an older one: a write lands in a generation that is young, old or gone.
    """

    __slots__ = ("_half", "_old", "_turn", "_young")

    def __init__(self, limit: int) -> None:
        self._half = max(1, limit // 2)
        self._young: dict[Place, Any] = {}
        self._old: dict[Place, Any] = {}
        self._turn = threading.Lock()

    def get(self, place: Place) -> Any:
        """The record, or None."""
        record = self._young.get(place)
        if record is None:
            record = self._old.get(place)
            if record is not None:
                self._young[place] = record
        return record

    def put(self, place: Place, record: Any) -> None:
        young = self._young
        young[place] = record
        if len(young) > self._half:
            self._change(young)

    def drop(self, place: Place) -> None:
        self._young.pop(place, None)
        self._old.pop(place, None)

    def forget(self, serials: set[int]) -> None:
        """Lets go of the records of tables that are no more."""
        for generation in (self._young, self._old):
            for place in [place for place in generation.copy() if place[0] in serials]:
                generation.pop(place, None)

    def _change(self, young: dict[Place, Any]) -> None:
        with self._turn:
            if self._young is young:
                self._old = young
                self._young = {}
