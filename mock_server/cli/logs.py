"""The log: one line per entry on stderr, as text or as JSON (setting `log_format`)."""

from __future__ import annotations

import json
import logging
import os
import re
import select
import sys
import threading
from contextlib import suppress
from threading import Condition, Thread
from typing import Final, TextIO

from mock_server.domain.instants import iso
from mock_server.domain.unseen import UNSEEN
from mock_server.http.redaction import cleaned_text
from mock_server.settings import Settings

FIELDS: Final = (
    "request_id", "payment_id", "event_id", "event_type", "operation", "status", "cause", "fault", "attempt",
    "took_ms", "key", "replayed",
)  # fmt: skip
"""What an entry can have beside its message, in this order."""
NAMED: Final = ("request_id", "payment_id", "event_id")
"""Those that a line of text has too; its message says the rest."""

MOST: Final = 1 << 20
"""Characters that can wait; further lines are dropped, and their number is logged once there is room again."""
FLUSH_S: Final = 0.5
DROPPED: Final = "log lines that were dropped because the output was not read: %d"

# The text of an exception could quote a part of a card number; our own messages name causes.
_PART_OF_A_NUMBER: Final = re.compile(r"\d(?:[ -]?\d){6,}", re.ASCII)
# What moves the cursor, ends a line or turns its direction: with it, a caller's text could pass for a line of its own.
_UNSEEN: Final = re.compile(rf"[\x00-\x1f{UNSEEN}]")


class TextFormatter(logging.Formatter):
    """`12:00:01 warning  what happened [req_… pay_…]`, with the traceback, if any, below it."""

    def format(self, record: logging.LogRecord) -> str:
        text = f"{_instant(record)[11:19]} {record.levelname.lower():<8} {_message(record)}"
        if named := " ".join(str(value) for value in _said(record, NAMED).values()):
            first, line_end, rest = text.partition("\n")
            text = f"{first} [{named}]{line_end}{rest}"
        return f"{text}\n{_traceback(self, record)}" if record.exc_info else text


class JsonFormatter(logging.Formatter):
    """One object per line: `time`, `level`, `logger`, `message`, some of `FIELDS`, and a `traceback`."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": _instant(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
            **_said(record, FIELDS),
        }
        if record.exc_info:
            entry["traceback"] = _traceback(self, record)
        return json.dumps(entry, ensure_ascii=False)


def set_up(settings: Settings) -> logging.Logger:
    """Send the package's log to stderr in the format of the settings, and return its logger."""
    handler = LineHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if settings.log_format == "json" else TextFormatter())
    logger = logging.getLogger("mock_server")
    logger.handlers = [handler]
    logger.setLevel(settings.log_level.upper())
    logger.propagate = False
    logging.lastResort = handler  # what libraries log
    threading.excepthook = lambda failed: logger.error("a thread failed", exc_info=failed.exc_value)
    return logger


def _message(record: logging.LogRecord) -> str:
    """The message, in which only our own words begin a line: a place in the code is always the last value."""
    args = record.args if isinstance(record.args, tuple) else ()
    ours = len(args) - str(record.msg).endswith("\n%s")
    said = tuple(one if at >= ours or isinstance(one, int | float) else _seen(str(one)) for at, one in enumerate(args))
    return cleaned_text(str(record.msg) % said if args else record.getMessage())


def _seen(text: str) -> str:
    """A text on one line, without card data and keys."""
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), cleaned_text(text))


def _said(record: logging.LogRecord, names: tuple[str, ...]) -> dict[str, object]:
    """The entry's fields that are set; texts are cleaned as the message is."""
    values = {name: getattr(record, name) for name in names if getattr(record, name, None) is not None}
    return {name: _seen(value) if isinstance(value, str) else value for name, value in values.items()}


def _traceback(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    text = formatter.formatException(record.exc_info) if record.exc_info else ""
    return _PART_OF_A_NUMBER.sub("[number]", cleaned_text(text))


def _instant(record: logging.LogRecord) -> str:
    return iso(int(record.created * 1_000))


class LineHandler(logging.Handler):
    """Accepts lines at once and writes them on its own thread, so that no call ever waits for a reader of the log.

    A pipe that nobody reads is full after 64 KiB, and then blocks its writer. The thread starts with the first line.
    """

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
        """Queue the line, or count it as dropped if too many wait."""
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
                thread = Thread(target=self._work, name="payment-sandbox-log", daemon=True)
                with suppress(RuntimeError):  # the system has no thread now; the next line tries again
                    thread.start()
                    self._thread = thread

    def flush(self) -> None:
        """Return when everything is written, or when nobody reads it."""
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
        """Write without Python's buffer: a writer that waits would hold its lock when the process ends."""
        try:
            fd = self._stream.fileno()
        except (OSError, ValueError, AttributeError):  # not a real file, as when tests capture the output
            self._stream.write(text)
            self._stream.flush()
            return
        data = memoryview(text.encode("utf-8", "backslashreplace"))
        while data:
            try:
                data = data[os.write(fd, data) :]
            except BlockingIOError:
                select.select((), (fd,), ())
            except OSError:  # closed by its reader
                return
