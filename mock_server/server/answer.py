"""What goes to the client: a head and a body, or a head and pieces.

The app gives status and header fields; this module decides where the body ends and whether the connection stays open,
so an app's Content-Length, Connection or Transfer-Encoding breaks no connection by accident.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from http import HTTPStatus
from typing import Final, NamedTuple
from wsgiref.handlers import format_date_time

from mock_server.clock import Clock

Fields = Sequence[tuple[str, str]]

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
LAST_CHUNK: Final = b"0\r\n\r\n"
NO_GUESSING: Final = ("X-Content-Type-Options", "nosniff")
"""Part of every answer: no browser interprets the body as anything else than its Content-Type."""
OWN_FIELDS: Final = frozenset((
    "content-length", "connection", "keep-alive", "te", "trailers", "transfer-encoding", "upgrade",
    "proxy-authenticate", "proxy-authorization", NO_GUESSING[0].lower(),
))  # fmt: skip
_ALWAYS: Final = "{}: {}\r\n".format(*NO_GUESSING)
STATUS_LINES: Final = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}


class End(Enum):
    """How the client learns where the body ends."""

    LENGTH = "length"
    CHUNKS = "chunks"
    CLOSE = "close"


class Composed(NamedTuple):
    """A head, what ends the body, the announced length, and whether the connection stays open."""

    head: bytes
    end: End
    length: int
    keep_alive: bool


def status_line(status: int) -> str:
    """Return a status with its phrase, as WSGI writes it."""
    return STATUS_LINES.get(status) or f"{status} Unknown"


def never_has_body(status: str) -> bool:
    """Whether answers of this status end with their head (RFC 9110 §6.4.1)."""
    return status.startswith(("204", "304", "1"))


def said_length(fields: Fields) -> int | None:
    """Return the Content-Length from the app, None without a valid one."""
    for name, value in fields:
        if name.lower() == "content-length":
            return int(value) if value.isdecimal() and value.isascii() else None
    return None


def compose(
    status: str, fields: Fields, length: int | None, date: str, *, is_modern: bool, keep_alive: bool
) -> Composed:
    """Make the head of an answer; `length` is None if unknown. Raises ValueError for what no head may have."""
    lines, closes, is_dated = _lines(fields)
    if not is_dated:
        lines.append(date)
    keep_alive = keep_alive and not closes
    end = End.LENGTH
    if never_has_body(status):
        pass
    elif length is not None:
        lines.append(f"Content-Length: {length}\r\n")
    elif is_modern:
        end = End.CHUNKS
        lines.append("Transfer-Encoding: chunked\r\n")
    else:
        end, keep_alive = End.CLOSE, False
    if not keep_alive:
        lines.append("Connection: close\r\n")
    elif not is_modern:
        lines.append("Connection: keep-alive\r\n")
    text = f"HTTP/1.1 {status}\r\n{''.join(lines)}{_ALWAYS}\r\n"
    if not text.count("\n") == text.count("\r") == len(lines) + 3:
        raise ValueError("a status or a header field of the answer has a line break in it")
    return Composed(text.encode("latin-1"), end, length or 0, keep_alive)


def _lines(fields: Fields) -> tuple[list[str], bool, bool]:
    """Return the app's own fields as lines, whether it wants the connection closed, and whether a Date is there."""
    lines, closes, is_dated = [], False, False
    for name, value in fields:
        key = name.lower()
        if key not in OWN_FIELDS:
            lines.append(f"{name}: {value}\r\n")
            is_dated = is_dated or key == "date"
        elif key == "connection":
            closes = "close" in value.lower()
    return lines, closes, is_dated


def chunk(data: bytes) -> bytes:
    """Return one piece of a body as a chunk (RFC 9112 §7.1)."""
    return b"%x\r\n%b\r\n" % (len(data), data)


class DateField:
    """The Date field's line, made once a second."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until = -math.inf
        self._line = ""

    def line(self, now: float) -> str:
        """Return the line; `now` is the loop's, in seconds of the monotonic clock."""
        if now >= self._until:
            second, ms = divmod(self._clock.now_ms(), 1000)
            self._until = now + 1 - ms / 1000
            self._line = f"Date: {format_date_time(second)}\r\n"
        return self._line
