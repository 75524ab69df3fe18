"""The log: one line an entry on stderr, as text or as JSON (setting `log_format`)."""

from __future__ import annotations

import json
import logging
import re
import sys
from typing import Final

from mock_server.domain.instants import iso
from mock_server.http.redaction import cleaned_text
from mock_server.settings import Settings

ROOT: Final = "mock_server"

# What an exception says could quote a part of a card number; our own messages name causes.
_PART_OF_A_NUMBER: Final = re.compile(r"\d(?:[ -]?\d){6,}", re.ASCII)


class TextFormatter(logging.Formatter):
    """`12:00:01 warning  what happened`, and the traceback below it where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        text = f"{_instant(record)[11:19]} {record.levelname.lower():<8} {_message(record)}"
        return f"{text}\n{_traceback(self, record)}" if record.exc_info else text


class JsonFormatter(logging.Formatter):
    """One object a line: `time`, `level`, `logger`, `message`, and `traceback` where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": _instant(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
        }
        if record.exc_info:
            entry["traceback"] = _traceback(self, record)
        return json.dumps(entry, ensure_ascii=False)


def set_up(settings: Settings) -> logging.Logger:
    """Send the package's log to stderr as the settings say, and return its logger."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if settings.log_format == "json" else TextFormatter())
    logger = logging.getLogger(ROOT)
    logger.handlers = [handler]
    logger.setLevel(settings.log_level.upper())
    logger.propagate = False
    return logger


def _message(record: logging.LogRecord) -> str:
    return cleaned_text(record.getMessage())


def _traceback(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    text = formatter.formatException(record.exc_info) if record.exc_info else ""
    return _PART_OF_A_NUMBER.sub("[number]", cleaned_text(text))


def _instant(record: logging.LogRecord) -> str:
    return iso(int(record.created * 1_000))
