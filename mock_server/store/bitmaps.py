"""The one place that imports the bitmaps, late: it costs 7 ms, which no start and no first payment should pay."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyroaring import BitMap as Bitmap
else:
    Bitmap = object

__all__ = ["Bitmap", "bitmap", "union"]


def bitmap(positions: Iterable[int] = ()) -> Bitmap:
    """A bitmap of its own; a range is taken as one run."""
    from pyroaring import BitMap

    return BitMap(positions)


def union(parts: list[Bitmap]) -> Bitmap:
    """The union of one or more bitmaps; of one it is that one itself, which must not be changed."""
    if len(parts) == 1:
        return parts[0]
    from pyroaring import BitMap

    return BitMap.union(*parts)
