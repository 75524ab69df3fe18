"""The kinds of values of the scenario language: some of those of bodies, and its own.

Messages of its own show the value, because the file is the reader's own: `must be a whole number from 0 to 5, not "x"`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Final

from marshmallow import ValidationError

from mock_server.contract.kinds.base import FieldKind, Json
from mock_server.contract.kinds.texts import Text
from mock_server.contract.kinds.values import Anything, Flag, Whole
from mock_server.contract.notation import words
from mock_server.dialects import get
from mock_server.domain.statuses import ALIASES
from mock_server.scenario.conditions.when import is_number, show
from mock_server.scenario.model.mistakes import nearest
from mock_server.scenario.schema.long_work import in_turns
from mock_server.settings.durations import SPELLED_OUT, spelled_out_ms


def wrong(value: object, wanted: str, hint: str = "") -> ValidationError:
    """The usual message."""
    return ValidationError(f"must be {wanted}, not {show(value)}{hint}")


def read_each(
    items: Iterable[tuple[Any, Any]],
    read: Callable[[Any, Any], Any],
    part: Callable[[ValidationError], Any] | None = None,
) -> list[Any]:
    """Reads each item. ValidationError has the mistakes by key; with `part`, also what could be read of all items."""
    made: list[Any] = []
    errors: dict[Any, Any] = {}
    for key, value in in_turns(items):
        try:
            made.append(read(key, value))
        except ValidationError as found:
            errors[key] = found.messages
            made.append(part and part(found))
    if errors:
        raise ValidationError(errors, valid_data=made if part else None)
    return made


class ScenarioKind(FieldKind):
    """A kind of value of the language; its sentence is in the JSON Schema."""

    default_error_messages: dict[str, Any] = {"null": "must not be empty", "required": "is missing"}  # noqa: RUF012 — marshmallow's own form

    def refuse(self, value: object) -> ValidationError:
        return ValidationError(f"{self.wrong}, not {show(value)}")


def described(kind: FieldKind) -> Json:
    """The JSON Schema of a value, with its sentence."""
    return {**kind.json(), "description": kind.about} if kind.about else kind.json()


def anything(about: str = "") -> Anything:
    """Any value at all."""
    return Anything(about, allow_none=True)


class Truth(ScenarioKind, Flag):
    """`true` or `false`."""


class ScenarioText(ScenarioKind, Text):
    """A text."""

    wrong = "must be text"

    def __init__(self, about: str = "", longest: int = 500, **options: Any) -> None:
        super().__init__(about, most=longest, **options)
        self.validators = [self.only] if self.only else []

    def json(self) -> Json:
        return {"type": "string", "maxLength": self.most, **(self.only.documented if self.only else {})}

    def read(self, value: Any) -> Any:
        text = super().read(value)
        if len(text) > self.most:
            raise ValidationError(f"has {len(text)} characters; the maximum is {self.most}")
        return text


class ScenarioWhole(ScenarioKind, Whole):
    """A whole number."""

    def __init__(self, low: int = 0, high: int = 1_000_000_000, about: str = "", **options: Any) -> None:
        super().__init__(about, **options)
        self.low, self.high = low, high
        self.wrong = f"must be a whole number from {low} to {high}"

    def json(self) -> Json:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}

    def read(self, value: Any) -> Any:
        if not self.low <= super().read(value) <= self.high:
            raise self.refuse(value)
        return value


class Written(ScenarioKind):
    """A text of one form; `wanted` says which."""

    FORM: ClassVar[re.Pattern[str]]
    wanted: ClassVar[str]

    def json(self) -> Json:
        return {"type": "string", "pattern": f"^{self.FORM.pattern}$"}

    def read(self, value: Any) -> Any:
        text = super().read(value)
        if not isinstance(text, str) or self.FORM.fullmatch(text) is None:
            raise wrong(value, self.wanted)
        return text


class Name(Written, ScenarioText):
    """A name of a scenario or a card."""

    FORM = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)
    wanted = "a name of letters, digits, _ . and - (at most 64)"

    def read(self, value: Any) -> Any:
        if super().read(value) == "none":
            raise ValidationError("must not be none, which is reserved")
        return value


class Word(ScenarioKind):
    """One of a few words."""

    def __init__(self, words: Iterable[str], what: str = "", about: str = "", **options: Any) -> None:
        super().__init__(about, **options)
        self.words = [str(word) for word in words]
        self.what = what

    def json(self) -> Json:
        return words(self.words)

    def read(self, value: Any) -> str:
        if isinstance(value, str) and value in self.words:
            return str(ALIASES.get(value, value))
        hint = nearest(value, self.words)
        if self.what:
            raise ValidationError(f"is not a valid {self.what}: {show(value)}{hint}")
        raise wrong(value, f"one of {', '.join(self.words)}", hint)


class Share(ScenarioKind):
    """A share of all: `0.5%`, or a number from 0 to 1."""

    FORM: Final = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6})?)\s?%", re.ASCII)
    json_form: ClassVar[Json] = {
        "anyOf": [{"type": "string", "pattern": f"^{FORM.pattern}$"}, {"type": "number", "minimum": 0, "maximum": 1}]
    }

    def read(self, value: Any) -> float:
        found = self.FORM.fullmatch(value) if isinstance(value, str) else None
        share = float(found[1]) / 100 if found else value
        if not is_number(share) or not 0 <= share <= 1:
            raise wrong(value, "a share such as 10% or 0.1")
        return float(share)


class Percent(Written):
    """A whole percentage, kept as text."""

    FORM = re.compile(r"(?:[1-9][0-9]?|100)%", re.ASCII)
    wanted = "minor units, or a whole percentage from 1% to 100%"


class ScenarioDuration(ScenarioKind):
    """A duration, kept in milliseconds."""

    json_form: ClassVar[Json] = {"type": "string", "pattern": f"^{SPELLED_OUT}$"}

    def __init__(self, about: str = "", least_ms: int = 0, **options: Any) -> None:
        super().__init__(about, **options)
        self.least_ms = least_ms

    def read(self, value: Any) -> int:
        if not isinstance(value, str):
            hint = f"; write {value}s or {value}ms" if is_number(value) else ""
            raise wrong(value, "a duration such as 250ms, 30s, 15m, 24h or 30d", hint)
        try:
            ms = spelled_out_ms(value)
        except ValueError as found:
            raise ValidationError(f"{show(value)} {found}") from None
        if ms < self.least_ms:
            raise wrong(value, f"at least {self.least_ms}ms")
        return ms


ERROR_CODES: Final = get("interface").codes


class ErrorCode(Written):
    """A code of the catalogue of public errors: `HE_00`."""

    FORM = re.compile(r"[A-Z]{2}_[0-9]{2}", re.ASCII)
    wanted = "an error code such as HE_00"

    def json(self) -> Json:
        return words(ERROR_CODES)

    def read(self, value: Any) -> Any:
        if super().read(value) not in ERROR_CODES:
            raise ValidationError(f"is not an error code of the API: {show(value)}{nearest(value, ERROR_CODES)}")
        return value


class HeaderName(Written):
    """The name of a header."""

    FORM = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}", re.ASCII)
    wanted = "a header name"


class HeaderValue(ScenarioText):
    """The value of a header; numbers are written as text, line breaks are refused."""

    def json(self) -> Json:
        return {"type": ["string", "number"], "maxLength": self.most}

    def read(self, value: Any) -> Any:
        if is_number(value):
            return str(value)
        if not isinstance(value, str) or re.search("[\0-\b\n-\x1f\x7f]", value):
            raise wrong(value, "a header value on one line")
        try:
            value.encode("latin-1")
        except UnicodeEncodeError:
            raise wrong(value, "a header value in Latin-1") from None
        return super().read(value)


class Span(ScenarioKind):
    """Two durations, the shorter first."""

    json_form: ClassVar[Json] = {"type": "array", "items": ScenarioDuration.json_form, "minItems": 2, "maxItems": 2}

    def read(self, value: Any) -> tuple[int, int]:
        if not isinstance(value, list) or len(value) != 2:
            raise wrong(value, "two durations such as [100ms, 2s]")
        kind = ScenarioDuration()
        low, high = kind.read(value[0]), kind.read(value[1])
        if low >= high:
            raise ValidationError(f"must have the shorter duration first, not {show(value)}")
        return low, high
