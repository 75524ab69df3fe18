"""What every kind of value has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final

from marshmallow import ValidationError, fields

from mock_server.contract.bodies import BodyRules
from mock_server.contract.kinds.places import READ, FieldPlace

Json = dict[str, Any]
Broken = tuple[str, Mapping[str, object]]
"""The name of the rule that a wrong value breaks, and values for a dialect's own message about it."""
Check = Callable[[Any], Any]
"""Takes a value that is not null and returns what marshmallow would load, or raises LookupError or TypeError."""


class NotQuick(LookupError):
    """Perhaps wrong: marshmallow must look at it."""


def ask(load: Check) -> Check:
    """A check in which marshmallow decides."""

    def check(value: Any) -> Any:
        try:
            return load(value)
        except ValidationError:
            raise NotQuick from None

    return check


def in_doubt() -> Any:
    """Raises `NotQuick`, within an expression."""
    raise NotQuick


_READS: Final = frozenset({"read", "_deserialize", "_validate"})


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
    """The accepted types, if that is the only condition; a boolean is not a number."""
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

    def __init_subclass__(cls, **more: Any) -> None:
        """A class that overrides how a value is read does not inherit `quick`."""
        super().__init_subclass__(**more)
        if _READS & cls.__dict__.keys() and "quick" not in cls.__dict__:
            cls.quick = FieldKind.quick  # type: ignore[method-assign]  # the base's own, past those between

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return self.read(value)

    def read(self, value: Any) -> Any:
        """Loads a value that is not null, before its rules. Raises ValidationError."""
        is_odd = isinstance(value, bool) and bool not in self.takes
        if self.takes and (is_odd or not isinstance(value, self.takes)):
            raise self.refuse(value)
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

    def quick(self) -> Check:
        """A plain function that reads valid values."""
        return ask(self.deserialize)

    def json(self) -> Json:
        """Its JSON Schema, besides the type and the checks."""
        return {}

    def from_text(self, text: str) -> Any:
        """A query's text as the value that a body would have; other texts stay as they are, and are refused."""
        return text
