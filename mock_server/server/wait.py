"""Waiting for whatever comes first: a future that is done in some other thread, or an instant."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mock_server.domain.faults import Waitable
from mock_server.server.loop import Loop


class Wait:
    """Calls `then` once, on the loop: with true when the future is done, with false when the time is over."""

    __slots__ = ("_loop", "_then", "_timer")

    def __init__(
        self, loop: Loop, seconds: float, then: Callable[[bool], object], future: Waitable | None = None
    ) -> None:
        self._loop = loop
        self._then: Callable[[bool], object] | None = then
        self._timer = loop.later(seconds, partial(self._end, False))
        if future is not None:
            future.add_done_callback(self._tell)

    def cancel(self) -> None:
        """Call nothing any more."""
        self._then = None
        self._timer.cancel()

    def _tell(self, _: object) -> None:
        """Hear from whatever thread that the future is done."""
        self._loop.soon(partial(self._end, True))

    def _end(self, is_done: bool) -> None:
        then = self._then
        if then is not None:
            self.cancel()
            then(is_done)
