"""Blocks: mappings with known keys, each a marshmallow schema."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

from marshmallow import EXCLUDE, Schema, ValidationError, validates_schema

from mock_server.contract.kinds.base import FieldKind, Json
from mock_server.scenario.schema.kinds import ScenarioKind, described, wrong
from mock_server.scenario.schema.messages import Sentence, unknown


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
