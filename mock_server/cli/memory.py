"""Ends a server that is out of memory, with a message, before it crashes without one.

Some libraries in C end the process when they get no memory. So where memory is limited (`ulimit -v`), a thread checks
often that some is left. The log is watched too, because code that catches a MemoryError writes it there.
Threads always share one arena of the C library (decision 0012).
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

if sys.platform != "win32":
    from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit

SAID: Final = "out of memory: the sandbox stops, and loses what no file or database keeps"
NO_THREAD: Final = "cannot start a thread: out of memory, or the system has too many threads"
RESERVE: Final = 1 << 20
"""Bytes that are reserved for the end."""
LEAST: Final = 24 << 20
"""The server ends with fewer bytes left: more than all but the largest calls need at once."""
EVERY_S: Final = 0.02
M_ARENA_MAX: Final = -8
STDERR: Final = 2
WRITE_S: Final = 0.2


class MemoryWatch(logging.Filter):
    """Passes all lines of the log, and ends the process at the first one that is about a lack of memory."""

    def __init__(self, handler: logging.Handler, end: Callable[[], object]) -> None:
        super().__init__()
        self._handler = handler
        self._end = end
        self._reserve = bytearray(RESERVE)

    def start(self) -> None:
        """Share freed memory between threads; and check from now on that there is some left, if it is limited."""
        with suppress(ImportError, OSError, AttributeError, TypeError):  # no ctypes, or not the C library of Linux
            from ctypes import CDLL

            CDLL(None).mallopt(M_ARENA_MAX, 1)  # else each thread keeps what it freed, and reserves 64 MiB
        if sys.platform == "win32" or getrlimit(RLIMIT_AS)[0] == RLIM_INFINITY:
            return
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
        """Say why, clean up, and end."""
        self._reserve.clear()
        try:
            with suppress(Exception):
                record = logging.LogRecord("mock_server", logging.CRITICAL, "", 0, said, (), None)
                if select.select((), (STDERR,), (), WRITE_S)[1]:  # or writing would block
                    os.write(STDERR, f"{self._handler.format(record)}\n".encode())
            with suppress(Exception):
                self._end()
        finally:
            os._exit(FAILED)
