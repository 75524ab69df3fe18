"""Bodies, forms and parameters of operations, from the schemas that check them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from marshmallow import Schema
from marshmallow.constants import missing
from marshmallow.validate import Length, Range

from mock_server.contract.dialect import AS_WRITTEN, Dialect, Unknown
from mock_server.contract.kinds.base import FieldKind
from mock_server.contract.kinds.objects import Items, ObjectOf, OneOrMany, ShownBody, Variant
from mock_server.contract.kinds.texts import Choice
from mock_server.contract.notation import Json, many, maybe, ref
from mock_server.contract.operation import PARTS, Operation, PerDialect
from mock_server.contract.requests.shapes import Many, Shape
from mock_server.domain.limits import ITEMS

_CITED: Final = re.compile(r" \((?:decisions|interface|facts|ours)[^)]*\)")
"""Sources of a sentence, which are for readers of the code."""


class Requests:
    """The schemas of all requests in a dialect, made when they are needed."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._names: dict[Any, str] = {}
        self.schemas: dict[str, Json] = {}
        """Every schema that was needed so far."""

    def body(self, operation: Operation, name: str) -> Json | None:
        """The request body of an operation that has one, under the operation's id."""
        shape = self._shape(operation.takes[0])
        if shape is None:
            return None
        if isinstance(shape, Many):
            whole = {**many(ref(self._named(name, shape.one))), "minItems": 1, "maxItems": shape.most}
            return json_body(whole, required=True)
        schema = shape.schema
        if operation.multipart:
            return {"required": True, "content": {"multipart/form-data": {"schema": self._form(schema)}}}
        whole, required = ref(self._named(name, shape)), any(f.required for f in schema.fields.values())
        return json_body(whole if required else maybe(whole), required=required)

    def query(self, operation: Operation) -> list[Json]:
        """The parameters of an operation's query, which cannot hold an object."""
        shape = self._shape(operation.takes[1])
        fields = shape.schema.fields.items() if shape else ()
        return [self._parameter(name, field) for name, field in fields if not isinstance(field, ObjectOf)]

    def _shape(self, given: Any) -> Any:
        return given.of(self._dialect) if isinstance(given, PerDialect) else given

    def _named(self, operation: str, shape: Shape[Any]) -> str:
        """The name of a body's schema: that of the first operation with it."""
        schema = shape.schema
        required = frozenset(name for name, field in schema.fields.items() if field.required)
        key = type(schema), frozenset(schema.exclude), required
        if key not in self._names:
            self._names[key] = name = "NothingRequest" if not schema.fields else f"{camel(operation)}Request"
            self.schemas[name] = self._object(schema)
            if about := _CITED.sub("", (type(schema).__doc__ or "").strip()):
                self.schemas[name]["description"] = about
        return self._names[key]

    def _object(self, schema: Schema) -> Json:
        parts = {name: self._property(field) for name, field in schema.fields.items()}
        required = sorted(name for name, field in schema.fields.items() if field.required)
        needed = {"required": required} if required else {}
        return {"type": "object", "properties": parts, **needed, **_unknown_fields(schema)}

    def _nested(self, schema: Schema) -> Json:
        """A reference to a nested object, named after its class; with an ending unless answers have it too."""
        name = camel(type(schema).__name__).removesuffix("Body")
        if not isinstance(schema, ShownBody):
            name += "Input"
        if name not in self.schemas:
            self.schemas[name] = self._object(schema)
        return ref(name)

    def _property(self, kind: Any, *, nullable: bool = True) -> Json:
        """The schema of a field: type, bounds, description, and what is specific to its kind.

        A value of a query or a form cannot be null.
        """
        made: Json = kind.json() | _checks(kind)
        if kind.about:
            made["description"] = kind.about
        made |= self._held(kind, made)
        if nullable and kind.allow_none:
            made = maybe(made)
        if "example" in kind.metadata:
            made["examples"] = [kind.metadata["example"]]
        if "source" in kind.metadata:
            made["x-source"] = kind.metadata["source"]
        return made

    def _held(self, kind: FieldKind, made: Json) -> Json:
        """The schemas of the values that a kind contains."""
        if isinstance(kind, Variant):
            kinds = [kind.schema_for({kind.on: word}) for word in (*kind.variants, None)]
            return {"anyOf": [self._nested(item) for item in kinds]}
        if isinstance(kind, ObjectOf):
            return self._nested(kind.schema)
        if isinstance(kind, OneOrMany):
            made.pop("type")
            item = self._property(kind.inner)
            return {"anyOf": [dict(item), {"type": "array", "items": item, "maxItems": ITEMS}]}
        return {"items": self._property(kind.inner), "maxItems": ITEMS} if isinstance(kind, Items) else {}

    def _form(self, schema: Schema) -> Json:
        parts = {name: self._property(field, nullable=False) for name, field in schema.fields.items()}
        others = {name: is_open for name, is_open in _unknown_fields(schema).items() if not is_open}
        return {"type": "object", "properties": parts, "required": list(parts), **others}

    def _parameter(self, name: str, field: Any) -> Json:
        """A query's parameter; several values are the same name again."""
        one = field.inner if isinstance(field, Items) else field
        schema = self._property(one, nullable=False)
        about = str(field.metadata.get("description", ""))
        schema.pop("description", None)
        source = schema.pop("x-source", field.metadata.get("source"))
        told = {"schema": schema} if one is field else {"style": "form", "explode": True, "schema": many(schema)}
        made: Json = {"name": name, "in": "query", "required": field.required, "description": about}
        return {**made, **told, "x-source": source}


def _checks(kind: FieldKind) -> Json:
    """A value's default, words and bounds."""
    rules: Json = {} if kind.load_default is missing else {"default": kind.load_default}
    if isinstance(kind, Choice):
        rules["enum"] = [*dict.fromkeys(kind.words)]
    for rule in kind.validators:
        if isinstance(rule, Range | Length):
            names = ("minimum", "maximum") if isinstance(rule, Range) else ("minLength", "maxLength")
            rules |= {name: bound for name, bound in zip(names, (rule.min, rule.max), strict=True) if bound is not None}
    return rules


def _unknown_fields(schema: Schema) -> Json:
    return {"additionalProperties": getattr(schema, "rules", AS_WRITTEN).unknown is Unknown.PASSED_OVER}


def json_body(schema: Json, *, required: bool) -> Json:
    """A body of JSON."""
    return {"required": required, "content": {"application/json": {"schema": schema}}}


TAGS: Final = {
    "payments": "Create, confirm, capture, cancel, review and retrieve payments.",
    "refunds": "Refund captured payments.",
    "disputes": "Disputes and evidence against them.",
    "customers": "Customers and their saved details.",
    "payment_methods": "Saved and available payment methods.",
    "mandates": "Mandates: permission of the customer to be charged later.",
    "profiles": "Business profiles: settings of a merchant's shops.",
    "accounts": "Merchant accounts.",
    "api_keys": "API keys of a merchant.",
    "connectors": "Connector accounts.",
    "ephemeral_keys": "Keys for one customer's browser or app.",
    "events": "Events and their deliveries.",
    "files": "Uploaded files.",
    "blocklist": "Cards that are always blocked.",
    "analytics": "Metrics, and reports as CSV files.",
    "health": "Check the key and the server.",
}

CONTROL_TAGS: Final = {
    "control: server": "The sandbox itself: health, version and reference tables.",
    "control: workspaces": "Workspaces of API keys, and how to reset them.",
    "control: clock": "The clock of a workspace.",
    "control: journal": "Recorded calls, and the reasons for their outcomes.",
    "control: payments": "Triggers for payments: what customers, banks and time do.",
    "control: refunds": "Triggers for refunds: what the processor does.",
    "control: disputes": "Triggers for disputes: what the bank does.",
    "control: scenarios": "Scenarios, which define outcomes in advance.",
    "control: next": "Queued outcomes for the next calls.",
    "control: webhooks": "The inbox of events, their endpoint and signatures.",
    "control: snapshots": "Saved workspaces that can be restored.",
}

_PARTS: Final = {
    "merchant_id": "ID of the key's merchant. Each key has its own merchant.",
    "domain": "Domain of the metrics: `payments`, `refunds` or `disputes`.",
    "report": "Domain of the report: `payments`, `refunds` or `dispute`.",
    "name": "Name.",
    "kind": "Kind of the records.",
    "number": "Number of the entry.",
    "key_id": "ID of the key, not its value.",
    "connector_id": "ID of the connector account.",
}


def tag_of(operation: Operation) -> str:
    """The tag of an operation: its resource, or its place in the control API."""
    if operation.needs is None:
        return operation.name.partition(".")[0]
    tag = f"control: {operation.path.split('/')[2]}"
    return tag if tag in CONTROL_TAGS else f"control: {'workspaces' if tag == 'control: reset' else 'server'}"


def about_part(name: str) -> str:
    """A part of a path in a sentence."""
    return _PARTS.get(name, f"The {name.removesuffix('_id').replace('_', ' ')}'s ID.")


# names


def camel(name: str) -> str:
    """`payment_methods.create` as `PaymentMethodsCreate`; capitals stay."""
    return "".join(part[:1].upper() + part[1:] for part in re.split("[._]", name) if part)


def template(path: str) -> str:
    """A path as OpenAPI writes it."""
    return PARTS.sub(r"{\1}", path)


def operation_ids(rows: Iterable[Operation]) -> Iterator[tuple[Operation, str]]:
    """Each row with a unique id: its name, and for several routes of one name, what is different in this one."""
    first: dict[str, Operation] = {}
    taken: set[str] = set()
    for row in rows:
        wanted = _wanted(row, first.setdefault(row.name, row))
        unique = next(name for name in wanted if name not in taken)
        taken.add(unique)
        yield row, unique


def _wanted(row: Operation, first: Operation) -> Iterator[str]:
    """The name alone, with a word that only this path has, with the method, with both; `short` for a shorter path."""
    yield row.name
    known = set(_words(first))
    own = [word for word in _words(row) if word not in known]
    method = row.method.lower()
    yield from (f"{row.name}.{word}" for word in own)
    if row.method != first.method:
        yield f"{row.name}.{method}"
    yield from (f"{row.name}.{word}.{method}" for word in own)
    yield f"{row.name}.short"


def _words(row: Operation) -> list[str]:
    return re.findall("[a-z_]+", PARTS.sub("", row.path))
