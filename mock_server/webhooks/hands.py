"""Threads that deliveries are made on: as many as are waited for, and a few seconds later none."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from threading import Condition, Thread
from typing import Final

MOST: Final = 64
"""So many deliveries of all worlds wait for their receivers at one moment (ours); urgent ones come on top."""
IDLE_S: Final = 5.0
Work = Callable[[], object]

_LOG: Final = logging.getLogger("mock_server.webhooks")


class Hands:
    """Runs work on daemon threads, in the order in which it came."""

    def __init__(self, most: int = MOST, idle_s: float = IDLE_S) -> None:
        self._most = most
        self._idle_s = idle_s
        self._work: deque[Work] = deque()
        self._changed = Condition()
        self._threads = 0
        self._idle = 0
        self._closed = False

    @property
    def is_idle(self) -> bool:
        """Whether nothing is done and nothing waits."""
        with self._changed:
            return not self._work and self._idle == self._threads

    def take(self, work: Work, *, urgent: bool = False) -> None:
        """Has it done as soon as there is a free hand; at once if somebody waits for it."""
        with self._changed:
            if self._closed:
                return
            if urgent:
                self._work.appendleft(work)
            else:
                self._work.append(work)
            grows = len(self._work) > self._idle and (urgent or self._threads < self._most)
            self._threads += grows
            self._changed.notify()
        if grows:
            Thread(target=self._run, name="sandbox-delivery", daemon=True).start()

    def close(self) -> None:
        """Begins nothing any more; what is being done goes on and is nobody's concern."""
        with self._changed:
            self._closed = True
            self._work.clear()
            self._changed.notify_all()

    def _run(self) -> None:
        while (work := self._next()) is not None:
            try:
                work()
            except Exception:
                _LOG.exception("a delivery failed in the sandbox itself")
            del work

    def _next(self) -> Work | None:
        with self._changed:
            self._idle += 1
            try:
                self._changed.wait_for(lambda: self._work or self._closed, self._idle_s)
            finally:
                self._idle -= 1
            if self._work and not self._closed:
                return self._work.popleft()
            self._threads -= 1
            return None
