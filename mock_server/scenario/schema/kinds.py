"""The sorts of values: each says what it takes, turns it into what the model wants, and describes itself.

A message is what comes after the key's name: `must be a whole number, not "x"`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from marshmallow import ValidationError, fields

from mock_server.scenario.conditions.when import show
from mock_server.scenario.model import durations
from mock_server.scenario.model.mistakes import nearest

Json = dict[str, Any]


class Kind(fields.Field[Any]):
    """A sort of value; `about` is its sentence in the JSON Schema."""

    default_error_messages = {"null": "must not be empty", "required": "is missing"}  # noqa: RUF012  # marshmallow's own way

    def __init__(self, about: str = "", **options: Any) -> None:
        self.about = about
        super().__init__(**options)

    def described(self) -> Json:
        """The JSON Schema of the value, with its sentence."""
        return {**self.json(), "description": self.about} if self.about else self.json()

    def json(self) -> Json:
        """The JSON Schema of the value."""
        return {}

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return self.read(value)

    def read(self, value: Any) -> Any:
        """What the model wants; ValidationError says what is wrong."""
        return value


def wrong(value: object, wanted: str, hint: str = "") -> ValidationError:
    """The usual message."""
    return ValidationError(f"must be {wanted}, not {show(value)}{hint}")


class Anything(Kind):
    """Any value at all."""

    def __init__(self, about: str = "", **options: Any) -> None:
        super().__init__(about, allow_none=True, **options)


class Text(Kind):
    """A text; a bare number is taken as its digits where `digits` says so."""

    def __init__(self, about: str = "", longest: int = 500, digits: bool = False, **options: Any) -> None:
        super().__init__(about, **options)
        self.longest = longest
        self.digits = digits

    def json(self) -> Json:
        return {"type": ["string", "integer"]} if self.digits else {"type": "string", "maxLength": self.longest}

    def read(self, value: Any) -> str:
        if self.digits and isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str):
            raise wrong(value, "text")
        if len(value) > self.longest:
            raise ValidationError(f"has {len(value)} characters; at most {self.longest} are taken")
        return value


class Name(Text):
    """A name of a scenario or a card."""

    FORM: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)

    def json(self) -> Json:
        return {"type": "string", "pattern": f"^{self.FORM.pattern}$"}

    def read(self, value: Any) -> str:
        text = super().read(value)
        if self.FORM.fullmatch(text) is None:
            raise wrong(value, "a name of letters, digits, _ . and - (at most 64)")
        if text == "none":
            raise ValidationError("must not be none, the word that ends a search for scenarios")
        return text


class Word(Kind):
    """One of a few words; the words may come from a table that is read when it is needed."""

    def __init__(
        self, words: Iterable[str] | Callable[[], Iterable[str]], what: str = "", about: str = "", **options: Any
    ) -> None:
        super().__init__(about, **options)
        self.words = words
        self.what = what

    def known(self) -> list[str]:
        """The words, in their table's order."""
        return [str(word) for word in (self.words() if callable(self.words) else self.words)]

    def json(self) -> Json:
        return {"enum": self.known()}

    def read(self, value: Any) -> str:
        known = self.known()
        if isinstance(value, str) and value in known:
            return value
        hint = nearest(value, known) if isinstance(value, str) else ""
        if self.what:
            raise ValidationError(f"names no {self.what}: {show(value)}{hint}")
        raise wrong(value, f"one of {', '.join(known)}", hint)


class Whole(Kind):
    """A whole number."""

    def __init__(self, low: int = 0, high: int = 1_000_000_000, about: str = "", **options: Any) -> None:
        super().__init__(about, **options)
        self.low = low
        self.high = high

    def json(self) -> Json:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}

    def read(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not self.low <= value <= self.high:
            raise wrong(value, f"a whole number from {self.low} to {self.high}")
        return value


class Truth(Kind):
    """`true` or `false`."""

    def json(self) -> Json:
        return {"type": "boolean"}

    def read(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise wrong(value, "true or false")
        return value


class Share(Kind):
    """A share of all: `0.5%`, or a number from 0 to 1."""

    FORM: Final = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6})?)\s?%", re.ASCII)

    def json(self) -> Json:
        return {
            "anyOf": [
                {"type": "string", "pattern": f"^{self.FORM.pattern}$"},
                {"type": "number", "minimum": 0, "maximum": 1},
            ]
        }

    def read(self, value: Any) -> float:
        share = self._share(value)
        if share is None or not 0 <= share <= 1:
            raise wrong(value, "a share such as 10% or 0.1")
        return share

    def _share(self, value: Any) -> float | None:
        if isinstance(value, str):
            found = self.FORM.fullmatch(value)
            return float(found[1]) / 100 if found else None
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


class Duration(Kind):
    """A duration, kept in milliseconds."""

    def json(self) -> Json:
        return {"type": "string", "pattern": f"^{durations.PATTERN}$"}

    def read(self, value: Any) -> int:
        if not isinstance(value, str):
            hint = (
                f"; write {value}s or {value}ms"
                if isinstance(value, int | float) and not isinstance(value, bool)
                else ""
            )
            raise wrong(value, "a duration such as 250ms, 30s, 15m, 24h or 30d", hint)
        try:
            return durations.duration_ms(value)
        except ValueError as found:
            raise ValidationError(f"{show(value)} {found}") from None
