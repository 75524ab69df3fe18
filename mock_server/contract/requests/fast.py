"""A schema's own fields compiled to plain functions, for the case that nothing is wrong.

marshmallow's load is the larger half of a create. What is made here reads a schema's fields and validators and
accepts only values that it can tell marshmallow would accept, with the same result; in every doubt it raises `NotQuick`
and marshmallow decides. A field or validator that it does not know is handed to marshmallow at once, so a new kind
costs speed and never correctness; a property test holds the two against each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from marshmallow import RAISE, Schema, fields
from marshmallow.constants import missing
from marshmallow.decorators import POST_LOAD, PRE_LOAD, VALIDATES, VALIDATES_SCHEMA

from mock_server.contract.requests import fields as ours
from mock_server.contract.requests.leaves import LEAVES, Check, NotQuick, ask, in_doubt
from mock_server.contract.requests.rules import Cross
from mock_server.contract.requests.schema import Body


def compile_schema(schema: Schema) -> Check:
    """The check of a whole object."""
    if not isinstance(schema, Body) or not _has_plain_hooks(schema):
        return ask(schema.load)
    checks: dict[str, Check] = {}
    for name, field in schema.load_fields.items():
        checks[name] = _late(checks, name, field) if type(field) is ours.Part else compile_field(field)
    nullable = frozenset(name for name, field in schema.load_fields.items() if field.allow_none)
    required = tuple(name for name, field in schema.load_fields.items() if field.required)
    return _object(checks, nullable, required, _defaults(schema), schema.crosses)


def _defaults(schema: Schema) -> dict[str, Any]:
    """What stands where nothing was sent; required keys hold their places, so that the order is the schema's."""
    found = {name: field.load_default for name, field in schema.load_fields.items()}
    filled = any(value is not missing for value in found.values())
    return {
        name: None if value is missing else value
        for name, value in found.items()
        if value is not missing or (filled and schema.load_fields[name].required)
    }


def compile_field(field: fields.Field[Any]) -> Check:
    """The check of one field's values."""
    maker = _MAKERS.get(type(field))
    # marshmallow has these two since 4.3.
    if maker is None or getattr(field, "pre_load", None) or getattr(field, "post_load", None):
        return ask(field.deserialize)
    return maker(field)


def _has_plain_hooks(schema: Body) -> bool:
    """Whether nothing runs around the fields but the rules over several of them, and no key or name is changed."""
    hooks = schema._hooks
    renamed = any(field.data_key or field.attribute for field in schema.load_fields.values())
    extra = hooks[PRE_LOAD] or hooks[POST_LOAD] or hooks[VALIDATES] or len(hooks[VALIDATES_SCHEMA]) > 1
    return not renamed and not extra and schema.unknown == RAISE


def _object(
    checks: dict[str, Check],
    nullable: frozenset[str],
    required: tuple[str, ...],
    defaults: dict[str, Any],
    crosses: tuple[Cross, ...],
) -> Check:
    def check(value: Any) -> Any:
        if type(value) is not dict:
            raise NotQuick
        loaded = defaults.copy()
        for key, item in value.items():
            if item is not None:
                loaded[key] = checks[key](item)
            elif key in nullable:
                loaded[key] = None
            else:
                raise NotQuick
        for name in required:
            if name not in value:
                raise NotQuick
        for cross in crosses:
            if cross.is_broken_by(loaded):
                raise NotQuick
        return loaded

    return check


def _late(checks: dict[str, Check], name: str, field: ours.Part) -> Check:
    """The check of an object that puts its own in this one's place when a first value comes.

    Most bodies have few of the objects that they could have.
    """

    def check(value: Any) -> Any:
        checks[name] = compile_field(field)
        return checks[name](value)

    return check


def _part(field: Any) -> Check:
    return compile_schema(field.schema)


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
            raise NotQuick
        return [inner(item) for item in value]

    return check


def _one_or_many(field: Any) -> Check:
    inner = compile_field(field.inner)

    def check(value: Any) -> Any:
        if type(value) is not list:
            return (inner(value),)
        return in_doubt() if None in value else tuple(inner(item) for item in value)

    return check


_MAKERS: Final[dict[type, Callable[[Any], Check]]] = {
    **LEAVES,
    ours.Part: _part,
    ours.Items: _items,
    ours.OneOrMany: _one_or_many,
    ours.Variant: _variant,
}
