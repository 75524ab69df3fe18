"""Evaluates a query: an intersection of unions, within a window of positions.

An exact total and one page of ten do not need the whole result. The total is counted without computing the last
intersection (counting takes a tenth of the time), and the page is built from the nearer end, in a stretch whose
length follows from the total, which tells how dense the matches are.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from msgspec import Struct

from mock_server.domain.paging import Filters
from mock_server.store.postings import Bitmap, Posting, Postings, as_bitmap, bitmap, size, union

_MUCH_SMALLER = 8
_MARGIN = 256
Group = list[Bitmap]
"""Bitmaps of the values that one filter allows; must not be modified."""


class Match(Struct, frozen=True, eq=False):
    """The positions from `start` to before `stop` that are in one bitmap of every group, and their number."""

    _groups: list[Group]
    _start: int
    _stop: int
    total: int

    def page(self, offset: int, limit: int, *, ascending: bool) -> list[int]:
        """The positions of one page, in its order."""
        if ascending:
            first, last = offset, min(offset + limit, self.total)
        else:
            last = self.total - offset
            first = max(0, last - limit)
        if first >= last:
            return []
        positions = self._ranked(first, last)
        if not ascending:
            positions.reverse()
        return positions

    def among(self) -> Bitmap:
        """All matching positions; must not be modified."""
        return self._within(self._start, self._stop)

    def _ranked(self, first: int, last: int) -> list[int]:
        """The matches of ranks `first` to before `last`, in ascending order."""
        if len(self._groups) == 1 and len(self._groups[0]) == 1:
            bits = self._groups[0][0]
            below = bits.rank(self._start - 1) if self._start else 0
            return _slice(bits, below + first, last - first)
        if self.total - first <= last:
            bits = self._stretch(self.total - first, from_top=True)
            return _slice(bits, len(bits) - (self.total - first), last - first)
        return _slice(self._stretch(last, from_top=False), first, last - first)

    def _stretch(self, needed: int, *, from_top: bool) -> Bitmap:
        """At least this number of matches, from one end."""
        span = self._stop - self._start
        width = needed * span // self.total * 5 // 4 + _MARGIN
        while True:
            if width >= span:
                return self.among()
            low = self._stop - width if from_top else self._start
            bits = self._within(low, low + width)
            if len(bits) >= needed:
                return bits
            width *= 4

    def _within(self, start: int, stop: int) -> Bitmap:
        bits = bitmap(range(start, stop))
        for group in self._groups:
            bits = union([bits & part for part in group])
        return bits


def _slice(bits: Bitmap, first: int, length: int) -> list[int]:
    return list(islice(bits.iter_equal_or_larger(bits[first]), length))


def match(postings: Mapping[str, Postings], alive: Posting | None, filters: Filters, start: int, stop: int) -> Match:
    """Finds what has a value of every filter, from `start` to before `stop`; KeyError for a filter without an index."""
    chosen = [(postings[name], values) for name, values in filters.items()]
    if alive is None:
        return Match([], 0, 0, 0)
    groups: list[Group] = []
    everything = size(alive)
    for index, values in chosen:
        parts = _parts(index.held, values)
        if not parts:
            return Match([], 0, 0, 0)
        if all(size(part) < everything for part in parts):
            bitmaps = [as_bitmap(part) for part in parts]
            # Those of a group do not overlap, so that their sizes can be added.
            groups.append([union(bitmaps)] if index.overlaps else bitmaps)
    if not groups:
        groups.append([as_bitmap(alive)])
    return Match(groups, start, stop, _total(groups, start, stop))


def _parts(held: Mapping[object, Posting], values: tuple[object, ...]) -> list[Posting]:
    if len(values) == 1:
        posting = held.get(values[0])
        return [] if posting is None else [posting]
    return [held[value] for value in dict.fromkeys(values) if value in held]


def _total(groups: list[Group], start: int, stop: int) -> int:
    if len(groups) == 1:
        return sum(part.range_cardinality(start, stop) for part in groups[0])
    groups.sort(key=_weight)
    bits = union(groups[0])
    if start > bits.min() or stop <= bits.max():
        bits = bits & bitmap(range(start, stop))
    for group in groups[1:-1]:
        if len(bits) * _MUCH_SMALLER < _weight(group):  # one by one, to avoid computing a union
            bits = union([bits & part for part in group])
        else:
            bits = bits & union(group)
    return sum(bits.intersection_cardinality(part) for part in groups[-1])


def _weight(group: Group) -> int:
    return sum(map(len, group))
