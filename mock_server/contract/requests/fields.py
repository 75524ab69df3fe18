"""The kinds of field that a request can have: as strict as JSON, each with the words for its own "no".

Every message is said after the field's name and repeats no value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final

from marshmallow import Schema, ValidationError, fields, validate

from mock_server.contract.requests.rules import Rule, is_email, is_instant, is_web_url
from mock_server.domain import ids, limits
from mock_server.domain.countries import COUNTRIES
from mock_server.domain.instants import parse
from mock_server.domain.money import CURRENCIES


class Described:
    """What every field of ours has: a description, an example, a source, and the words for a wrong type."""

    wrong: ClassVar[str] = "is not valid"

    def __init__(self, says: str = "", *, source: str = "", example: Any = None, **more: Any) -> None:
        told = {"description": says, "source": source, "example": example}
        super().__init__(  # type: ignore[call-arg]  # the next class in line is one of marshmallow's
            metadata={key: value for key, value in told.items() if value not in ("", None)},
            error_messages={**_MESSAGES, "invalid": self.wrong},
            **more,
        )


_MESSAGES: Final = {"required": "is required", "null": "is required and must not be null", "too_large": "is too large"}


class Text(Described, fields.String):
    """Text of at most `most` characters (code points)."""

    wrong = "must be a string"

    def __init__(
        self, says: str = "", *, most: int = limits.TEXT, rules: Iterable[Callable[[Any], Any]] = (), **more: Any
    ) -> None:
        super().__init__(says, validate=[length(most), *rules], **more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise self.make_error("invalid")
        return value


class Choice(Text):
    """One of a known set of words; `error` says so where they are too many to name."""

    def __init__(self, choices: Iterable[str], says: str = "", *, error: str | None = None, **more: Any) -> None:
        super().__init__(says, **more)
        words = tuple(choices)
        self.validators = [validate.OneOf(words, error=error or f"must be one of {', '.join(words)}")]


class Whole(Described, fields.Integer):
    """An integer: neither `1.0` nor `"1"` nor `true`."""

    wrong = "must be an integer"

    def __init__(self, says: str = "", *, least: int | None = None, most: int | None = None, **more: Any) -> None:
        super().__init__(says, strict=True, validate=within(least, most), **more)


class Amount(Whole):
    """An amount in the currency's lowest denomination (facts §4.4)."""

    def __init__(self, says: str = "", **more: Any) -> None:
        super().__init__(says, least=0, most=int(limits.AMOUNT_MAX), **more)


class Decimal(Described, fields.Float):
    """A number of any kind, as a float or an integer."""

    wrong = "must be a number"

    def _validated(self, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.make_error("invalid")
        return value


class Flag(Described, fields.Boolean):
    """`true` or `false`, and nothing that resembles them."""

    wrong = "must be true or false"

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid")
        return value


class Instant(Described, fields.Field[int]):
    """An ISO 8601 timestamp, loaded as milliseconds since the epoch, UTC (decisions "Words on the wire")."""

    wrong = "must be an ISO 8601 timestamp"

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if not isinstance(value, str):
            raise self.make_error("invalid")
        try:
            return parse(value)
        except ValueError as problem:
            raise ValidationError(str(problem)) from None


class Timestamp(Text):
    """An ISO 8601 timestamp that is kept as it was written."""

    wrong = "must be an ISO 8601 timestamp"

    def __init__(self, says: str = "", **more: Any) -> None:
        super().__init__(says, **more)
        self.validators = [IS_TIMESTAMP]


class Free(Described, fields.Raw):
    """A free-form object: any keys, any values."""

    wrong = "must be an object"

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise self.make_error("invalid")
        return value


class Anything(Described, fields.Raw):
    """Any JSON value."""


class Part(Described, fields.Nested):
    """An object of a known shape; the schema is named late, in a lambda, so that it is made when it is needed."""

    def __init__(self, nested: Callable[[], type[Schema]], says: str = "", **more: Any) -> None:
        super().__init__(says, nested=nested, **more)

    def schema_for(self, value: Any) -> Schema:
        """The schema that reads this value."""
        return self.schema


class Items(Described, fields.List[Any]):
    """An array of one kind of field."""

    wrong = "must be an array"

    def __init__(self, inner: fields.Field[Any], says: str = "", **more: Any) -> None:
        super().__init__(says, cls_or_instance=inner, **more)


class OneOrMany(Items):
    """One value or an array of them, loaded as a tuple (interface §8.2, decisions "Words on the wire")."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, list):
            return tuple(super()._deserialize(value, attr, data, **kwargs))
        return (self.inner.deserialize(value, **kwargs),)


class Variant(Described, fields.Field[Any]):
    """An object whose key `on` says which schema reads it; `otherwise` reads one that names none of them."""

    def __init__(
        self,
        on: str,
        variants: Mapping[str, Callable[[], type[Schema]]],
        otherwise: Callable[[], type[Schema]],
        says: str = "",
        **more: Any,
    ) -> None:
        super().__init__(says, **more)
        self.on, self.variants, self.otherwise = on, variants, otherwise
        self._made: dict[object, Schema] = {}

    def schema_for(self, value: Any) -> Schema:
        """The schema that reads this value."""
        word = value.get(self.on) if isinstance(value, dict) else None
        known = word if isinstance(word, str) and word in self.variants else None
        if known not in self._made:
            self._made[known] = (self.otherwise if known is None else self.variants[known])()()
        return self._made[known]

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return self.schema_for(value).load(value)


class Metadata(Free):
    """Up to 50 pairs, keys of 40 characters, values of 500 in text or in compact JSON (interface §8.5)."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        pairs = super()._deserialize(value, attr, data, **kwargs)
        from mock_server.contract.requests.metadata import mistakes_of

        mistakes = mistakes_of(pairs)
        if mistakes:
            raise ValidationError(mistakes)
        return pairs


def length(most: int) -> validate.Length:
    """A bound on a text's code points."""
    return validate.Length(max=int(most), error=f"must be at most {int(most)} characters long")


def within(least: int | None, most: int | None) -> validate.Range | None:
    """A bound on a number."""
    if least is None and most is None:
        return None
    words = f"must be at least {least}" if most is None else f"must be from {least} to {most}"
    return validate.Range(min=least, max=most, error=words)


IS_ID = Rule(ids.is_caller_id, ids.problem_of, {"pattern": "^[A-Za-z0-9_-]{1,64}$"})
IS_EMAIL = Rule(is_email, "must be an e-mail address", {"format": "email"})
IS_WEB_URL = Rule(is_web_url, "must be an http or https URL", {"format": "uri"})


IS_TIMESTAMP = Rule(is_instant, "must be an ISO 8601 timestamp with an offset, or a date", {"format": "date-time"})


class CallerId(Text):
    """An id that the caller may choose (facts §2.10)."""

    def __init__(self, says: str = "", **more: Any) -> None:
        super().__init__(says, **more)
        self.validators = [IS_ID]


def email_address(says: str = "", **more: Any) -> Text:
    """An e-mail address."""
    return Text(says, rules=[IS_EMAIL], **more)


def web_url(says: str = "", *, most: int = limits.RETURN_URL, **more: Any) -> Text:
    """An http or https URL."""
    return Text(says, most=most, rules=[IS_WEB_URL], **more)


def country_code(says: str = "", **more: Any) -> Choice:
    """A two-letter country code."""
    return Choice(sorted(COUNTRIES), says, error="must be a two-letter ISO 3166 country code in capitals", **more)


def currency_code(says: str = "", **more: Any) -> Choice:
    """A three-letter currency code."""
    codes = (row.code for row in CURRENCIES)
    return Choice(codes, says, error="must be a three-letter ISO 4217 currency code in capitals", **more)
