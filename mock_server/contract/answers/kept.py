"""Answers lately written, kept as bytes with the record that they show: a record is frozen, and so are its bytes."""

from __future__ import annotations

from typing import Final

from mock_server.contract.dialect import Dialect

MOST: Final = 256
"""Answers of one generation; two are kept (ours: a client polls few payments at a time)."""


class Kept:
    """The bytes of records, found by the record itself; a record that changed is another one.

    Two generations as in `store/table.py`. Threads may use it together: at worst an answer is written twice.
    """

    __slots__ = ("_old", "_young")

    def __init__(self) -> None:
        self._young: dict[int, tuple[object, Dialect, bytes]] = {}
        self._old: dict[int, tuple[object, Dialect, bytes]] = {}

    def get(self, record: object, dialect: Dialect) -> bytes | None:
        """The bytes of this very record in a dialect, or None."""
        place = id(record)
        kept = self._young.get(place) or self._old.get(place)
        return kept[2] if kept is not None and kept[0] is record and kept[1] is dialect else None

    def put(self, record: object, dialect: Dialect, text: bytes) -> None:
        """Keeps the bytes; the record is held too, so that no other can have its place."""
        if len(self._young) >= MOST:
            self._old, self._young = self._young, {}
        self._young[id(record)] = (record, dialect, text)
