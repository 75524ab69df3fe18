"""Instants: milliseconds since the epoch in UTC, and how they are written (decisions "Words on the wire")."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Annotated, Final

from msgspec import Meta

SECOND_MS: Final = 1_000
MINUTE_MS: Final = 60 * SECOND_MS
HOUR_MS: Final = 60 * MINUTE_MS
DAY_MS: Final = 24 * HOUR_MS
LATEST: Final = 221_845_392_000_000
"""9000-01-01, so that events that are due years later still have a date."""
Instant = Annotated[int, Meta(ge=-62_135_596_800_000, le=253_402_300_799_999)]
"""An instant of the years 1 to 9999, which have dates; where records are read, others are refused."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_INSTANT: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)"  # the day
    r"(?:[Tt ]((?!24)\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)"  # the time; not 24:00, which newer versions of Python read
    r"([Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?",  # the offset
    re.ASCII,
)
_SPACED_OFFSET: Final = re.compile(r"(?<=\d) (?=\d\d:?\d\d$)", re.ASCII)


@lru_cache(maxsize=1024)
def iso(ms: int) -> str:
    """ISO 8601 in UTC with milliseconds and `Z`: `2026-01-31T09:05:00.000Z`."""
    seconds, rest = divmod(ms, 1_000)
    return f"{_to_the_second(seconds)}.{rest:03d}Z"


@lru_cache(maxsize=4096)
def _to_the_second(seconds: int) -> str:
    # One answer holds several instants of the same second, so most calls end here.
    return (_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=None).isoformat()


def iso_date(ms: int) -> str:
    """The UTC day alone: `2026-01-31`."""
    return iso(ms)[:10]


def iso_to_read(text: str) -> str:
    """An instant as `iso` writes it, to the second and for people: `2026-01-31 09:05:00`."""
    return f"{text[:10]} {text[11:19]}"


def parse(text: str) -> int:
    """Milliseconds of an ISO 8601 instant with offset or `Z`; a date alone is its midnight UTC.

    Digits after milliseconds are dropped. ValueError says what is wrong.
    """
    found = _INSTANT.fullmatch(text)
    if found is None:
        raise ValueError("is not an ISO 8601 timestamp such as 2026-01-31T09:05:00.000Z")
    date, time, offset = found.groups()
    if time is None:
        return _ms(f"{date}T00:00:00+00:00")
    if offset is None:
        raise ValueError("has no offset; end it with Z or with one such as +02:00")
    return _ms(f"{date}T{time}{offset.upper()}")


def parse_query(text: str) -> int:
    """As `parse`, for a query value, where an unescaped `+` before the offset has become a space."""
    return parse(_SPACED_OFFSET.sub("+", text) if "T" in text.upper() or text.count(" ") > 1 else text)


def _ms(text: str) -> int:
    try:
        # In UTC first: with its offset, a moment can be outside the years of a date.
        moment = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):  # whose own text differs between versions of Python
        raise ValueError("is not a valid date and time") from None
    return (moment - _EPOCH) // _MILLISECOND
