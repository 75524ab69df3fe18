"""What the deciders need of a store, in a few lines: counters and facts behind one lock."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterable, Mapping
from typing import Any


class Memory:
    """One workspace's counters and facts. `atomic` is what a store's transaction gives."""

    def __init__(self) -> None:
        self.counters: dict[str, int] = {}
        self.kept: dict[str, Any] = {}
        self.atomic = threading.RLock()
        self.held: dict[str, list[object]] = {}

    def counter(self, name: str) -> int:
        return self.counters.get(name, 0)

    def add(self, name: str, by: int = 1) -> int:
        self.counters[name] = self.counters.get(name, 0) + by
        return self.counters[name]

    def fact(self, name: str) -> Any:
        return copy.deepcopy(self.kept.get(name))

    def set_fact(self, name: str, value: Any) -> None:
        if value is None:
            self.kept.pop(name, None)
        else:
            self.kept[name] = copy.deepcopy(value)

    def facts(self, prefix: str) -> Mapping[str, Any]:
        return {name: value for name, value in self.kept.items() if name.startswith(prefix)}

    def records(self, kind: str) -> Iterable[object]:
        return self.held.get(kind, [])
