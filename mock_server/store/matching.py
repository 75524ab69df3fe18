"""Which positions a query means: an intersection of unions, with a window of positions laid over it.

The window is never made into a bitmap: how many stand below it, and within it, says where a page begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from mock_server.store.bitmaps import Bitmap, bitmap, union
from mock_server.store.postings import Posting, Postings, as_bitmap, size

_MUCH_SMALLER = 8


class Match:
    """The positions that match, from `start` to before `stop`, and how many they are."""

    __slots__ = ("_below", "_bits", "_window", "total")

    def __init__(self, bits: Bitmap, window: tuple[int, int] | None) -> None:
        self._bits = bits
        self._window = window
        self._below = 0
        if window is None:
            self.total = len(bits)
            return
        start, stop = window
        self.total = bits.range_cardinality(start, stop)
        if start and self.total:
            self._below = bits.rank(start - 1)

    def page(self, offset: int, limit: int, *, ascending: bool) -> list[int]:
        """The positions of one page, in its order."""
        if ascending:
            first, last = offset, min(offset + limit, self.total)
        else:
            last = self.total - offset
            first = max(0, last - limit)
        if first >= last:
            return []
        start = self._bits[self._below + first]
        positions = list(islice(self._bits.iter_equal_or_larger(start), last - first))
        if not ascending:
            positions.reverse()
        return positions

    def among(self) -> Bitmap:
        """All positions that match; not to be changed."""
        return self._bits if self._window is None else self._bits & bitmap(range(*self._window))


def match(
    postings: Mapping[str, Postings],
    alive: Posting | None,
    filters: Mapping[str, tuple[object, ...]],
    window: tuple[int, int] | None,
) -> Match:
    """What has one value of every filter; KeyError for a filter that is no index."""
    groups = [_group(postings[name].held, values) for name, values in filters.items()]
    if not groups:
        return Match(bitmap() if alive is None else as_bitmap(alive), window)
    if not all(groups):
        return Match(bitmap(), None)
    groups.sort(key=_weight)
    bits = _united(groups[0])
    for group in groups[1:]:
        bits = _narrowed(bits, group)
    return Match(bits, window)


def _group(held: Mapping[object, Posting], values: tuple[object, ...]) -> list[Posting]:
    if len(values) == 1:
        posting = held.get(values[0])
        return [] if posting is None else [posting]
    return [held[value] for value in dict.fromkeys(values) if value in held]


def _weight(group: list[Posting]) -> int:
    return sum(map(size, group))


def _united(group: list[Posting]) -> Bitmap:
    return union([as_bitmap(posting) for posting in group])


def _narrowed(bits: Bitmap, group: list[Posting]) -> Bitmap:
    """A few against many are intersected one by one: their union would be made for nothing."""
    if len(bits) * _MUCH_SMALLER < _weight(group):
        return union([bits & as_bitmap(posting) for posting in group])
    return bits & _united(group)
