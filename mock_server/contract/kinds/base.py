"""What every kind of value has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final

from marshmallow import ValidationError, fields

from mock_server.contract.bodies import BodyRules
from mock_server.contract.kinds.places import READ, FieldPlace

Json = dict[str, Any]
Broken = tuple[str, Mapping[str, object]]
"""The name of the rule that a wrong value breaks, and what a dialect's own sentence about it may name."""
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


def in_doubt() -> Any:
    """Raises `NotQuick`, where a statement cannot stand."""
    raise NotQuick


_READS: Final = frozenset({"read", "_deserialize", "_validate"})


class FieldKind(fields.Field[Any]):
    """One kind of value, with its sentence, its source, an example, and where in a body it goes.

    Every message is said after the field's name and repeats no value.
    """

    default_error_messages: dict[str, Any] = {  # noqa: RUF012 — marshmallow's own form
        "required": "is required",
        "null": "is required and must not be null",
    }
    wrong: str = "is not valid"
    """The sentence for a value of another type."""
    takes: ClassVar[tuple[type, ...]] = ()
    """The types that it takes, if they are all that it asks for; a truth value is no number."""
    json_type: ClassVar[str | None] = None
    """The type in JSON Schema, where its checks say the rest."""

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
        told = {"description": says, "source": source, "example": example}
        self.about = says
        self.place = place
        self.rule = rule
        """What a value of the right type that is wrong all the same breaks, where that has a name of its own."""
        super().__init__(
            metadata={key: value for key, value in told.items() if value not in ("", None)},
            validate=list(rules),
            **more,
        )

    def __init_subclass__(cls, **more: Any) -> None:
        """What reads in its own way is quick in its own way, or not at all."""
        super().__init_subclass__(**more)
        if _READS & cls.__dict__.keys() and "quick" not in cls.__dict__:
            cls.quick = FieldKind.quick  # type: ignore[method-assign]  # the base's own, past those between

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return self.read(value)

    def read(self, value: Any) -> Any:
        """What a value that is not null is loaded as, before its rules; ValidationError says what is wrong."""
        is_odd = isinstance(value, bool) and bool not in self.takes
        if self.takes and (is_odd or not isinstance(value, self.takes)):
            raise self.refuse(value)
        return value

    def follow(self, rules: BodyRules) -> None:
        """Takes over what a dialect says otherwise of what is inside the value."""

    def broken(self, value: object) -> Broken:
        """Which rule a wrong value breaks."""
        try:
            self.read(value)
        except ValidationError:
            return "type", {}
        return self.broken_rule(value)

    def broken_rule(self, value: Any) -> Broken:
        """The same of a value of the right type."""
        return self.rule if isinstance(self.rule, str) else self.rule(value), {}

    def refuse(self, value: object) -> ValidationError:
        """What is wrong with a value of another type."""
        return ValidationError(self.wrong)

    def quick(self) -> Check:
        """The same for values that are right, as a plain function."""
        return ask(self.deserialize)

    def json(self) -> Json:
        """What a JSON Schema says of it beside its type and its checks."""
        return {}

    def from_text(self, text: str) -> Any:
        """A query's text as the value that a body would have; what is none stays text, and is refused."""
        return text
