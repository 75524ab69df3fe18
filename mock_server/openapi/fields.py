"""How the fields of requests read as JSON Schema: what apispec cannot see of marshmallow fields of our own kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.common import make_schema_key, resolve_schema_cls, resolve_schema_instance
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from marshmallow import fields as theirs

from mock_server.contract.requests import fields as ours
from mock_server.contract.requests.rules import Rule
from mock_server.contract.requests.schema import Shown
from mock_server.control.requests import fields as control
from mock_server.domain import limits
from mock_server.openapi.words import camel

Json = dict[str, Any]

_INSTANT: Final[Json] = {"type": "string", "format": "date-time"}

_PLAIN: Final[Mapping[type, Callable[[Any], Json]]] = {
    ours.Instant: lambda field: dict(_INSTANT),
    control.WorkspaceInstant: lambda field: dict(_INSTANT),
    control.Duration: lambda field: {"type": ["string", "integer"], "pattern": "^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$"},
    control.Seed: lambda field: {"type": ["string", "integer"]},
    ours.Metadata: lambda field: {
        "type": "object",
        "maxProperties": int(limits.METADATA_PAIRS),
        "propertyNames": {"maxLength": int(limits.METADATA_KEY)},
        "additionalProperties": True,
    },
    ours.Free: lambda field: {"type": "object", "additionalProperties": True},
}
"""What a kind of field is, whatever its validators say; the first row that fits counts."""


class Converter(OpenAPIConverter):
    """apispec's reader of marshmallow schemas, with eyes for our kinds of field."""

    def init_attribute_functions(self) -> None:
        super().init_attribute_functions()  # type: ignore[no-untyped-call]  # apispec has few hints
        self.attribute_functions[-1:-1] = [self.kind, self.rules, self.several]
        self.attribute_functions.append(self.told)

    def resolve_nested_schema(self, schema: Any) -> Any:
        """A reference to a nested object; one that was made anew for another request is the same object."""
        key = make_schema_key(resolve_schema_instance(schema))
        name = _name(schema)
        if key not in self.refs and name in self.spec.components.schemas:
            self.refs[key] = name
        return super().resolve_nested_schema(schema)  # type: ignore[no-untyped-call]  # as above

    def kind(self, field: theirs.Field[Any], *, ret: Json) -> Json:
        for kind, make in _PLAIN.items():
            if isinstance(field, kind):
                return make(field)
        return {}

    def rules(self, field: theirs.Field[Any], *, ret: Json) -> Json:
        """What our validators can say of themselves."""
        found: Json = {}
        for rule in field.validators:
            if isinstance(rule, Rule):
                found.update(rule.documented)
        return found

    def several(self, field: theirs.Field[Any], *, ret: Json) -> Json:
        """A value or an array of such values; an object of several kinds."""
        if isinstance(field, ours.OneOrMany):
            ret.pop("type", None)
            many = {"type": "array", "items": ret.pop("items")}
            return {"anyOf": [dict(many["items"]), many]}
        if isinstance(field, ours.Variant):
            kinds = [field.schema_for({field.on: word}) for word in (*field.variants, None)]
            return {"anyOf": [self.resolve_nested_schema(kind) for kind in kinds]}
        return {}

    def told(self, field: theirs.Field[Any], *, ret: Json) -> Json:
        """An example in JSON Schema's own way, null where an optional field is one of several kinds, and the source."""
        told: Json = {}
        if "example" in ret:
            told["examples"] = [ret.pop("example")]
        if "source" in field.metadata:
            told["x-source"] = field.metadata["source"]
        if field.allow_none and "anyOf" in ret and {"type": "null"} not in ret["anyOf"]:
            told["anyOf"] = [*ret["anyOf"], {"type": "null"}]
        return told


def _name(schema: Any) -> str:
    """A nested object's name: that of its class, with an ending where answers do not hold it too."""
    of = resolve_schema_cls(schema)
    assert isinstance(of, type)
    name = camel(of.__name__).removesuffix("Body")
    return name if issubclass(of, Shown) else f"{name}Input"


class Reader(MarshmallowPlugin):
    """The plugin that brings the reader into a specification."""

    Converter = Converter

    def __init__(self) -> None:
        super().__init__(schema_name_resolver=_name)
