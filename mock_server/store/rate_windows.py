"""Calls counted in the windows of rate limits."""

from __future__ import annotations

from threading import Lock

Windows = tuple[int, int, int, int]
"""The latest window and its count, the previous one and its count."""


class Rates:
    """Two windows per limit, so that calls on either side of a boundary count in the right one; older ones are deleted.

    Any other window counts as new, even an earlier one, because an empty workspace's clock may be set back. The counts
    are part of no transaction, so they have their own lock.
    """

    __slots__ = ("_lock", "windows")

    def __init__(self) -> None:
        self._lock = Lock()
        self.windows: dict[str, Windows] = {}

    def hit(self, name: str, window: int, calls: int = 1) -> int:
        """Counts one call, or as many as are given; gives the window's count."""
        with self._lock:
            last, count, before, count_before = self.windows.get(name, (window, 0, window, 0))
            if window == last:
                self.windows[name] = (last, count + calls, before, count_before)
                return count + calls
            if window == before:
                self.windows[name] = (last, count, before, count_before + calls)
                return count_before + calls
            self.windows[name] = (window, calls, last, count)
            return calls
