"""One sort of due work by instant: millions may wait, few are looked at.

Far entries lie unordered in one array per minute or so; only the nearest such minute is a heap. An entry that was
taken back stays here until it comes up; who asks must know which entries still hold.
"""

from __future__ import annotations

from array import array
from heapq import heapify, heappop, heappush

_SPAN_BITS = 16
"""A span is 65 536 ms."""
_SEQUENCE_BITS = 48
_SEQUENCE = (1 << _SEQUENCE_BITS) - 1
_WITHIN = (1 << _SPAN_BITS) - 1


class Lane:
    """(instant, sequence) pairs, the earliest first."""

    __slots__ = ("_far", "_near", "_near_span", "_spans")

    def __init__(self) -> None:
        self._near: list[int] = []
        self._near_span = 0
        self._far: dict[int, array[int]] = {}
        self._spans: list[int] = []

    def push(self, at: int, sequence: int) -> None:
        span, mark = at >> _SPAN_BITS, (at & _WITHIN) << _SEQUENCE_BITS | sequence
        if self._near and span == self._near_span:
            heappush(self._near, mark)
        else:
            self._put_far(span, array("Q", (mark,)))

    def head(self) -> tuple[int, int] | None:
        """The earliest pair, or None."""
        if self._spans and (not self._near or self._spans[0] < self._near_span):
            self._come_near()
        if not self._near:
            return None
        mark = self._near[0]
        return self._near_span << _SPAN_BITS | mark >> _SEQUENCE_BITS, mark & _SEQUENCE

    def pop(self) -> None:
        """Drops the pair that `head` gave."""
        heappop(self._near)

    def _come_near(self) -> None:
        if self._near:
            self._put_far(self._near_span, array("Q", self._near))
        self._near_span = heappop(self._spans)
        self._near = self._far.pop(self._near_span).tolist()
        heapify(self._near)

    def _put_far(self, span: int, marks: array[int]) -> None:
        lying = self._far.get(span)
        if lying is None:
            self._far[span] = marks
            heappush(self._spans, span)
        else:
            lying.extend(marks)
