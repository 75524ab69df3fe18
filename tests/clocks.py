"""A clock that a test moves by hand."""

from __future__ import annotations


class ManualClock:
    """A clock that only moves when it is told to, for tests."""

    __slots__ = ("_elapsed_ms", "_now_ms")

    def __init__(self, now_ms: int = 1_767_225_600_000) -> None:  # 2026-01-01T00:00:00Z
        self._now_ms = now_ms
        self._elapsed_ms = 0

    def now_ms(self) -> int:
        return self._now_ms

    def monotonic(self) -> float:
        return self._elapsed_ms / 1000

    def advance(self, ms: int) -> None:
        """Move both forms of time forward."""
        if ms < 0:
            raise ValueError("time does not run backwards")
        self._now_ms += ms
        self._elapsed_ms += ms
