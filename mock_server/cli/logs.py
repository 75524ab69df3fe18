"""The log: one line an entry on stderr, as text or as JSON (setting `log_format`)."""

from __future__ import annotations

import json
import logging
import re
import sys
from typing import Final

from mock_server.domain.instants import iso
from mock_server.settings import Settings

ROOT: Final = "mock_server"

# What somebody else's exception says could hold a part of a card number; our own messages name causes.
_CARD_LIKE: Final = re.compile(r"\d(?:[ -]?\d){11,}", re.ASCII)
_PART_OF_ONE: Final = re.compile(r"\d(?:[ -]?\d){6,}", re.ASCII)
_KEY: Final = re.compile(r"((?:pk_)?(?:snd|prd)_)[\w-]+", re.ASCII)


class TextFormatter(logging.Formatter):
    """`12:00:01 warning  what happened`, and the traceback below it where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        text = f"{_instant(record)[11:19]} {record.levelname.lower():<8} {redacted(record.getMessage())}"
        return f"{text}\n{_traceback(self, record)}" if record.exc_info else text


class JsonFormatter(logging.Formatter):
    """One object a line: `time`, `level`, `logger`, `message`, and `traceback` where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": _instant(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": redacted(record.getMessage()),
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


def redacted(text: str) -> str:
    """Return the text without keys and without numbers as long as a card's (decisions "Cards")."""
    return _CARD_LIKE.sub("[number]", _KEY.sub(r"\1…", text))


def _traceback(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    text = formatter.formatException(record.exc_info) if record.exc_info else ""
    return _PART_OF_ONE.sub("[number]", _KEY.sub(r"\1…", text))


def _instant(record: logging.LogRecord) -> str:
    return iso(int(record.created * 1_000))
