"""A schema's own fields compiled to plain functions, for the case that nothing is wrong.

marshmallow's load is the larger half of a create. What is made here reads a schema's fields and validators and
accepts only values that it can tell marshmallow would accept, with the same result; in every doubt it raises `Doubt`
and marshmallow decides. A field or validator that it does not know is handed to marshmallow at once, so a new kind
costs speed and never correctness; a property test holds the two against each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from marshmallow import Schema, ValidationError, fields, validate
from marshmallow.constants import missing
from marshmallow.decorators import POST_LOAD, PRE_LOAD, VALIDATES, VALIDATES_SCHEMA

from mock_server.domain.instants import parse
from mock_server.shapes.requests import fields as ours
from mock_server.shapes.requests.metadata import is_fine
from mock_server.shapes.requests.rules import Cross, Rule
from mock_server.shapes.requests.schema import Body

Check = Callable[[Any], Any]
"""Takes a value that is not null and gives what marshmallow would load it as, or raises LookupError."""


class Doubt(LookupError):
    """Perhaps wrong: marshmallow must look at it."""


def compile_schema(schema: Schema) -> Check:
    """The check of a whole object."""
    if not isinstance(schema, Body) or not _has_plain_hooks(schema):
        return _ask(schema.load)
    checks = {name: compile_field(field) for name, field in schema.load_fields.items()}
    nullable = frozenset(name for name, field in schema.load_fields.items() if field.allow_none)
    required = tuple(name for name, field in schema.load_fields.items() if field.required)
    defaults = {name: f.load_default for name, f in schema.load_fields.items() if f.load_default is not missing}
    return _object(checks, nullable, required, defaults, schema.crosses)


def compile_field(field: fields.Field[Any]) -> Check:
    """The check of one field's values."""
    maker = _MAKERS.get(type(field))
    if maker is None or field.pre_load or field.post_load:
        return _ask(field.deserialize)
    return maker(field)


def _has_plain_hooks(schema: Body) -> bool:
    """Whether nothing runs around the fields but the rules over several of them, and no key or name is changed."""
    hooks = schema._hooks
    renamed = any(field.data_key or field.attribute for field in schema.load_fields.values())
    extra = hooks[PRE_LOAD] or hooks[POST_LOAD] or hooks[VALIDATES] or len(hooks[VALIDATES_SCHEMA]) > 1
    return not renamed and not extra and schema.unknown == "raise"


def _ask(load: Check) -> Check:
    def check(value: Any) -> Any:
        try:
            return load(value)
        except ValidationError:
            raise Doubt from None

    return check


def _object(
    checks: dict[str, Check],
    nullable: frozenset[str],
    required: tuple[str, ...],
    defaults: dict[str, Any],
    crosses: tuple[Cross, ...],
) -> Check:
    def check(value: Any) -> Any:
        if type(value) is not dict:
            raise Doubt
        loaded = defaults.copy()
        for key, item in value.items():
            if item is not None:
                loaded[key] = checks[key](item)
            elif key in nullable:
                loaded[key] = None
            else:
                raise Doubt
        for name in required:
            if name not in value:
                raise Doubt
        for cross in crosses:
            if cross.is_broken_by(loaded):
                raise Doubt
        return loaded

    return check


def _text(field: fields.Field[Any]) -> Check:
    longest = _longest(field.validators)
    choices = _choices(field.validators)
    if choices is not None:
        return _word(choices) if len(field.validators) == 1 else _ask(field.deserialize)
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
        raise Doubt

    return check


def _word(words: frozenset[str]) -> Check:
    def check(value: Any) -> Any:
        if type(value) is str and value in words:
            return value
        raise Doubt

    return check


def _tested_text(longest: int, tests: list[Callable[[Any], object]]) -> Check:
    if len(tests) > 1:
        return _much_tested_text(longest, tests)
    holds = tests[0]

    def check(value: Any) -> Any:
        if type(value) is str and len(value) <= longest and holds(value):
            return value
        raise Doubt

    return check


def _much_tested_text(longest: int, tests: list[Callable[[Any], object]]) -> Check:
    def check(value: Any) -> Any:
        if type(value) is str and len(value) <= longest and all(holds(value) for holds in tests):
            return value
        raise Doubt

    return check


def _whole(field: fields.Field[Any]) -> Check:
    if any(type(validator) is not validate.Range for validator in field.validators):
        return _ask(field.deserialize)
    least, most = _range(field.validators)

    def check(value: Any) -> Any:
        if type(value) is int and least <= value <= most:
            return value
        raise Doubt

    return check


def _range(validators: list[Any]) -> tuple[float, float]:
    least = max((bound.min for bound in validators if bound.min is not None), default=float("-inf"))
    return least, min((bound.max for bound in validators if bound.max is not None), default=float("inf"))


def _flag(_: fields.Field[Any]) -> Check:
    def check(value: Any) -> Any:
        if value is True or value is False:
            return value
        raise Doubt

    return check


def _instant(_: fields.Field[Any]) -> Check:
    def check(value: Any) -> Any:
        try:
            return parse(value) if type(value) is str else _doubt()
        except ValueError:
            raise Doubt from None

    return check


def _doubt() -> Any:
    raise Doubt


def _free(_: fields.Field[Any]) -> Check:
    def check(value: Any) -> Any:
        return value if type(value) is dict else _doubt()

    return check


def _metadata(_: fields.Field[Any]) -> Check:
    def check(value: Any) -> Any:
        return value if type(value) is dict and is_fine(value) else _doubt()

    return check


def _anything(_: fields.Field[Any]) -> Check:
    return lambda value: value


def _part(field: Any) -> Check:
    """Compiled when a first value comes: most bodies have few of the objects that they could have."""
    made: list[Check] = []

    def check(value: Any) -> Any:
        if not made:
            made.append(compile_schema(field.schema_for(value)))
        return made[0](value)

    return check


def _variant(field: Any) -> Check:
    made: dict[int, Check] = {}

    def check(value: Any) -> Any:
        schema = field.schema_for(value)
        if id(schema) not in made:
            made[id(schema)] = compile_schema(schema)
        return made[id(schema)](value)

    return check


def _items(field: Any) -> Check:
    inner = compile_field(field.inner)

    def check(value: Any) -> Any:
        if type(value) is not list or None in value:
            raise Doubt
        return [inner(item) for item in value]

    return check


def _one_or_many(field: Any) -> Check:
    inner = compile_field(field.inner)

    def check(value: Any) -> Any:
        if type(value) is not list:
            return (inner(value),)
        return _doubt() if None in value else tuple(inner(item) for item in value)

    return check


_MAKERS: dict[type, Callable[[Any], Check]] = {
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
    ours.Part: _part,
    ours.Items: _items,
    ours.OneOrMany: _one_or_many,
    ours.Variant: _variant,
}
