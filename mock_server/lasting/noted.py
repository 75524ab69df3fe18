"""Dicts that note which of their keys changed, and the log with lines that are not saved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from mock_server.store.byte_bounds import ByteCounter
from mock_server.store.logs import Log, NumberedLine, weight
from mock_server.store.records import Kept

K = TypeVar("K")
V = TypeVar("V")


class Noted(dict[K, V]):
    """A dict of a state that notes its changed keys, and in `touched` that there are any.

    It overrides the methods that the store uses. Deleting a whole state (`popitem`) is not noted.
    """

    __slots__ = ("changed", "part", "touched")

    def __init__(self, part: str, touched: dict[str, Noted[Any, Any]]) -> None:
        super().__init__()
        self.part = part
        self.changed: dict[K, None] = {}
        self.touched = touched

    def note(self, key: K) -> None:
        """Notes that the value of a key has changed or was deleted."""
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
    """A log with some passing lines: they are read like the others, but are not saved.

    So the numbers of saved lines have gaps after a restart, up to `gaps_until`.
    """

    __slots__ = ("first", "gaps_until", "passed", "passing")

    def __init__(self, lines: Noted[int, Kept], bound: int | None, byte_counter: ByteCounter | None) -> None:
        super().__init__(bound, byte_counter)
        self.lines: Noted[int, Kept] = lines
        self.passing: set[int] = set()
        self.first = 1
        """No earlier line is stored."""
        self.gaps_until = 0
        self.passed = 0
        """The number of missing lines between those that were loaded."""

    def take(self, last: int, dropped: int, lines: Mapping[int, Kept]) -> None:
        """Takes the loaded lines, in their order."""
        self.lines.update(lines)
        self.last = self.gaps_until = max(last, *lines) if lines else last
        self.first = next(iter(lines), self.last + 1)
        # The missing lines count as dropped.
        self.passed = self.last + 1 - self.first - len(lines)
        self.dropped = dropped + self.passed
        self.byte_counter.here += sum(map(weight, lines.values()))

    def pass_by(self, value: Any, beside: bytes | None = None) -> Sequence[NumberedLine]:
        """Writes a line that is not saved, and causes no commit, even if it displaces others."""
        lines, was_touched = self.lines, self.lines.part in self.lines.touched
        self.passing.add(self.last + 1)
        fallen = self.append(value, beside)
        if not was_touched:
            del lines.touched[lines.part]
        return fallen

    def drop_oldest(self) -> NumberedLine:
        dropped = super().drop_oldest()
        if self.first in self.passing:
            self.passing.discard(self.first)
            del self.lines.changed[self.first]  # it was never saved
        return dropped

    def _oldest(self) -> int:
        while self.first not in self.lines:
            self.first += 1
        return self.first

    def put_back(self, fallen: Iterable[NumberedLine]) -> None:
        lines = list(fallen)
        super().put_back(lines)
        self.first = min([self.first, *(number for number, _ in lines)])

    def numbered(self, after: int, limit: int | None) -> Sequence[NumberedLine]:
        if after >= self.gaps_until or self.first > self.gaps_until:
            return super().numbered(after, limit)
        found = sorted(number for number in self.lines if number > after)
        return [(number, self.lines[number]) for number in found[:limit]]
