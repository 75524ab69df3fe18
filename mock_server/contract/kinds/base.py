"""What every kind of value has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final

from marshmallow import ValidationError, fields, validate

from mock_server.contract.dialect import BodyRules
from mock_server.contract.kinds.places import READ, FieldPlace
from mock_server.contract.kinds.rules import ValueRule

Json = dict[str, Any]
Broken = tuple[str, Mapping[str, object]]
"""The name of the rule that a wrong value breaks, and values for a dialect's own message about it."""
Check = Callable[[Any], Any]
"""Takes a value and returns what marshmallow would load, or raises one of `DOUBTS`."""
Reading = tuple[type | None, Check | None, int | None, Check | None]
"""How a valid value is read: its type, what turns it into another, its greatest length, and what must hold of it."""


class InDoubt(LookupError):
    """Perhaps wrong: marshmallow must look at it."""


DOUBTS: Final = (LookupError, TypeError, ValidationError)
_UNBOUNDED: Final = 2**62
_READS: Final = ("read", "deserialize", "_deserialize", "_validate")


class FieldKind(fields.Field[Any]):
    """One kind of value, with its description, its source, an example, and where its value goes.

    Every message follows the field's name and repeats no value.
    """

    default_error_messages: dict[str, Any] = {  # noqa: RUF012 — marshmallow's own form
        "required": "is required",
        "null": "is required and must not be null",
    }
    wrong: str = "is not valid"
    """The message for a value of another type."""
    takes: ClassVar[tuple[type, ...]] = ()
    """The accepted types, if not all are; a boolean is not a number."""
    json_type: ClassVar[str | None] = None
    """The type in JSON Schema."""

    def __init__(
        self,
        says: str = "",
        *,
        source: str = "",
        example: Any = None,
        place: FieldPlace = READ,
        rules: Iterable[Callable[[Any], Any]] = (),
        rule: str | Callable[[Any], str] = "",
        **more: Any,
    ) -> None:
        known = {"description": says, "source": source, "example": example}
        self.about = says
        self.place = place
        self.rule = rule
        """The name of the rule that a wrong value of the right type breaks, if it has one."""
        super().__init__(
            metadata={key: value for key, value in known.items() if value not in ("", None)},
            validate=list(rules),
            **more,
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return self.read(value)

    def read(self, value: Any) -> Any:
        """Loads a value that is not null, before its rules. Raises ValidationError."""
        is_odd = isinstance(value, bool) and bool not in self.takes
        if self.takes and (is_odd or not isinstance(value, self.takes)):
            raise self.refuse(value)
        return self.turn(value)

    def turn(self, value: Any) -> Any:
        """What a value of the right type is loaded as. Raises ValidationError."""
        return value

    def follow(self, rules: BodyRules) -> None:
        """Applies a dialect's rules for what is inside the value."""

    def broken(self, value: object) -> Broken:
        """Which rule a wrong value breaks."""
        try:
            self.read(value)
        except ValidationError:
            return "type", {}
        return self.broken_rule(value)

    def broken_rule(self, value: Any) -> Broken:
        """Which rule a wrong value of the right type breaks."""
        return self.rule if isinstance(self.rule, str) else self.rule(value), {}

    def refuse(self, value: object) -> ValidationError:
        """The error for a value of another type."""
        return ValidationError(self.wrong)

    def turner(self) -> Check | None:
        """The same as `turn`, compiled; None if values stay as they are."""
        return None if type(self).turn is FieldKind.turn else self.turn

    def reading(self) -> Reading:
        """How valid values are read, by the type, `turn` and the rules; in marshmallow's way if that is not all."""
        longest = [rule.max for rule in self.validators if type(rule) is validate.Length and rule.min is rule.equal]
        tests = [test for rule in self.validators if (test := _test(rule))]
        known = len(tests) + len(longest) == len(self.validators) and len(longest) < 2 and len(self.takes) < 2
        if not known or any(getattr(type(self), name) is not getattr(FieldKind, name) for name in _READS):
            return None, self.deserialize, None, None
        holds = tests[0] if len(tests) == 1 else (lambda value: all(test(value) for test in tests)) if tests else None
        return next(iter(self.takes), None), self.turner(), next(iter(longest), None), holds

    def json(self) -> Json:
        """Its JSON Schema, besides the type and the checks."""
        return {}

    def from_text(self, text: str) -> Any:
        """A query's text as the value that a body would have; other texts stay as they are, and are refused."""
        return text


def _test(rule: Any) -> Check | None:
    """What a rule says of a value, if that can be asked without marshmallow."""
    if type(rule) is validate.OneOf:
        return frozenset(map(str, rule.choices)).__contains__
    if type(rule) is validate.Range:
        least, most = (-_UNBOUNDED if rule.min is None else rule.min, _UNBOUNDED if rule.max is None else rule.max)
        return range(least, most + 1).__contains__
    return rule.holds if isinstance(rule, ValueRule) else None
