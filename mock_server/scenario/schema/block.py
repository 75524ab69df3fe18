"""Blocks, which are mappings with known keys, each a marshmallow schema; tables, lists, and one of several sorts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, ClassVar

from marshmallow import EXCLUDE, Schema, ValidationError, validates_schema

from mock_server.contract.kinds.base import FieldKind, Json
from mock_server.scenario.schema.kinds import ScenarioKind, described, wrong
from mock_server.scenario.schema.long_work import in_turns
from mock_server.scenario.schema.nodes import WHOLE, KeySentence, Sentence, unknown


class SchemaBlock(Schema):
    """A mapping with known keys; `what` names it in messages. Unknown keys are found beside all other mistakes."""

    what: ClassVar[str] = "the block"

    @classmethod
    def hint(cls, value: object) -> str:
        """What to write instead of a value that is no mapping."""
        return ""

    class Meta:
        unknown = EXCLUDE

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _known_keys(self, data: Any, original: Any, **kwargs: Any) -> None:
        keys = self.keys()
        errors = {key: [unknown(key, self.what, keys)] for key in original if key not in keys}
        if errors:
            raise ValidationError(errors)

    @classmethod
    def keys(cls) -> Mapping[str, FieldKind]:
        """Its keys as they are written, in order."""
        return _keys(cls)

    @classmethod
    def json(cls) -> Json:
        """Its JSON Schema."""
        keys = cls.keys()
        found: Json = {
            "type": "object",
            "properties": {name: described(kind) for name, kind in keys.items()},
            "additionalProperties": False,
        }
        required = [name for name, kind in keys.items() if kind.required]
        return {**found, "required": required} if required else found


_SCHEMAS: dict[type[SchemaBlock], SchemaBlock] = {}


def _schema(block: type[SchemaBlock]) -> SchemaBlock:
    """One instance a block: making a schema costs more than using it."""
    made = _SCHEMAS.get(block)
    if made is None:
        made = _SCHEMAS[block] = block()
    return made


@cache
def _keys(block: type[SchemaBlock]) -> Mapping[str, FieldKind]:
    found: dict[str, Any] = dict(_schema(block).fields.items())
    return {field.data_key or name: field for name, field in found.items()}


class Nested(ScenarioKind):
    """A block in a block."""

    def __init__(self, block: type[SchemaBlock], about: str = "", **options: Any) -> None:
        super().__init__(about, **options)
        self.block = block

    def json(self) -> Json:
        return {"$ref": f"#/$defs/{self.block.__name__}"}

    def read(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise wrong(value, "a mapping of keys", self.block.hint(value))
        return load(self.block, value)


def load(block: type[SchemaBlock], value: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a block by their attribute's name; ValidationError holds everything that is wrong in it."""
    made: dict[str, Any] = _schema(block).load(value)
    return made


def sentence(text: str) -> ValidationError:
    """What is wrong with a block as a whole."""
    return ValidationError([Sentence(text)])


class MappingOf(ScenarioKind):
    """A mapping whose keys are free, or checked by `key`."""

    def __init__(
        self, values: FieldKind, key: FieldKind | None = None, about: str = "", most: int = 10_000, **options: Any
    ) -> None:
        super().__init__(about, **options)
        self.values = values
        self.key = key
        self.most = most

    def json(self) -> Json:
        found: Json = {"type": "object", "additionalProperties": described(self.values)}
        return {**found, "propertyNames": self.key.json()} if self.key else found

    def read(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise wrong(value, "a mapping")
        if len(value) > self.most:
            raise ValidationError(f"has {len(value)} keys; the maximum is {self.most}")
        made: dict[str, Any] = {}
        errors: dict[str, Any] = {}
        for key, item in in_turns(value.items()):
            own, problems = self._key(key)
            try:
                made[own] = self.values.deserialize(item)
            except ValidationError as found:
                problems = _beside(problems, found.messages)
            if problems:
                errors[key] = problems
        if errors:
            raise ValidationError(errors, valid_data=made)
        return made

    def _key(self, key: str) -> tuple[str, Any]:
        """The key as it is kept, and what is wrong with it."""
        if self.key is None:
            return key, []
        try:
            return str(self.key.deserialize(key)), []
        except ValidationError as found:
            return key, [KeySentence(f"the key {message}") for message in found.messages]


def _beside(key: list[Any], value: Any) -> Any:
    """What is wrong with a key beside what is wrong with its value."""
    if not key:
        return value
    return {WHOLE: key, **value} if isinstance(value, dict) else [*key, *value]


class ListOf(ScenarioKind):
    """A list; with `lone`, one value alone stands for a list of one.

    An item with mistakes keeps its place: as None, or with `partly` as what could be read of it.
    """

    def __init__(
        self,
        inner: FieldKind,
        about: str = "",
        lone: bool = False,
        least: int = 1,
        most: int = 10_000,
        partly: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(about, **options)
        self.inner = inner
        self.lone = lone
        self.least = least
        self.most = most
        self.partly = partly

    def json(self) -> Json:
        many: Json = {"type": "array", "items": described(self.inner), "minItems": self.least}
        return {"anyOf": [self.inner.json(), many]} if self.lone else many

    def read(self, value: Any) -> list[Any]:
        if isinstance(value, list):
            if not self.least <= len(value) <= self.most:
                raise ValidationError(f"must have {self.least} to {self.most} items, not {len(value)}")
            return self._each(value)
        if not self.lone:
            raise wrong(value, "a list")
        try:
            return [self.inner.deserialize(value)]
        except ValidationError as found:
            raise ValidationError(found.messages, valid_data=[self._part(found)]) from None

    def _each(self, value: list[Any]) -> list[Any]:
        made: list[Any] = []
        errors: dict[int, Any] = {}
        for at, item in in_turns(enumerate(value)):
            try:
                made.append(self.inner.deserialize(item))
            except ValidationError as found:
                errors[at] = found.messages
                made.append(self._part(found))
        if errors:
            raise ValidationError(errors, valid_data=made)
        return made

    def _part(self, found: ValidationError) -> Any:
        return found.valid_data if self.partly and isinstance(found.valid_data, dict) else None


class OneOf(ScenarioKind):
    """A value of one of several sorts, told apart by `choose`."""

    def __init__(
        self,
        choose: Callable[[Any], FieldKind | None],
        kinds: Iterable[FieldKind],
        wanted: str,
        about: str = "",
        **options: Any,
    ) -> None:
        super().__init__(about, **options)
        self.choose = choose
        self.kinds = tuple(kinds)
        self.wanted = wanted

    def json(self) -> Json:
        return {"anyOf": [described(kind) for kind in self.kinds]}

    def read(self, value: Any) -> Any:
        kind = self.choose(value)
        if kind is None:
            raise wrong(value, self.wanted)
        return kind.deserialize(value)
