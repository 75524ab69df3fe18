"""Scenarios that were read lately, kept ready: as many as a bound on their texts allows."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final, Generic, TypeVar

T = TypeVar("T")
Read = Callable[[str, str, str, int], T]

TEXT: Final = 1 << 20
"""So many signs of text in all; what is read of it takes about fifty times as much memory."""


class Ready(Generic[T]):
    """What was read of (name, text, form, revision), the one used longest ago going first; the last stays."""

    def __init__(self, read: Read[T], most: int = TEXT) -> None:
        self._read = read
        self._most = most
        self._held: OrderedDict[tuple[str, str, str, int], T] = OrderedDict()
        self._weight = 0
        self.read_so_far = 0
        self._lock = Lock()

    def __call__(self, name: str, text: str, form: str, revision: int) -> T:
        key = (name, text, form, revision)
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        self.read_so_far += not revision
        found = self._read(name, text, form, revision)
        with self._lock:
            if key not in self._held:
                self._held[key] = found
                self._weight += len(text)
            while self._weight > self._most and len(self._held) > 1:
                gone, _ = self._held.popitem(last=False)
                self._weight -= len(gone[1])
        return found
