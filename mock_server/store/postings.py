"""One index: for every value the positions of the records that have it.

A value that one record has takes an integer, a few take their positions as bytes, many a compressed bitmap. The garbage
collector follows none of the three (it would follow an `array`). The library of bitmaps is only imported here, and
late: it takes 7 ms, which should not slow down the start or the first payment.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyroaring import BitMap

    Bitmap = BitMap
else:
    Bitmap = object

Posting = Any
"""An int (one position), the bytes of an array of ascending positions, or a bitmap."""

FEW = 24
"""Up to this number of positions is stored as bytes: a bitmap would take more memory (measured: 200 bytes)."""
STRETCH = 8_192
"""Number of positions that one uninterruptible call sorts or adds: under 10 ms (measured)."""
_STEP = 4


class Postings:
    """The positions of every value of one index."""

    __slots__ = ("held", "overlaps")

    def __init__(self) -> None:
        self.held: dict[object, Posting] = {}
        self.overlaps = False
        """Whether any record ever had several values."""

    def add(self, raw: object, position: int) -> None:
        """Adds a position for each value of an index: None, one value, or a tuple of values."""
        if raw is None:
            return
        held, values = self.held, raw if type(raw) is tuple else (raw,)
        if len(values) > 1:
            self.overlaps = True
        for value in values:
            if value is None:
                continue
            posting = held.get(value)
            if posting is None:
                held[value] = position
            elif type(posting) is int or type(posting) is bytes:
                held[value] = grown(posting, position)
            else:
                posting.add(position)

    def discard(self, raw: object, position: int) -> None:
        """Removes a position from each value."""
        if raw is None:
            return
        if type(raw) is tuple:
            for value in raw:
                self.discard(value, position)
            return
        posting = shrunk(self.held.get(raw), position)
        if posting is None:
            self.held.pop(raw, None)
        else:
            self.held[raw] = posting

    def move(self, first: int, moves: array[int]) -> None:
        """Renumbers the positions from `first` on: each becomes `moves[position - first]`."""
        for value, posting in self.held.items():
            self.held[value] = moved(posting, first, moves)

    def counts(self, among: Bitmap | None) -> Iterator[tuple[object, int]]:
        """Every value with the number of its positions (among some)."""
        for value, posting in self.held.items():
            count = size(posting) if among is None else _count_among(posting, among)
            if count:
                yield value, count


def grown(posting: Posting, position: int) -> Posting:
    """The posting with one more position (the same object if possible)."""
    if type(posting) is int:
        return posting if posting == position else array("I", sorted((posting, position))).tobytes()
    if type(posting) is not bytes:
        posting.add(position)
        return posting
    few = _few(posting)
    at = bisect_left(few, position)
    if at < len(few) and few[at] == position:
        return posting
    few.insert(at, position)
    return few.tobytes() if len(few) <= FEW else bitmap(few)


def shrunk(posting: Posting, position: int) -> Posting | None:
    """The posting without a position; None once it is empty."""
    if posting is None or type(posting) is int:
        return None if posting == position else posting
    if type(posting) is bytes:
        return array("I", [held for held in _few(posting) if held != position]).tobytes() or None
    posting.discard(position)
    return posting if len(posting) else None


def holds(posting: Posting | None, position: int) -> bool:
    """Whether a position is in the posting."""
    if posting is None or type(posting) is int:
        return posting == position
    return position in (_few(posting) if type(posting) is bytes else posting)


def size(posting: Posting) -> int:
    """How many positions are in the posting."""
    return 1 if type(posting) is int else len(posting) // _STEP if type(posting) is bytes else len(posting)


def lowest(posting: Posting) -> int:
    """The first of its positions."""
    if type(posting) is int:
        return posting
    found: int = _few(posting)[0] if type(posting) is bytes else posting.min()
    return found


def as_bitmap(posting: Posting) -> Bitmap:
    """The posting as a bitmap; must not be modified, as it may be the stored one."""
    if type(posting) is int:
        return bitmap((posting,))
    made: Bitmap = bitmap(_few(posting)) if type(posting) is bytes else posting
    return made


def _few(posting: bytes) -> array[int]:
    return array("I", posting)


def _count_among(posting: Posting, among: Bitmap) -> int:
    if type(posting) is int:
        return int(posting in among)
    if type(posting) is bytes:
        return sum(position in among for position in _few(posting))
    return among.intersection_cardinality(posting)


def moved(posting: Posting, first: int, moves: array[int]) -> Posting:
    """The posting with its positions from `first` on renumbered."""
    if type(posting) is int:
        return posting if posting < first else moves[posting - first]
    if type(posting) is bytes:
        few = _few(posting)
        if few[-1] < first:
            return posting
        return array("I", sorted(p if p < first else moves[p - first] for p in few)).tobytes()
    late = array("I", [moves[p - first] for p in posting.iter_equal_or_larger(first)])
    posting.remove_range(first, posting.max() + 1)  # nothing, where all of them are before
    for at in range(0, len(late), STRETCH):
        posting.update(late[at : at + STRETCH])
    return posting


def bitmap(positions: Iterable[int] = ()) -> Bitmap:
    """A new bitmap; a range becomes one run."""
    from pyroaring import BitMap

    return BitMap(positions)


def union(parts: list[Bitmap]) -> Bitmap:
    """The union of one or more bitmaps; must not be modified, as for one it is that bitmap itself."""
    if len(parts) == 1:
        return parts[0]
    from pyroaring import BitMap

    return BitMap.union(*parts)
