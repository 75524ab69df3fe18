"""Recently used values: a cache without an order to keep up, and one that keeps no long texts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import _lru_cache_wrapper
from typing import Final, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")
LONGEST_KEPT: Final = 1_000
"""How many characters of a client's text a cache of a function keeps at most (ours)."""


def of_short(cached: _lru_cache_wrapper[V], size: int) -> Callable[..., V]:
    """A function with its cache, which has no limit in bytes, or without it for texts of more than a short size."""
    return cached if size <= LONGEST_KEPT else cached.__wrapped__


class Recent(Generic[K, V]):
    """Values by key, in two generations: a full young one becomes the old one, and the old one is dropped.

    That can lose a value but never bring back an older one, whatever other threads do: a write goes to a generation
    that is young, old or dropped. A large limit has all clients wait while a generation is freed: 1 µs for each value.
    """

    __slots__ = ("_old", "_turning", "half", "young")

    def __init__(self, limit: int) -> None:
        self.half = max(1, limit // 2)
        """How many the young generation has, until it becomes the old one."""
        self.young: dict[K, V] = {}
        self._old: dict[K, V] = {}
        self._turning = threading.Lock()

    def get(self, key: K) -> V | None:
        """The value, or None."""
        value = self.young.get(key)
        if value is None:
            value = self._old.get(key)
            if value is not None:
                self.put(key, value)
        return value

    def put(self, key: K, value: V) -> None:
        self.young[key] = value
        if len(self.young) > self.half:
            self.turn()

    def turn(self) -> None:
        """Makes a full young generation the old one."""
        with self._turning:
            if len(self.young) > self.half:
                self._old, self.young = self.young, {}

    def drop(self, key: K) -> None:
        self.young.pop(key, None)
        self._old.pop(key, None)

    def forget(self, is_gone: Callable[[K], bool]) -> None:
        """Drops the values of some keys."""
        for generation in (self.young, self._old):
            for key in filter(is_gone, generation.copy()):
                generation.pop(key, None)
