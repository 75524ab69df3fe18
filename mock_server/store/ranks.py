"""The order of one kind's records: a position is the rank in (created, number).

Records nearly always come in order and are appended. Those that come late (history, two calls at once) are appended
as well and put in their place all together, before the next question that needs the order.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

_BITS = 10
_CHUNK = 1 << _BITS


class Keys:
    """A list of strings, kept in tuples: a million of them is a thousand objects to the garbage collector."""

    __slots__ = ("full", "rest")

    def __init__(self) -> None:
        self.full: list[tuple[str, ...]] = []
        self.rest: list[str] = []

    def append(self, key: str) -> None:
        self.rest.append(key)
        if len(self.rest) == _CHUNK:
            self.full.append(tuple(self.rest))
            self.rest = []

    def __getitem__(self, at: int) -> str:
        chunk = at >> _BITS
        if chunk < len(self.full):
            return self.full[chunk][at & (_CHUNK - 1)]
        return self.rest[at & (_CHUNK - 1)]

    def cut(self, length: int) -> None:
        """Drops all from an index on."""
        chunk = length >> _BITS
        if chunk < len(self.full):
            self.rest = list(self.full[chunk])
            del self.full[chunk:]
        del self.rest[length & (_CHUNK - 1) :]


class Ranks:
    """Creation instant, number and key of every position; positions of removed records stay until a rearrangement."""

    __slots__ = ("_settled", "created", "keys", "numbers")

    def __init__(self) -> None:
        self.created = array("q")
        self.numbers = array("I")
        self.keys = Keys()
        self._settled = 0
        """Positions below are in order; from here on they are in the order of their numbers."""

    def __len__(self) -> int:
        return len(self.created)

    @property
    def is_settled(self) -> bool:
        """Whether every position is a rank."""
        return self._settled == len(self.created)

    def append(self, created: int, number: int, key: str) -> int:
        """Gives the position after the last; the number is greater than every one here."""
        position = len(self.created)
        if self._settled == position and (not position or self.created[-1] <= created):
            self._settled = position + 1
        self.created.append(created)
        self.numbers.append(number)
        self.keys.append(key)
        return position

    def locate(self, created: int, number: int) -> int:
        """The position of a record that is here."""
        numbers = self.numbers
        if number < len(numbers) and numbers[number] == number:
            return number
        settled = self._settled
        if settled < len(numbers) and number >= numbers[settled]:
            return bisect_left(numbers, number, settled)
        low = bisect_left(self.created, created, 0, settled)
        return bisect_left(numbers, number, low, bisect_right(self.created, created, low, settled))

    def window(self, gte: int | None, lte: int | None) -> tuple[int, int]:
        """The positions [start, stop) of what was created within [gte, lte]; only when settled."""
        start = 0 if gte is None else bisect_left(self.created, gte)
        stop = len(self.created) if lte is None else bisect_right(self.created, lte)
        return start, max(start, stop)

    def due_order(self) -> tuple[int, list[int]]:
        """Where the disorder begins, and the positions from there on in the order they should have."""
        settled, created = self._settled, self.created
        first = bisect_right(created, min(created[settled:]), 0, settled)
        return first, sorted(range(first, len(created)), key=lambda at: (created[at], self.numbers[at]))

    def rearrange(self, first: int, order: Sequence[int]) -> None:
        """Lets the positions from `first` on be those of `order` (old positions; what it leaves out is dropped)."""
        created = array("q", [self.created[at] for at in order])
        numbers = array("I", [self.numbers[at] for at in order])
        keys = [self.keys[at] for at in order]
        self._cut(first)
        self.created.extend(created)
        self.numbers.extend(numbers)
        for key in keys:
            self.keys.append(key)
        self._settled = len(self.created)

    def drop(self, position: int) -> None:
        """Takes one position out; those after it move down by one."""
        settled = self._settled
        self.rearrange(position, range(position + 1, len(self.created)))
        self._settled = settled - 1 if position < settled else settled

    def _cut(self, first: int) -> None:
        del self.created[first:]
        del self.numbers[first:]
        self.keys.cut(first)


def moves(first: int, order: Iterable[int], length: int) -> array[int]:
    """For each old position from `first` on, the new one that `order` gives it (0 for what it drops)."""
    renamed = array("I", bytes(4 * (length - first)))
    for new, old in enumerate(order, first):
        renamed[old - first] = new
    return renamed
