"""What every kind of value has, and where its value goes: to the engine, into the record, or only into answers.

Each field has its place (`Text(…, place=KEPT)`). From these follow the values of a command, what create, update and
replace store in the record, what answers return, and which paths `when` may name.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, ClassVar, Final

import msgspec
from marshmallow import ValidationError, fields, validate
from msgspec import Struct, field

from mock_server.contract.dialect import BodyRules
from mock_server.contract.kinds.rules import ValueRule
from mock_server.domain.commands import JsonText
from mock_server.jsontext import canonical

Loaded = Mapping[str, Any]
Write = Callable[[Any], Any]

OWN: Final = ""
"""Instead of a name: the value's own."""


class FieldPlace(Struct, frozen=True):
    """Where one value goes, under which name; None: it does not go there.

    `command` is the command's attribute that the engine reads, `record` the record's attribute that stores it; with
    `echo`, answers return it, as JSON text. `write` converts the loaded value. `parts` are attributes of the record
    that are taken from within the value; with `read_parts` the engine reads them too.
    """

    command: str | None = None
    record: str | None = None
    echo: bool = False
    write: Write | None = None
    parts: Mapping[str, Write] = field(default_factory=dict)
    read_parts: bool = False


_encode: Final = msgspec.json.Encoder().encode


def known_text(value: Any) -> JsonText:
    """JSON text of a value that JavaScript would write in the same way: texts, integers, flags, under known names."""
    return _encode(value).decode()


def metadata_text(pairs: dict[str, Any]) -> JsonText:
    """The pairs as JSON text, in JavaScript's form; texts under plain names, the usual case, need no conversion."""
    for key, value in pairs.items():
        if type(value) is not str or key[:1].isdigit():
            return canonical(pairs)
    return _encode(pairs).decode()


_READ: Final = FieldPlace(command=OWN)
"""Read by the engine: the default."""
KEPT: Final = FieldPlace(record=OWN)
READ_AND_KEPT: Final = FieldPlace(command=OWN, record=OWN)
METADATA: Final = FieldPlace(record=OWN, write=metadata_text)
KEPT_TEXT: Final = FieldPlace(record=OWN, write=canonical)
"""Stored as JSON text, in the order and with the numbers of JavaScript."""
ECHOED: Final = FieldPlace(echo=True, write=known_text)
ECHOED_FREE: Final = FieldPlace(echo=True, write=canonical)
"""An echoed value that can contain anything, and so needs the order and the numbers of JavaScript."""
DROPPED: Final = FieldPlace()
"""Accepted, without effect, as a field's description says unless it has another."""


def read_as(make: Write) -> FieldPlace:
    """The engine reads the value, converted by `make`."""
    return FieldPlace(command=OWN, write=make)


Sent = tuple[dict[str, Any], dict[str, Any], dict[str, JsonText]]
"""The values of a body, by where they go: to the command, to the record, into answers."""


class Placing:
    """Sorts the values of one body by their places."""

    def __init__(self, rows: Iterable[tuple[str, Any]]) -> None:
        places: dict[str, FieldPlace] = {name: row.place for name, row in rows}
        self._loaded: PlacedRows = {}
        for name, place in places.items():
            command, record = (name if own == OWN else own for own in (place.command, place.record))
            whole = place if place.parts else None
            self._loaded[name] = None, None, None, None, command, record, place.echo, place.write, whole
        self.echoed: Final = frozenset(name for name, place in places.items() if place.echo)
        """The wire names of values that are only returned."""
        parts = {part for place in places.values() for part in place.parts}
        self.kept: Final = frozenset(row[5] for row in self._loaded.values() if row[5]) | parts
        """The attributes of the record that this body can set."""

    def __call__(self, loaded: Loaded) -> Sent:
        """What was sent, of loaded values; null means absent."""
        return read_and_placed(loaded, self._loaded, loaded.keys())

    def read_by(self, name: str, reading: Reading) -> PlacedRow:
        """How a value is read, and where it goes."""
        return *reading, *self._loaded[name][4:]

    def in_row_order(self, loaded: Loaded) -> Sent:
        """The same, in the order of the rows instead of the body's."""
        return self({name: loaded[name] for name in self._loaded if name in loaded})

    def whole(self, loaded: Loaded) -> Sent:
        """The same of a body that replaces everything: fields that it omits are carried as None."""
        command, carried, echo = self(loaded)
        return command, {**dict.fromkeys(self.kept), **carried}, echo


def read_and_placed(values: Loaded, rows: PlacedRows, nullable: Container[str]) -> Sent:
    """Reads the values as their rows say, and sorts them by their places; raises one of `DOUBTS` for a wrong one."""
    command: dict[str, Any] = {}
    carried: dict[str, Any] = {}
    echo: dict[str, JsonText] = {}
    for name, value in values.items():
        kind, turn, longest, holds, attribute, record, echoed, write, parts = rows[name]
        if type(value) is not kind and (kind is not None or value is None):
            if value is None and name in nullable:
                continue
            raise InDoubt
        if turn is not None:
            value = turn(value)
        if (longest is not None and len(value) > longest) or (holds is not None and not holds(value)):
            raise InDoubt
        made = value if write is None else write(value)
        if attribute is not None:
            command[attribute] = made
        if record is not None:
            carried[record] = made
        if echoed:
            echo[name] = made
        if parts is not None:
            _take_apart(parts, value, command, carried)
    return command, carried, echo


def _take_apart(place: FieldPlace, value: Any, command: dict[str, Any], carried: dict[str, Any]) -> None:
    for part, read in place.parts.items():
        carried[part] = found = read(value)  # also None: the value replaces the one that was there
        if place.read_parts:
            command[part] = found


Json = dict[str, Any]
Broken = tuple[str, Mapping[str, object]]
"""The name of the rule that a wrong value breaks, and values for a dialect's own message about it."""
Check = Callable[[Any], Any]
"""Takes a value and returns what marshmallow would load, or raises one of `DOUBTS`."""
Reading = tuple[type | None, Check | None, int | None, Check | None]
"""How a valid value is read: its type, what turns it into another, its greatest length, and what must hold of it."""
PlacedRow = tuple[
    type | None, Check | None, int | None, Check | None,
    str | None, str | None, bool, Write | None, FieldPlace | None,
]  # fmt: skip
"""A reading, and where the value goes: the attributes of command and record, whether it is returned, how it is written.

The last is the place, if parts of the value have places of their own.
"""
PlacedRows = dict[str, PlacedRow]


class InDoubt(LookupError):
    """Perhaps wrong: marshmallow must look at it."""


DOUBTS: Final = (LookupError, TypeError, ValidationError)
_UNBOUNDED: Final = 2**62
_READS: Final = ("read", "deserialize", "_deserialize", "_validate")


class FieldKind(fields.Field[Any]):
    """One kind of value: description, source, example, place. Messages follow the field's name and repeat no value."""

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
    json_form: ClassVar[Json] = {}
    """The JSON Schema, if it is the same for all fields of this kind."""

    def __init__(
        self,
        says: str = "",
        *,
        source: str = "",
        example: Any = None,
        place: FieldPlace = _READ,
        rules: Iterable[Callable[[Any], Any]] = (),
        rule: str | Callable[[Any], str] = "",
        **more: Any,
    ) -> None:
        says = says or ("Accepted, but has no effect." if place is DROPPED else "")
        known = {"description": says, "source": source, "example": example}
        metadata = {key: value for key, value in known.items() if value not in ("", None)}
        self.about = says
        self.place = place
        self.rule = rule
        """The name of the rule that a wrong value of the right type breaks, if it has one."""
        super().__init__(metadata=metadata, validate=list(rules), **more)

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
            return "needed" if self.rule == "needed" else "type", {}  # a form's part counts as missing then
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
        """Its JSON Schema with its own rules, besides the other checks."""
        shown = {**self.json_form} or ({"type": self.json_type} if self.json_type else {})
        for rule in self.validators:
            shown |= rule.documented if isinstance(rule, ValueRule) else {}
        return shown

    def from_text(self, text: str) -> Any:
        """A query's text as the value that a body would have; other texts stay as they are, and are refused."""
        return text


def _test(rule: Any) -> Check | None:
    """What a rule says of a value, if that can be asked without marshmallow."""
    if type(rule) is validate.Range:
        least, most = (-_UNBOUNDED if rule.min is None else rule.min, _UNBOUNDED if rule.max is None else rule.max)
        return range(least, most + 1).__contains__
    return rule.holds if isinstance(rule, ValueRule) else None
