"""Blocks, which are mappings with known keys, each a marshmallow schema; other mappings, lists, and alternatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, ClassVar

from marshmallow import EXCLUDE, Schema, ValidationError, validates_schema

from mock_server.contract.kinds.base import FieldKind, Json
from mock_server.scenario.model.mistakes import MOST_SHOWN
from mock_server.scenario.schema.kinds import ScenarioKind, described, read_each, wrong
from mock_server.scenario.schema.long_work import in_turns
from mock_server.scenario.schema.nodes import WHOLE, KeySentence, Sentence, unknown


class SchemaBlock(Schema):
    """A mapping with known keys; `what` names it in messages. Unknown keys are found along with other mistakes."""

    what: ClassVar[str] = "the block"

    @classmethod
    def hint(cls, value: object) -> str:
        """What to write instead of a value that is not a mapping."""
        return ""

    class Meta:
        unknown = EXCLUDE

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _known_keys(self, data: Any, original: Any, **kwargs: Any) -> None:
        keys = self.keys()
        strange = [key for key in original if key not in keys]
        errors = {key: [unknown(key, self.what, keys)] for key in strange[:MOST_SHOWN]}
        if len(strange) > MOST_SHOWN:
            errors[strange[MOST_SHOWN - 1]] = [
                KeySentence(f"{len(strange) - MOST_SHOWN + 1} more unknown keys in {self.what}")
            ]
        if errors:
            raise ValidationError(errors)

    @classmethod
    @cache
    def keys(cls) -> Mapping[str, FieldKind]:
        """Its keys as they are written, in order."""
        found: dict[str, Any] = dict(_schema(cls).fields.items())
        return {field.data_key or name: field for name, field in found.items()}

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


@cache
def _schema(block: type[SchemaBlock]) -> SchemaBlock:
    """The schema of a block: making one takes longer than using it."""
    return block()


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
    """The values of a block by attribute; ValidationError has all its mistakes."""
    made: dict[str, Any] = _schema(block).load(value)
    return made


def sentence(text: str) -> ValidationError:
    """A mistake of a whole block."""
    return ValidationError([Sentence(text)])


class MappingOf(ScenarioKind):
    """A mapping with any keys, or with keys of the kind `key`."""

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
                below: Any = found.messages
                if problems:
                    below = {WHOLE: problems, **below} if isinstance(below, dict) else [*problems, *below]
                problems = below
            if problems:
                errors[key] = problems
        if errors:
            raise ValidationError(errors, valid_data=made)
        return made

    def _key(self, key: str) -> tuple[str, Any]:
        """The key as it is stored, and its mistakes."""
        if self.key is None:
            return key, []
        try:
            return str(self.key.deserialize(key)), []
        except ValidationError as found:
            return key, [KeySentence(f"the key {message}") for message in found.messages]


class ListOf(ScenarioKind):
    """A list; with `lone`, one value is a list of one.

    An item with mistakes becomes None, or with `partly` the part of it that could be read.
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
            return read_each(enumerate(value), lambda at, item: self.inner.deserialize(item), self._part)
        if not self.lone:
            raise wrong(value, "a list")
        try:
            return [self.inner.deserialize(value)]
        except ValidationError as found:
            raise ValidationError(found.messages, valid_data=[self._part(found)]) from None

    def _part(self, found: ValidationError) -> Any:
        return found.valid_data if self.partly and isinstance(found.valid_data, dict) else None


class OneOf(ScenarioKind):
    """A value of one of several kinds, as `choose` decides."""

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
