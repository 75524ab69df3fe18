"""The end of a server that gets no more memory: it says so and goes, before something breaks without a word.

Libraries in C do not all bear it: some break off the process at the first failure. So where memory is limited
(`ulimit -v`) it is looked now and then whether there still is some. What fails all the same is caught by somebody who
writes it to the log, wherever that is; so the log is where it is seen.
"""

from __future__ import annotations

import logging
import os
import select
import sys
from collections.abc import Callable
from contextlib import suppress
from mmap import mmap
from threading import Event, Thread
from typing import Final, NoReturn

from mock_server.cli.output import FAILED

SAID: Final = "out of memory: the sandbox stops, and its data is lost"
NO_THREAD: Final = "cannot start a thread: out of memory, or the system has too many threads"
RESERVE: Final = 1 << 20
"""So many bytes are kept to end with."""
LEAST: Final = 24 << 20
"""With less than so many bytes left it is time to end: more than any but the largest calls take at once."""
EVERY_S: Final = 0.02
M_ARENA_MAX: Final = -8
STDERR: Final = 2
WRITE_S: Final = 0.2


class MemoryWatch(logging.Filter):
    """Lets every line of the log pass, and ends the process at the first that was written for want of memory."""

    def __init__(self, handler: logging.Handler, end: Callable[[], object]) -> None:
        super().__init__()
        self._handler = handler
        self._end = end
        self._reserve = bytearray(RESERVE)

    def start(self) -> None:
        """Look from now on whether there is memory left, where it is limited."""
        if _is_limited():
            _share_one_arena()
            Thread(target=self._look, name="payment-sandbox-memory", daemon=True).start()

    def _look(self) -> None:
        never = Event()
        while not never.wait(EVERY_S):
            try:
                mmap(-1, LEAST).close()
            except OSError:
                self.leave()

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(sys.exc_info()[1], MemoryError):
            self.leave()
        return True

    def leave(self, said: str = SAID) -> NoReturn:
        """Say why, do what is to be done at the end, and end: nothing else is tried."""
        self._reserve.clear()
        try:
            with suppress(Exception):
                _say(self._handler.format(logging.LogRecord("mock_server", logging.CRITICAL, "", 0, said, (), None)))
            with suppress(Exception):
                self._end()
        finally:
            os._exit(FAILED)


def lacks_thread(error: RuntimeError) -> bool:
    """Whether this is how Python says that the system gave no thread."""
    return "new thread" in str(error)


def _say(line: str) -> None:
    """Write to where the log goes, unless that would have to be waited for."""
    if select.select((), (STDERR,), (), WRITE_S)[1]:
        os.write(STDERR, f"{line}\n".encode())


def _share_one_arena() -> None:
    """Keep threads from setting aside 64 MiB each, as the C library of Linux has them do."""
    from ctypes import CDLL

    with suppress(OSError, AttributeError):  # another C library
        CDLL(None).mallopt(M_ARENA_MAX, 1)


def _is_limited() -> bool:
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:  # Windows
        return False
    return getrlimit(RLIMIT_AS)[0] != RLIM_INFINITY
