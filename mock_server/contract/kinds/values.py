"""The kinds of single values that are not text: as strict as JSON, each with its own message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from marshmallow import ValidationError, validate

from mock_server.contract.dialect import BodyRules
from mock_server.contract.kinds.base import FieldKind, Json
from mock_server.contract.notation import FREE, INSTANT, WHOLE
from mock_server.domain import limits
from mock_server.domain.instants import iso, parse, parse_query
from mock_server.guesses import guessed
from mock_server.jsontext import canonical
from mock_server.settings.durations import duration_ms, show_duration


class Whole(FieldKind):
    """An integer: neither `1.0` nor `"1"` nor `true`."""

    wrong = "must be an integer"
    takes = (int,)
    json_type: ClassVar[str | None] = "integer"
    json_form: ClassVar[Json] = WHOLE
    _TEXT: Final = re.compile(r"-?[0-9]{1,16}")

    def __init__(self, says: str = "", *, least: int | None = None, most: int | None = None, **more: Any) -> None:
        super().__init__(says, **more)
        self.least, self.most = least, most
        if least is not None or most is not None:
            is_open = most in (None, limits.JSON_INTEGER)
            words = f"must be at least {least}" if is_open else f"must be from {least} to {most}"
            self.validators.append(validate.Range(min=least, max=most, error=words))

    def from_text(self, text: str) -> Any:
        return int(text) if self._TEXT.fullmatch(text) else text


class Amount(Whole):
    """An amount in the lowest denomination (facts §4.4); in a loose dialect the engine looks at one that is `late`."""

    def __init__(self, says: str = "", *, least: int = 0, late: bool = False, **more: Any) -> None:
        most = limits.AMOUNT_MAX
        super().__init__(says, least=least, most=most, rule=lambda it: "amount_too_large" if it > most else "", **more)
        self.late = late

    def follow(self, rules: BodyRules) -> None:
        if rules.loose and self.late:
            self.validators = [] if self.least else [validate.Range(min=0, error="must be at least 0")]


class Decimal(FieldKind):
    """A number of any kind, as a float or an integer."""

    wrong = "must be a number"
    takes = (int, float)
    json_type: ClassVar[str | None] = "number"


class Flag(FieldKind):
    """`true` or `false`, and nothing that resembles them."""

    wrong = "must be true or false"
    takes = (bool,)
    json_type: ClassVar[str | None] = "boolean"
    _TEXTS: Final = {"true": True, "false": False}

    def from_text(self, text: str) -> Any:
        return self._TEXTS.get(text, text)


class Instant(FieldKind):
    """An ISO 8601 timestamp, loaded as milliseconds since the epoch, UTC (decisions "Words on the wire")."""

    wrong = "must be an ISO 8601 timestamp"
    takes = (str,)
    json_form: ClassVar[Json] = INSTANT

    def turn(self, value: Any) -> Any:
        try:
            return self.parsed(value)
        except ValueError as problem:
            raise ValidationError(str(problem)) from None

    def parsed(self, text: str) -> int:
        """The instant of a text; ValueError says what is wrong."""
        return parse(text)

    def from_text(self, text: str) -> Any:
        try:
            return iso(parse_query(text))
        except ValueError:
            return text


class Duration(FieldKind):
    """A time such as `250ms`, `30s`, `15m`, `24h` or `30d`, or a bare number of seconds; loaded as milliseconds."""

    wrong = "must be a duration such as 250ms, 30s, 15m, 24h or 30d"
    takes = (int, str)
    json_form: ClassVar[Json] = {"type": ["string", "integer"], "pattern": "^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"}

    def __init__(self, says: str = "", *, most_ms: int, **more: Any) -> None:
        super().__init__(says, **more)
        self.most_ms = most_ms

    def turn(self, value: Any) -> Any:
        try:
            ms = duration_ms(str(value))
        except ValueError:
            raise self.refuse(value) from None
        if ms > self.most_ms:
            raise ValidationError(f"must be at most {show_duration(self.most_ms)}")
        return ms


class Anything(FieldKind):
    """Any JSON value."""


class Free(FieldKind):
    """A free-form object: any keys, any values."""

    wrong = "must be an object"
    takes = (dict,)
    json_form: ClassVar[Json] = FREE


_NEARLY: Final = re.compile("sandbox|outcome|scenario", re.IGNORECASE)  # one slip leaves one of them as it is
STEERING: Final = ("sandbox_outcome", "sandbox_scenario")
"""Keys of metadata that the sandbox reads (decisions, Ways to choose an outcome)."""


def _missed(key: str) -> str | None:
    """The steering key that this one is but for a letter, its case or a sign between."""
    meant = guessed(key, STEERING, 0.9)
    return meant if meant and abs(len(meant) - len(key)) < 2 else None


class Metadata(Free):
    """Up to 50 pairs, keys of 40 characters, values of 500 in text or in compact JSON (interface §8.5)."""

    json_form: ClassVar[Json] = {
        **FREE,
        "maxProperties": limits.METADATA_PAIRS,
        "propertyNames": {"maxLength": limits.METADATA_KEY},
    }

    def __init__(self, says: str = f"Up to {limits.METADATA_PAIRS} key-value pairs of your own.", **more: Any) -> None:
        super().__init__(says, **more)

    def turn(self, value: Any) -> Any:
        pairs: Mapping[str, Any] = value
        if len(pairs) > limits.METADATA_PAIRS:
            raise ValidationError(f"must have at most {limits.METADATA_PAIRS} pairs, not {len(pairs)}")
        wrong: dict[str, list[str]] = {}
        for key, item in pairs.items():
            if len(key) > limits.METADATA_KEY:
                wrong[key] = [f"must have a key of at most {limits.METADATA_KEY} characters, not {len(key)}"]
            if (count := len(item) if type(item) is str else len(canonical(item))) > limits.METADATA_VALUE:
                # A number or an object counts the characters of its own JSON text, a text only its own.
                says = f"must be at most {limits.METADATA_VALUE} characters long, not {count}"
                wrong.setdefault(key, []).append(says)
            if key in STEERING and not (item is None or isinstance(item, str)):
                wrong.setdefault(key, []).append("must be text, since it steers the sandbox")
            elif key not in STEERING and _NEARLY.search(key) and (meant := _missed(key)):
                wrong.setdefault(key, []).append(f"would have no effect (did you mean {meant}?)")
        if wrong:
            raise ValidationError(wrong)
        return pairs
