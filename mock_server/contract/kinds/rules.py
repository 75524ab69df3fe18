"""Conditions for values beyond their type, with the messages for values that do not meet them.

A message follows the field's name and never repeats the value: it could be a card number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final

from marshmallow import ValidationError
from msgspec import Struct, field

from mock_server.domain import ids
from mock_server.domain.instants import DAY_MS, parse

NOW_MS: Final[ContextVar[int]] = ContextVar("now_ms")
"""The time at which a body is read, for rules such as "in the future"; rules get no argument but the value (ours)."""


class ValueRule(Struct, frozen=True):
    """A marshmallow validator from a condition; `says` is the message, or makes it from the value.

    `documented` is its part of a JSON Schema, `loose` the rule that replaces it in a less strict dialect.
    """

    holds: Callable[[Any], object]
    says: str | Callable[[Any], str | None]
    documented: Mapping[str, object] = field(default_factory=dict)
    loose: ValueRule | None = None

    def __call__(self, value: Any) -> Any:
        if not self.holds(value):
            raise ValidationError(self.says if isinstance(self.says, str) else self.says(value) or "is not valid")
        return value


class Cross(Struct, frozen=True):
    """A rule over several fields of an object that has them all; `blames` is the wrong one, None: the object."""

    needs: tuple[str, ...]
    holds: Callable[[Mapping[str, Any]], bool]
    says: str
    blames: str | None = None

    def is_met_by(self, loaded: Mapping[str, Any]) -> bool:
        """Whether it holds, or some of its fields are not there."""
        return any(loaded.get(name) is None for name in self.needs) or self.holds(loaded)


def one_of(names: tuple[str, ...], says: str) -> Cross:
    """A rule that at most one of these fields is sent."""
    return Cross((), lambda sent: len(sent) < 2 or sum(sent.get(name) is not None for name in names) < 2, says)


_LOCAL: Final = r"[^\s@<>()\[\],;:\"\\\x00-\x1f\x7f.]+(?:\.[^\s@<>()\[\],;:\"\\\x00-\x1f\x7f.]+)*"
_LABEL: Final = r"(?!-)[\w-]{1,63}(?<!-)"
is_email: Final = re.compile(rf"(?=[^@]{{1,64}}@){_LOCAL}@(?:{_LABEL}\.)+{_LABEL}").fullmatch
"""Whether a text looks like an email address: one @, a valid local part, a domain with a dot."""
_HOST: Final = r"\[[0-9A-Fa-f:.]{2,45}\]|[^\s/?#@:\[\]\\<>\"\x00-\x1f\x7f]+"
_TAIL: Final = r"[/?#][^\s\x00-\x1f\x7f]*"
_URL: Final = re.compile(rf"(?i:https?)://(?:[^\s/?#@\\\x00-\x1f\x7f]*@)?(?:{_HOST})(?::([0-9]{{1,5}}))?(?:{_TAIL})?")


def is_web_url(text: str) -> bool:
    """Whether this is an http or https URL with a host."""
    found = _URL.fullmatch(text)
    return found is not None and int(found[1] or 0) <= 65_535


def is_instant(text: str) -> bool:
    """Whether this is a timestamp that `instants.parse` reads."""
    try:
        parse(text)
    except ValueError:
        return False
    return True


def matches(pattern: str, says: str, loose: ValueRule | None = None) -> ValueRule:
    """A rule that the whole text fits a pattern."""
    return ValueRule(re.compile(pattern).fullmatch, says, {"pattern": f"^{pattern}$"}, loose)


def has_letter(text: str) -> bool:
    """Whether at least one character is a letter, of any alphabet."""
    return any(map(str.isalpha, text))


def month_now() -> str:
    """The present year and month, `202601`: later months are greater texts."""
    return _month_of(NOW_MS.get() // DAY_MS)


@lru_cache(maxsize=64)
def _month_of(day: int) -> str:
    return f"{datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=day):%Y%m}".rjust(6, "0")


IS_ID: Final = ValueRule(ids.is_caller_id, ids.problem_of, {"pattern": "^[A-Za-z0-9_-]{1,64}$"})
_IS_EMAIL_OR_EMPTY: Final = ValueRule(lambda text: not text or is_email(text), "must be an email address")
IS_EMAIL: Final = ValueRule(is_email, "must be an email address", {"format": "email"}, _IS_EMAIL_OR_EMPTY)
IS_WEB_URL: Final = ValueRule(is_web_url, "must be an http or https URL", {"format": "uri"})
IS_TIMESTAMP: Final = ValueRule(
    is_instant, "must be an ISO 8601 timestamp with an offset, or a date", {"format": "date-time"}
)
NOT_EMPTY: Final = ValueRule(str.strip, "must not be empty", {"pattern": r"\S"})
