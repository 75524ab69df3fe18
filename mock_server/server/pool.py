"""Threads for work that may block: as many as are needed, and after a few idle seconds one."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final


def start_thread(work: Callable[[], None]) -> None:
    """Start a thread that does not keep the process alive; raise RuntimeError if the system cannot start one."""
    threading.Thread(target=work, name="payment-sandbox-pool", daemon=True).start()


class Pool:
    """Runs jobs on threads that are started on demand and, but for the last, end after `idle_s` without work.

    `on_error` gets the exceptions of jobs. Threads are started one at a time, each by the previous one just before it
    starts its own job: a few threads do a burst of short jobs, and blocking jobs get one thread each.
    """

    def __init__(
        self,
        on_error: Callable[[Exception], object],
        limit: int = 512,
        idle_s: float = 5.0,
        start: Callable[[Callable[[], None]], object] = start_thread,
    ) -> None:
        self._on_error = on_error
        self._start = start
        self._limit = limit
        self.share = limit - limit // 4
        """How many jobs may be one caller's: the others' are not turned away for them."""
        self._idle_s = idle_s
        self._jobs: deque[Callable[[], object]] = deque()
        self._wake = threading.Condition(threading.Lock())
        self._threads = 0
        self._busy = 0
        self._starting = False
        self._closed = False

    def submit(self, job: Callable[[], object]) -> bool:
        """Run the job on a thread; false if `limit` jobs are in progress."""
        with self._wake:
            if self._closed or self._busy + len(self._jobs) >= self._limit:
                return False
            self._jobs.append(job)
            self._wake.notify()
            grow = self._must_grow()
        return not grow or self._grow()

    def close(self) -> None:
        """Accept no more jobs, drop waiting ones, and end every thread after its job."""
        with self._wake:
            self._closed = True
            self._jobs.clear()
            self._wake.notify_all()

    def _must_grow(self) -> bool:
        """Decide whether to start another thread, and reserve it; with the lock held."""
        if self._starting or len(self._jobs) <= self._threads - self._busy or self._threads >= self._limit:
            return False
        self._starting = True
        self._threads += 1
        return True

    def _grow(self) -> bool:
        try:
            self._start(self._work)
        except RuntimeError:  # the system starts no more threads; the existing ones continue
            with self._wake:
                self._starting = False
                self._threads -= 1
                if not self._threads:
                    self._jobs.pop()
                    return False
        return True

    def _work(self) -> None:
        with self._wake:
            self._starting = False
        while (job := self._take()) is not None:
            try:
                job()
            except Exception as error:
                self._on_error(error)
            del job  # or it would be kept alive until the next one comes
            with self._wake:
                self._busy -= 1

    def _take(self) -> Callable[[], object] | None:
        """Return the next job, None if the thread should end; Python 3.12 may have none in place of the last one."""
        with self._wake:
            while not (self._jobs or self._closed):
                if not self._wake.wait(self._idle_s if self._threads > 1 else None) and self._threads > 1:
                    break
            if not self._jobs:
                self._threads -= 1
                return None
            job = self._jobs.popleft()
            self._busy += 1
            grow = self._must_grow()
        if grow:
            self._grow()
        return job


AT_ONCE: Final = 2
"""Threads that compute for one caller at a time: each delays every step of the loop by a turn of the interpreter."""
SLOW_S: Final = 0.02
"""A caller of a call that kept the loop's thread busy for longer is served on threads for a while (ours)."""
BLOCKED_S: Final = 0.1
"""The same for a call that took so long, with all its waits for locks (ours)."""
SLOW_FOR_S: Final = 10.0
FEW: Final = 4
"""So many such calls show a slow caller: the first of each kind compile what they need, whoever makes them (ours)."""
REMEMBERED_S: Final = 60.0
_CALLERS: Final = 1_024


class Turns:
    """Whose calls are made on threads, as they take long there, and whose turn it is to compute.

    `name` says who calls; no name is stored: some callers share a turn.
    """

    def __init__(self, name: Callable[[Mapping[str, Any]], Hashable]) -> None:
        self._name = name
        self._turns: dict[tuple[int, bool], threading.Semaphore] = {}
        self._slow: dict[int, tuple[int, float]] = {}
        """How many calls took long, and when the last did."""
        self._begun: Counter[int] = Counter()

    def of(self, environ: Mapping[str, Any], *, alone: bool) -> threading.Semaphore:
        """The turn of a caller; its calls that are made `alone`, as on the loop, have one of their own."""
        caller = self._number(environ), alone
        return self._turns.get(caller) or self._turns.setdefault(caller, threading.Semaphore(1 if alone else AT_ONCE))

    def begin(self, environ: Mapping[str, Any], most: int) -> bool:
        """Note a call that goes to a thread; false if so many of its caller are there."""
        number = self._number(environ)
        if self._begun[number] >= most:
            return False
        self._begun[number] += 1
        return True

    def end(self, environ: Mapping[str, Any]) -> None:
        """Note the end of such a call."""
        self._begun[self._number(environ)] -= 1

    def is_slow(self, environ: Mapping[str, Any], now: float) -> bool:
        """Whether a caller's calls are made on threads now; `now` is the loop's."""
        if not self._slow:
            return False
        count, last = self._slow.get(self._number(environ), (0, 0.0))
        return count >= FEW and now - last < SLOW_FOR_S

    def note(self, environ: Mapping[str, Any], now: float) -> None:
        """Note that a caller's call took long on the loop."""
        number = self._number(environ)
        count, last = self._slow.get(number, (0, now))
        self._slow[number] = count + 1 if now - last < REMEMBERED_S else 1, now

    def _number(self, environ: Mapping[str, Any]) -> int:
        return hash(self._name(environ)) % _CALLERS
