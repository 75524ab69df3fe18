"""The log's lines on their way out: written on a thread of their own, so that no call ever waits for who reads them.

A pipe that nobody reads is full after 64 KiB, and then stops whoever writes to it.
"""

from __future__ import annotations

import logging
import os
import select
from threading import Condition, Thread
from typing import Final, TextIO

MOST: Final = 1 << 20
"""So many characters wait; what comes then is dropped, and its number told once there is room again."""
FLUSH_S: Final = 0.5
DROPPED: Final = "%d lines of the log were dropped: nobody read them"


class LineHandler(logging.Handler):
    """Takes lines at once and writes them when it can; the thread is there from the first line on."""

    def __init__(self, stream: TextIO, most: int = MOST) -> None:
        super().__init__()
        self._stream = stream
        self._most = most
        self._lines: list[str] = []
        self._size = 0
        self._dropped = 0
        self._is_writing = False
        self._changed = Condition()
        self._thread: Thread | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Have the line written, or count it if too many wait."""
        try:
            line = self.format(record) + "\n"
        except Exception:
            self.handleError(record)
            return
        with self._changed:
            if self._size + len(line) > self._most:
                self._dropped += 1
                return
            self._lines.append(line)
            self._size += len(line)
            self._changed.notify_all()
            if self._thread is None:
                self._begin()

    def _begin(self) -> None:
        thread = Thread(target=self._work, name="payment-sandbox-log", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system gives none now; the next line tries again
            return
        self._thread = thread

    def flush(self) -> None:
        """Return when all is written, or when it is clear that nobody reads it."""
        with self._changed:
            self._changed.wait_for(lambda: not self._lines and not self._is_writing, FLUSH_S)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._is_writing = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._lines)
                self._is_writing = True
                text = "".join(self._lines)
                dropped, self._dropped = self._dropped, 0
                self._lines.clear()
                self._size = 0
            self._write(text)
            if dropped:
                said = logging.LogRecord(__name__, logging.WARNING, "", 0, DROPPED, (dropped,), None)
                self._write(self.format(said) + "\n")

    def _write(self, text: str) -> None:
        """Write past Python's own buffer: its lock, held by a writer that waits, would break the end of the process."""
        try:
            fd = self._stream.fileno()
        except (OSError, ValueError, AttributeError):  # no real file, as where tests capture what is written
            self._stream.write(text)
            self._stream.flush()
            return
        data = memoryview(text.encode("utf-8", "backslashreplace"))
        while data:
            try:
                data = data[os.write(fd, data) :]
            except BlockingIOError:
                select.select((), (fd,), ())
            except OSError:  # nobody will read it any more
                return
