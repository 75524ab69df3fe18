"""The threads that deliver the webhooks of all workspaces."""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable
from threading import Condition, Lock, Thread
from typing import Final

MOST: Final = 512
"""Maximum number of simultaneous deliveries in all workspaces (ours), without urgent ones."""
SHARE: Final = 64
"""Maximum number of them for one address (ours), while half of all are free; otherwise one."""
IDLE_S: Final = 5.0
Work = Callable[[], object]

_LOG: Final = logging.getLogger("mock_server.webhooks")


class WorkerPool:
    """Runs work on daemon threads: in order for each address, and the addresses take turns."""

    def __init__(self, most: int = MOST, idle_s: float = IDLE_S, share: int = SHARE) -> None:
        self._most = most
        self._idle_s = idle_s
        self._share = share
        self._waiting: dict[str, deque[Work]] = {}
        self._granted: deque[tuple[Work, str | None]] = deque()
        self._at_work: Counter[str] = Counter()
        """The number of threads of each address, including granted work that has not started."""
        self._changed = Condition(Lock())
        self._threads = 0
        self._busy = 0
        self._closed = False

    @property
    def is_idle(self) -> bool:
        """Whether nothing is in progress and nothing waits."""
        with self._changed:
            return not self._waiting and not self._granted and not self._busy

    def take(self, work: Work, address: str = "", *, urgent: bool = False) -> None:
        """Runs it as soon as its address may use another thread; at once if somebody waits for it."""
        with self._changed:
            if self._closed:
                return
            if urgent:
                self._granted.appendleft((work, None))
            else:
                self._waiting.setdefault(address, deque()).append(work)
            grows = self._grant()
        self._start(grows)

    def close(self) -> None:
        """Starts nothing more; work in progress continues."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._granted.clear()
            self._changed.notify_all()

    def _grant(self) -> int:
        """Grants work that may start, and reserves threads if there are not enough free ones; with the lock held."""
        while (address := self._next_address()) is not None:
            works = self._waiting.pop(address)
            self._granted.append((works.popleft(), address))
            self._at_work[address] += 1
            if works:
                self._waiting[address] = works
        grows = max(0, len(self._granted) - (self._threads - self._busy))
        self._threads += grows
        self._changed.notify(len(self._granted))
        return grows

    def _next_address(self) -> str | None:
        """The address that is next; with the lock held."""
        at_work = self._at_work.total()
        if at_work >= self._most:
            return None
        share = self._share if 2 * at_work < self._most else 1
        return next((address for address in self._waiting if self._at_work[address] < share), None)

    def _start(self, count: int) -> None:
        for at in range(count):
            try:
                Thread(target=self._run, name="sandbox-delivery", daemon=True).start()
            except RuntimeError:  # the system starts no more threads; the existing ones continue
                with self._changed:
                    self._threads -= count - at
                _LOG.warning("no more threads can be started, so deliveries wait for the existing ones")
                return

    def _run(self) -> None:
        while (granted := self._next()) is not None:
            work, address = granted
            try:
                work()
            except Exception:
                _LOG.exception("a delivery failed with an internal error")
            del work, granted
            self._end(address)

    def _end(self, address: str | None) -> None:
        with self._changed:
            if address is not None:
                self._at_work -= Counter((address,))  # which keeps only those that have threads
            self._busy -= 1
            grows = self._grant()
        self._start(grows)

    def _next(self) -> tuple[Work, str | None] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._granted or self._closed, self._idle_s)
            if self._granted and not self._closed:
                self._busy += 1
                return self._granted.popleft()
            self._threads -= 1
            return None
