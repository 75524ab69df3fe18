"""Threads that stand still at a line, so that a test sees each moment in which another thread may come."""

from __future__ import annotations

import sys
import threading
from itertools import count
from types import FrameType, ModuleType, TracebackType
from typing import Any, Protocol, Self

from mock_server.clock import uncollected


class Tried(Protocol):
    """A lock, as far as it is tried here."""

    def acquire(self, *, blocking: bool) -> bool: ...
    def release(self) -> None: ...


class Standing:
    """A new thread of the block stands at the first line of a module after `passed` others at which the lock is free.

    `reached` is released for each that stands, and `has_stood` says whether one did. All go on once `goes_on` is set.
    """

    def __init__(self, module: ModuleType, passed: int, lock: Tried) -> None:
        self._file, self._passed, self._lock = module.__file__, passed, lock
        self._uncollected = uncollected()  # what other tests left to be freed can pass lines too
        self.reached = threading.Semaphore(0)
        self.has_stood = False
        self.goes_on = threading.Event()

    def __enter__(self) -> Self:
        self._uncollected.__enter__()
        self._before = threading.gettrace()
        threading.settrace(self._enter_function)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        threading.settrace(self._before)
        self.goes_on.set()
        self._uncollected.__exit__(kind, error, trace)

    def _enter_function(self, frame: FrameType, event: str, argument: object) -> Any:
        """The first of a thread; each thread counts its own lines."""
        lines = count()

        has_stood = False

        def enter(frame: FrameType, event: str, argument: object) -> Any:
            return pass_line if not has_stood and frame.f_code.co_filename == self._file else None

        def pass_line(frame: FrameType, event: str, argument: object) -> Any:
            nonlocal has_stood
            if not has_stood and event == "line" and next(lines) >= self._passed and self._lock.acquire(blocking=False):
                self._lock.release()
                self.has_stood = has_stood = True  # to end the tracing here crashes Python 3.11.2 at times
                self.reached.release()
                self.goes_on.wait()
            return pass_line

        sys.settrace(enter)
        return enter(frame, event, argument)
