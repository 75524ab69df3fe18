"""Threads for work that may block: as many as are needed, and after a few idle seconds none."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable


def start_thread(work: Callable[[], None]) -> None:
    """Start a thread that does not keep the process alive; raise RuntimeError if the system cannot start one."""
    threading.Thread(target=work, name="payment-sandbox-pool", daemon=True).start()


class Pool:
    """Runs jobs on threads that are started on demand and end after `idle_s` without work.

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
        self._idle_s = idle_s
        self._jobs: deque[Callable[[], object]] = deque()
        self._wake = threading.Condition(threading.Lock())
        self._threads = 0
        self._idle = 0
        self._starting = False
        self._closed = False

    def __len__(self) -> int:
        return self._threads

    def submit(self, job: Callable[[], object]) -> bool:
        """Run the job on a thread; false if `limit` jobs are in progress."""
        with self._wake:
            busy = self._threads - self._idle - self._starting
            if self._closed or busy + len(self._jobs) >= self._limit:
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
        if self._starting or len(self._jobs) <= self._idle or self._threads >= self._limit:
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

    def _take(self) -> Callable[[], object] | None:
        """Return the next job, None if the thread should end."""
        with self._wake:
            while not self._jobs:
                if self._closed or not (self._rest() or self._jobs):
                    self._threads -= 1
                    return None
            job = self._jobs.popleft()
            grow = self._must_grow()
        if grow:
            self._grow()
        return job

    def _rest(self) -> bool:
        """Wait for a job; False if none came in time."""
        self._idle += 1
        try:
            return self._wake.wait(self._idle_s)
        finally:
            self._idle -= 1
