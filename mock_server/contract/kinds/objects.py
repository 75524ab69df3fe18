"""The kinds that contain others: objects of a known shape, arrays, and objects of one of several shapes.

Loading with marshmallow would take half of the time of a create, so each schema is compiled to plain functions for
valid values. They accept only what marshmallow surely accepts, with the same result; in doubt they raise one of
`DOUBTS`, and marshmallow decides. A property test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from functools import cache, partial
from itertools import islice
from typing import Any, ClassVar, Final

from marshmallow import RAISE, Schema, ValidationError, validates_schema
from marshmallow.constants import missing
from marshmallow.decorators import POST_LOAD, PRE_LOAD, VALIDATES, VALIDATES_SCHEMA
from marshmallow.exceptions import SCHEMA
from marshmallow.fields import Field
from marshmallow.schema import SchemaMeta

from mock_server.contract.dialect import AS_WRITTEN, BodyRules
from mock_server.contract.kinds import base
from mock_server.contract.kinds.base import Check, FieldKind, InDoubt, PlacedRows, Placing, Reading, read_and_placed
from mock_server.contract.kinds.rules import Cross
from mock_server.domain import limits

MOST_WRONG: Final = 100
"""How many wrong items of an array, or unknown keys of an object, are looked at (ours)."""


class _Sourced(SchemaMeta):
    """Gives each field of a body the body's `source`, unless it has its own."""

    def __new__(mcs, name: str, bases: tuple[type, ...], attrs: dict[str, Any], source: str = "") -> Any:
        for row in attrs.values():
            if source and isinstance(row, FieldKind):
                row.metadata = {"source": source, **row.metadata}
        return super().__new__(mcs, name, bases, attrs)

    def __init__(self, name: str, bases: tuple[type, ...], attrs: dict[str, Any], source: str = "") -> None:
        super().__init__(name, bases, attrs)  # type: ignore[no-untyped-call]  # marshmallow's has no annotations


class Body(Schema, metaclass=_Sourced):
    """An object of a request: unknown keys are refused, `null` in an optional field means absent.

    Its `source` is that of its fields without their own. `rules` are what differs in a dialect.
    """

    crosses: ClassVar[tuple[Cross, ...]] = ()
    error_messages: dict[str, str] = {"type": "must be an object", "unknown": "is not a known field"}  # noqa: RUF012 — marshmallow's own form

    class Meta:
        unknown = RAISE
        register = False

    def __init__(self, *, rules: BodyRules = AS_WRITTEN, exclude: Iterable[str] = (), **more: Any) -> None:
        self.rules = rules
        super().__init__(exclude={*exclude, *(rules.refused & self._declared_fields.keys())}, **more)

    def load(self, data: Any, **more: Any) -> Any:
        try:
            return super().load(data, **more)
        except ValidationError as wrong:  # a local of marshmallow's: its traceback holds it, and the body
            raise wrong.with_traceback(None) from None

    def _deserialize(self, data: Any, **more: Any) -> Any:
        if isinstance(data, Mapping) and len(data) > len(self.load_fields) + MOST_WRONG:
            strange = islice((key for key in data if key not in self.load_fields), MOST_WRONG)
            data = {key: data[key] for key in (*(name for name in self.load_fields if name in data), *strange)}
        return super()._deserialize(data, **more)

    @classmethod
    def places(cls) -> Placing:
        """What puts its values where its rows say."""
        return Placing(cls._declared_fields.items())

    def on_bind_field(self, field_name: str, field_obj: Field[Any]) -> None:
        """An optional field accepts `null` (decisions "Words on the wire")."""
        rules = self.rules
        field_obj.required = field_obj.required or field_name in rules.required or field_name in rules.parsed
        field_obj.allow_none = not field_obj.required
        if rules is not AS_WRITTEN and isinstance(field_obj, FieldKind):
            field_obj.follow(rules.inside(field_name))

    @validates_schema
    def hold_crosses(self, data: Mapping[str, Any], **_: Any) -> None:
        """Every rule over several fields, once its fields are there and right."""
        broken = [cross for cross in self.crosses if not cross.is_met_by(data)]
        if broken:
            raise ValidationError({cross.blames or SCHEMA: [cross.says] for cross in broken})


class ShownBody(Body):
    """An object that answers return: absent keys are loaded as `null`, all in the order of the fields here.

    So what was loaded is what an answer shows, and this order is the documented one.
    """

    def on_bind_field(self, field_name: str, field_obj: Field[Any]) -> None:
        super().on_bind_field(field_name, field_obj)
        if not field_obj.required:
            field_obj.load_default = None


def in_order(schema: Schema, value: Any) -> dict[str, Any]:
    """What marshmallow loads, in the order of a compiled schema: defaults first, then the rest as it was sent."""
    loaded: dict[str, Any] = schema.load(value)
    return {name: loaded[name] for name in (_defaults(schema) | value) if name in loaded}


class ObjectOf(FieldKind):
    """An object of a known shape; `nested` names its schema, which is made when it is needed.

    Each of `words` stands for an object with only that key, and an empty object under it.
    """

    def __init__(
        self, nested: Callable[[], type[Body]], says: str = "", *, words: Iterable[str] = (), **more: Any
    ) -> None:
        super().__init__(says, **more)
        self._nested = nested
        self._words = frozenset(words)
        self._rules = AS_WRITTEN
        self._made: dict[Callable[[], type[Body]], Schema] = {}

    @property
    def schema(self) -> Schema:
        """The schema of its objects."""
        return self._made_by(self._nested)

    def follow(self, rules: BodyRules) -> None:
        # marshmallow copies fields shallowly: a copy must not share its schemas with a field of other rules.
        self._rules, self._made = rules, {}

    def schema_for(self, value: Any) -> Schema:
        """The schema that reads this value."""
        return self.schema

    def turn(self, value: Any) -> Any:
        if self._words and isinstance(value, str) and value in self._words:
            value = {value: {}}
        return in_order(self.schema_for(value), value)

    def turner(self) -> Check | None:
        return compile_schema(self.schema)

    def _made_by(self, nested: Callable[[], type[Body]]) -> Schema:
        if nested not in self._made:
            self._made[nested] = nested()(rules=self._rules)
        return self._made[nested]


class Variant(ObjectOf):
    """An object whose key `on` says which schema reads it; `otherwise` reads one that names none of them."""

    def __init__(
        self,
        on: str,
        variants: Mapping[str, Callable[[], type[Body]]],
        otherwise: Callable[[], type[Body]],
        says: str = "",
        **more: Any,
    ) -> None:
        super().__init__(otherwise, says, **more)
        self.on, self.variants = on, variants

    def schema_for(self, value: Any) -> Schema:
        word = value.get(self.on) if isinstance(value, dict) else None
        return self._made_by(self.variants.get(word, self._nested) if isinstance(word, str) else self._nested)

    def turner(self) -> Check | None:
        compiled = cache(compile_schema)
        return lambda value: compiled(self.schema_for(value))(value)


class Items(FieldKind):
    """An array of one kind of value."""

    wrong = "must be an array"
    takes: ClassVar[tuple[type, ...]] = (list,)
    json_type: ClassVar[str | None] = "array"

    def __init__(self, inner: FieldKind, says: str = "", **more: Any) -> None:
        super().__init__(says, **more)
        self.inner = inner

    def follow(self, rules: BodyRules) -> None:
        self.inner = copy(self.inner)
        self.inner.follow(rules)

    def turn(self, value: Any, load: Check | None = None) -> Any:
        if len(value) > limits.ITEMS:
            raise ValidationError(f"must have at most {limits.ITEMS} items, not {len(value)}")
        load = load or self.inner.deserialize
        loaded: list[Any] = []
        wrong: dict[int, Any] = {}
        for place, item in enumerate(value):
            try:
                loaded.append(load(item))
            except ValidationError as found:
                wrong[place] = found.messages
                if len(wrong) > MOST_WRONG:
                    break
        if wrong:
            raise ValidationError(wrong)
        return loaded

    def turner(self) -> Check | None:
        return partial(self.turn, load=compile_field(self.inner))


class OneOrMany(Items):
    """One value or an array of them, loaded as a tuple (interface §8.2, decisions "Words on the wire")."""

    takes = ()

    def turn(self, value: Any, load: Check | None = None) -> Any:
        load = load or self.inner.deserialize
        return tuple(super().turn(value, load)) if isinstance(value, list) else (load(value),)

    def broken(self, value: object) -> base.Broken:
        return super().broken(value) if isinstance(value, list) else self.inner.broken(value)


def compile_field(field: Field[Any]) -> Check:
    """The check of one field's values."""
    kind, turn, longest, holds = _reading(field)

    def check(value: Any) -> Any:
        if type(value) is not kind and (kind is not None or value is None):
            raise InDoubt
        made: Any = value if turn is None else turn(value)
        if (longest is not None and len(made) > longest) or (holds is not None and not holds(made)):
            raise InDoubt
        return made

    return check


def _reading(field: Field[Any]) -> Reading:
    return field.reading() if isinstance(field, FieldKind) else (None, field.deserialize, None, None)


def compile_schema(schema: Schema) -> Check:
    """The check of a whole object."""
    if not isinstance(schema, Body) or not _has_plain_hooks(schema):
        return schema.load
    readings: dict[str, Reading] = {}
    for name, field in schema.load_fields.items():
        readings[name] = _late(field, partial(readings.__setitem__, name))
    return _object(schema, readings)


def compile_placing(schema: Schema, places: Callable[[base.Loaded], base.Sent]) -> Check:
    """The check of a whole body, whose values go to their places: at once, if that needs no look at all of them."""
    is_plain = isinstance(schema, Body) and _has_plain_hooks(schema) and not schema.crosses and not _defaults(schema)
    if is_plain and isinstance(places, Placing):
        return _placing(schema, places)
    check = compile_schema(schema)
    return lambda value: places(check(value))


def _placing(schema: Schema, places: Placing) -> Check:
    nullable, required = _needs(schema)
    rows: PlacedRows = {}
    for name, field in schema.load_fields.items():

        def keep(reading: Reading, name: str = name) -> None:
            rows[name] = places.read_by(name, reading)

        keep(_late(field, keep))

    def check(value: Any) -> base.Sent:
        if type(value) is not dict or not value.keys() >= required:
            raise InDoubt
        return read_and_placed(value, rows, nullable)

    return check


def _needs(schema: Schema) -> tuple[frozenset[str], frozenset[str]]:
    """The fields that accept a null, and those that are required."""
    fields = schema.load_fields
    required = frozenset(name for name, field in fields.items() if field.required)
    return frozenset(name for name, field in fields.items() if field.allow_none), required


def _object(schema: Body, readings: Mapping[str, Reading]) -> Check:
    nullable, required = _needs(schema)
    crosses = [cross.holds if required.issuperset(cross.needs) else cross.is_met_by for cross in schema.crosses]
    defaults = _defaults(schema)

    def check(value: Any) -> Any:
        if type(value) is not dict or not value.keys() >= required:
            raise InDoubt
        loaded = {**defaults, **value}
        for key, item in value.items():
            kind, turn, longest, holds = readings[key]  # as `compile_field` reads, without a call
            if type(item) is not kind and (kind is not None or item is None):
                if item is None and key in nullable:
                    continue
                raise InDoubt
            if turn is not None:
                loaded[key] = item = turn(item)
            if (longest is not None and len(item) > longest) or (holds is not None and not holds(item)):
                raise InDoubt
        for is_met in crosses:
            if not is_met(loaded):
                raise InDoubt
        return loaded

    return check


def _has_plain_hooks(schema: Body) -> bool:
    """Whether nothing runs around the fields but the rules over several of them, and no key or name is changed."""
    hooks = schema._hooks
    renamed = any(field.data_key or field.attribute for field in schema.load_fields.values())
    extra = hooks[PRE_LOAD] or hooks[POST_LOAD] or hooks[VALIDATES] or len(hooks[VALIDATES_SCHEMA]) > 1
    return not renamed and not extra and schema.unknown == RAISE


def _late(field: Field[Any], keep: Callable[[Reading], object]) -> Reading:
    """The reading of a field; an object's compiles it with its first value, and keeps the result instead of itself.

    Most bodies have few of the objects that they could have.
    """
    if type(field) is not ObjectOf:
        return _reading(field)

    def turn(value: Any) -> Any:
        check = compile_field(field)
        keep(field.reading())
        return check(value)

    return None, turn, None, None


def _defaults(schema: Schema) -> dict[str, Any]:
    """Values of the keys that were not sent; required keys are among them, so that the order is the schema's."""
    found = {name: field.load_default for name, field in schema.load_fields.items()}
    filled = any(value is not missing for value in found.values())
    return {
        name: None if value is missing else value
        for name, value in found.items()
        if value is not missing or (filled and schema.load_fields[name].required)
    }
