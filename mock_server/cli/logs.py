"""The log: one line an entry on stderr, as text or as JSON (setting `log_format`)."""

from __future__ import annotations

import json
import logging
import re
import sys
from typing import Final

from mock_server.cli.log_lines import LineHandler
from mock_server.domain.instants import iso
from mock_server.http.redaction import cleaned_text
from mock_server.settings import Settings

ROOT: Final = "mock_server"

FIELDS: Final = (
    "request_id",
    "payment_id",
    "event_id",
    "event_type",
    "operation",
    "status",
    "cause",
    "fault",
    "attempt",
    "took_ms",
    "key",
    "replayed",
)
"""What a line can say beside its words, in this order; what it knows nothing of is left out."""
NAMED: Final = ("request_id", "payment_id", "event_id")
"""Those of them that stand in text too, where the words say the rest."""

# What an exception says could quote a part of a card number; our own messages name causes.
_PART_OF_A_NUMBER: Final = re.compile(r"\d(?:[ -]?\d){6,}", re.ASCII)


class TextFormatter(logging.Formatter):
    """`12:00:01 warning  what happened [req_… pay_…]`, and the traceback below it where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        text = f"{_instant(record)[11:19]} {record.levelname.lower():<8} {_message(record)}"
        if named := " ".join(str(value) for value in _said(record, NAMED).values()):
            first, line_end, rest = text.partition("\n")
            text = f"{first} [{named}]{line_end}{rest}"
        return f"{text}\n{_traceback(self, record)}" if record.exc_info else text


class JsonFormatter(logging.Formatter):
    """One object a line: `time`, `level`, `logger`, `message`, what is known of `FIELDS`, and a `traceback`."""

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
    """Send the package's log to stderr as the settings say, and return its logger."""
    handler = LineHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if settings.log_format == "json" else TextFormatter())
    logger = logging.getLogger(ROOT)
    logger.handlers = [handler]
    logger.setLevel(settings.log_level.upper())
    logger.propagate = False
    return logger


def _message(record: logging.LogRecord) -> str:
    return cleaned_text(record.getMessage())


def _said(record: logging.LogRecord, names: tuple[str, ...]) -> dict[str, object]:
    """What a line says of these beside its words; texts of callers are cleaned as the message is."""
    found = {name: getattr(record, name, None) for name in names}
    return {
        name: cleaned_text(value) if isinstance(value, str) else value
        for name, value in found.items()
        if value is not None
    }


def _traceback(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    text = formatter.formatException(record.exc_info) if record.exc_info else ""
    return _PART_OF_A_NUMBER.sub("[number]", cleaned_text(text))


def _instant(record: logging.LogRecord) -> str:
    return iso(int(record.created * 1_000))
