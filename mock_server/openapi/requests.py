"""What operations take: bodies, forms and parameters, read from the schemas that check them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeGuard

from apispec import APISpec
from apispec.ext.marshmallow.common import make_schema_key
from marshmallow import Schema
from marshmallow.fields import Field

from mock_server.contract.dialect import Dialect
from mock_server.contract.notation import Json, many, maybe, ref
from mock_server.contract.operation import PerDialect
from mock_server.contract.operations import BY_NAME
from mock_server.contract.requests import fields as ours
from mock_server.contract.requests.disputes.bodies import FilePart
from mock_server.contract.requests.load import Shape
from mock_server.contract.requests.many import Many
from mock_server.control.operations import BY_NAME as CONTROL
from mock_server.openapi.fields import Reader
from mock_server.openapi.words import camel

_CITED: Final = re.compile(r" \((?:decisions|interface|facts|ours)[^)]*\)")
"""Where a sentence comes from, which is for readers of the code."""
_FILE: Final[Json] = {"type": "string", "format": "binary"}


class Taken(NamedTuple):
    """What one operation takes: the shape of its body, and that of its query."""

    body: Any = None
    query: Any = None


class Requests:
    """The schemas of all requests in a dialect, gathered as they are asked for."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        reader = Reader()
        self._spec = APISpec("requests", "1", "3.1.0", plugins=[reader])
        converter = reader.converter
        assert converter is not None
        self._converter = converter
        self._names: dict[Any, str] = {}
        self._taken = {row.name: Taken(*row.takes) for row in (*BY_NAME.values(), *CONTROL.values())}

    def schemas(self) -> dict[str, Json]:
        """Every schema that was needed so far."""
        found: dict[str, Json] = self._spec.to_dict()["components"]["schemas"]
        return found

    def body(self, operation: str, *, form: bool = False) -> Json | None:
        """The request body of an operation that has one."""
        shape = self._shape(self._taken.get(operation, Taken()).body)
        if shape is None:
            return None
        if isinstance(shape, Many):
            whole = {**many(ref(self._named(operation, shape.one))), "minItems": 1, "maxItems": shape.most}
            return _json(whole, required=True)
        schema = shape.schema
        if form:
            return {"required": True, "content": {"multipart/form-data": {"schema": self._form(schema)}}}
        whole, required = ref(self._named(operation, shape)), any(one.required for one in schema.fields.values())
        return _json(whole if required else maybe(whole), required=required)

    def query(self, operation: str) -> Iterator[Json]:
        """The parameters of an operation's query."""
        shape = self._shape(self._taken.get(operation, Taken()).query)
        for name, field in shape.schema.fields.items() if shape else ():
            yield self._parameter(name, field)

    def has_query(self, operation: str) -> bool:
        """Whether an operation reads its query."""
        return self._taken.get(operation, Taken()).query is not None

    def _shape(self, given: Any) -> Any:
        return given.of(self._dialect) if isinstance(given, PerDialect) else given

    def _named(self, operation: str, shape: Shape[Any]) -> str:
        """The name of a body's schema: the first operation's that takes it."""
        key = make_schema_key(shape.schema)
        if key not in self._names:
            self._names[key] = "NothingRequest" if not shape.schema.fields else f"{camel(operation)}Request"
            if self._names[key] not in self._spec.components.schemas:
                self._spec.components.schema(self._names[key], schema=shape.schema)
                self._describe(self._names[key], shape.schema)
        return self._names[key]

    def _describe(self, name: str, schema: Schema) -> None:
        about = _CITED.sub("", (type(schema).__doc__ or "").strip())
        if _is_said(schema, about):
            self._spec.components.schemas[name]["description"] = about

    def _form(self, schema: Schema) -> Json:
        """A form's parts, all of which must be there."""
        parts = {name: self._part(field) for name, field in schema.fields.items()}
        return {"type": "object", "properties": parts, "required": list(parts), "additionalProperties": False}

    def _part(self, field: Field[Any]) -> Json:
        if isinstance(field, FilePart):
            return {**_FILE, "description": field.metadata["description"]}
        return _not_null(self._converter.field2property(field))

    def _parameter(self, name: str, field: Field[Any]) -> Json:
        """A query's parameter; several values are the same name again."""
        one = field.inner if isinstance(field, ours.Items) else field
        schema = _not_null(self._converter.field2property(one))
        about = str(field.metadata.get("description", ""))
        schema.pop("description", None)
        source = schema.pop("x-source", field.metadata.get("source"))
        made: Json = {"name": name, "in": "query", "required": field.required, "description": about}
        if one is not field:
            return made | {"style": "form", "explode": True, "schema": many(schema), "x-source": source}
        return made | {"schema": schema, "x-source": source}


def _is_said(schema: Schema, about: str) -> TypeGuard[str]:
    """Whether a schema's own sentence says something; marshmallow's base class has one too."""
    return bool(about) and type(schema).__doc__ != Schema.__doc__


def _json(schema: Json, *, required: bool) -> Json:
    return {"required": required, "content": {"application/json": {"schema": schema}}}


def _not_null(schema: Json) -> Json:
    """A value of a query or a form, which cannot be null."""
    kinds = schema.get("type")
    if isinstance(kinds, list) and "null" in kinds:
        rest = [kind for kind in kinds if kind != "null"]
        schema["type"] = rest[0] if len(rest) == 1 else rest
    if None in schema.get("enum", ()):
        schema["enum"] = [word for word in schema["enum"] if word is not None]
    if "anyOf" in schema:
        schema["anyOf"] = [one for one in schema["anyOf"] if one != {"type": "null"}]
        if len(schema["anyOf"]) == 1:
            schema |= schema.pop("anyOf")[0]
    return schema
