"""Dicts that note which of their keys changed, and the log whose lines need not all last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from mock_server.store.byte_bounds import Pan
from mock_server.store.logs import Kept, Log, NumberedLine, weight

K = TypeVar("K")
V = TypeVar("V")


class Noted(dict[K, V]):
    """A dict in a state that notes which keys changed, and there by its part that any did.

    Overridden is what the store uses. What sweeps a state that is no more (`popitem`) is not noted.
    """

    __slots__ = ("changed", "part", "touched")

    def __init__(self, part: str, touched: dict[str, Noted[Any, Any]]) -> None:
        super().__init__()
        self.part = part
        self.changed: dict[K, None] = {}
        self.touched = touched

    def note(self, key: K) -> None:
        """Notes that the value of a key is another one, or gone."""
        self.changed[key] = None
        self.touched[self.part] = self

    def __setitem__(self, key: K, value: V) -> None:
        self.changed[key] = None
        self.touched[self.part] = self
        dict.__setitem__(self, key, value)

    def __delitem__(self, key: K) -> None:
        self.note(key)
        dict.__delitem__(self, key)

    def pop(self, key: K, *default: Any) -> Any:
        if key in self:
            self.note(key)
        return dict.pop(self, key, *default)

    def update(self, items: Any = (), /, **more: Any) -> None:
        for key, value in dict(items, **more).items():
            self[key] = value

    def clear(self) -> None:
        for key in self:
            self.note(key)
        dict.clear(self)


class LastingLog(Log):
    """A log of which some lines pass: they are read like the others, and are not there any more after a restart.

    So among the lines that were read back numbers are missing, up to `gaps_until`.
    """

    __slots__ = ("first", "gaps_until", "passed", "passing")

    def __init__(self, lines: Noted[int, Kept], bound: int | None, pan: Pan | None) -> None:
        super().__init__(bound, pan)
        self.lines: Noted[int, Kept] = lines
        self.passing: set[int] = set()
        self.first = 1
        """No line before this one is kept."""
        self.gaps_until = 0
        self.passed = 0
        """How many lines passed between those that were read back."""

    def take(self, last: int, dropped: int, lines: Mapping[int, Kept]) -> None:
        """Keeps the lines that rested, in their order."""
        self.lines.update(lines)
        self.last = self.gaps_until = max(last, *lines) if lines else last
        self.first = next(iter(lines), self.last + 1)
        # What passed is not there any more either, and is counted with what fell out.
        self.passed = self.last + 1 - self.first - len(lines)
        self.dropped = dropped + self.passed
        self.pan.here += sum(map(weight, lines.values()))

    def pass_by(self, value: Any, beside: bytes | None = None) -> Sequence[NumberedLine]:
        """Writes a line that need not last. With that alone there is nothing to save, also where others fell out."""
        lines, was_touched = self.lines, self.lines.part in self.lines.touched
        self.passing.add(self.last + 1)
        fallen = self.append(value, beside)
        if not was_touched:
            del lines.touched[lines.part]
        return fallen

    def drop_oldest(self) -> NumberedLine:
        while self.first not in self.lines:
            self.first += 1
        fallen = self.lines.pop(self.first)
        if self.first in self.passing:
            self.passing.discard(self.first)
            del self.lines.changed[self.first]  # it was never saved
        self.pan.here -= weight(fallen)
        self.pan.dropped += 1
        self.dropped += 1
        return self.first, fallen

    def put_back(self, fallen: Iterable[NumberedLine]) -> None:
        lines = list(fallen)
        super().put_back(lines)
        self.first = min([self.first, *(number for number, _ in lines)])

    def numbered(self, after: int, limit: int | None) -> Sequence[NumberedLine]:
        if after >= self.gaps_until or self.first > self.gaps_until:
            return super().numbered(after, limit)
        found = sorted(number for number in self.lines if number > after)
        return [(number, self.lines[number]) for number in found[:limit]]
