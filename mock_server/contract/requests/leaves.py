"""Checks of single values, compiled from a field's type and validators: the leaves of `fast`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from marshmallow import ValidationError, fields, validate

from mock_server.contract.requests import fields as ours
from mock_server.contract.requests.metadata import is_fine
from mock_server.contract.requests.rules import Rule
from mock_server.domain.instants import parse

Check = Callable[[Any], Any]
"""Takes a value that is not null and gives what marshmallow would load it as, or raises LookupError."""


class NotQuick(LookupError):
    """Perhaps wrong: marshmallow must look at it."""


def ask(load: Check) -> Check:
    """A check that leaves it to marshmallow."""

    def check(value: Any) -> Any:
        try:
            return load(value)
        except ValidationError:
            raise NotQuick from None

    return check


def _text(field: fields.Field[Any]) -> Check:
    longest = _longest(field.validators)
    choices = _choices(field.validators)
    if choices is not None:
        return _word(choices) if len(field.validators) == 1 else ask(field.deserialize)
    tests = _tests(validator for validator in field.validators if not _is_upper_bound(validator))
    return _tested_text(longest, tests) if tests else _plain_text(longest)


def _longest(validators: Iterable[Any]) -> int:
    return min((bound.max for bound in validators if _is_upper_bound(bound)), default=2**62)


def _is_upper_bound(validator: Any) -> bool:
    return type(validator) is validate.Length and validator.min is None and validator.equal is None


def _choices(validators: Iterable[Any]) -> frozenset[str] | None:
    found = [validator for validator in validators if type(validator) is validate.OneOf]
    return frozenset(found[0].choices) if found else None


def _tests(validators: Iterable[Any]) -> list[Callable[[Any], object]]:
    return [validator.holds if isinstance(validator, Rule) else _passes(validator) for validator in validators]


def _passes(validator: Any) -> Callable[[Any], object]:
    def passes(value: Any) -> bool:
        try:
            return validator(value) is not False
        except ValidationError:
            return False

    return passes


def _plain_text(longest: int) -> Check:
    def check(value: Any) -> Any:
        if type(value) is str and len(value) <= longest:
            return value
        raise NotQuick

    return check


def _word(words: frozenset[str]) -> Check:
    def check(value: Any) -> Any:
        if type(value) is str and value in words:
            return value
        raise NotQuick

    return check


def _tested_text(longest: int, tests: list[Callable[[Any], object]]) -> Check:
    if len(tests) > 1:
        return _much_tested_text(longest, tests)
    holds = tests[0]

    def check(value: Any) -> Any:
        if type(value) is str and len(value) <= longest and holds(value):
            return value
        raise NotQuick

    return check


def _much_tested_text(longest: int, tests: list[Callable[[Any], object]]) -> Check:
    def check(value: Any) -> Any:
        if type(value) is str and len(value) <= longest and all(holds(value) for holds in tests):
            return value
        raise NotQuick

    return check


def _whole(field: fields.Field[Any]) -> Check:
    if any(type(validator) is not validate.Range for validator in field.validators):
        return ask(field.deserialize)
    least, most = _range(field.validators)

    def check(value: Any) -> Any:
        if type(value) is int and least <= value <= most:
            return value
        raise NotQuick

    return check


def _range(validators: list[Any]) -> tuple[float, float]:
    least = max((bound.min for bound in validators if bound.min is not None), default=float("-inf"))
    return least, min((bound.max for bound in validators if bound.max is not None), default=float("inf"))


def _flag(_: fields.Field[Any]) -> Check:
    def check(value: Any) -> Any:
        if value is True or value is False:
            return value
        raise NotQuick

    return check


def _instant(_: fields.Field[Any]) -> Check:
    def check(value: Any) -> Any:
        try:
            return parse(value) if type(value) is str else in_doubt()
        except ValueError:
            raise NotQuick from None

    return check


def in_doubt() -> Any:
    """Raises `NotQuick`, where a statement cannot stand."""
    raise NotQuick


def _free(_: fields.Field[Any]) -> Check:
    def check(value: Any) -> Any:
        return value if type(value) is dict else in_doubt()

    return check


def _metadata(_: fields.Field[Any]) -> Check:
    def check(value: Any) -> Any:
        return value if type(value) is dict and is_fine(value) else in_doubt()

    return check


def _anything(_: fields.Field[Any]) -> Check:
    return lambda value: value


LEAVES: Final[dict[type, Callable[[Any], Check]]] = {
    ours.Text: _text,
    ours.Choice: _text,
    ours.CallerId: _text,
    ours.Timestamp: _text,
    ours.Whole: _whole,
    ours.Amount: _whole,
    ours.Flag: _flag,
    ours.Instant: _instant,
    ours.Free: _free,
    ours.Metadata: _metadata,
    ours.Anything: _anything,
}
"""Who makes the check of a field of this very type; subclasses are another type."""
