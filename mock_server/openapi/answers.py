"""The answers of operations: the schemas of shapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from mock_server.contract.answers import events
from mock_server.contract.answers.fields import AnswerShape, AsJson, ByName, Field, Kind, Listed, Many, Tally
from mock_server.contract.answers.writing import rows_of
from mock_server.contract.dialect import Dialect, ListKeys
from mock_server.contract.notation import FLAG, FREE, TEXT, WHOLE, Json, described, many, maybe, record, ref, words
from mock_server.contract.operation import Operation, Success
from mock_server.contract.operations import OPERATIONS


def schema_of(kind: Kind, dialect: Dialect) -> Json:
    """The JSON Schema of a field's value in a dialect."""
    match kind:
        case AnswerShape():
            return object_of(kind, dialect) if kind.is_inline else ref(kind.name)
        case Many(inner):
            return many(schema_of(inner, dialect))
        case ByName(inner):
            return {"type": "object", "additionalProperties": schema_of(inner, dialect)}
        case AsJson(inner):
            return schema_of(inner, dialect)
        case Listed(status):
            return ref(status.__name__)
        case Tally(status):
            return record(dict.fromkeys(dialect.spoken(status).values(), WHOLE))
        case dict():
            return kind
        case _:
            return words(dialect.spoken(kind).values())


def object_of(shape: AnswerShape[Any], dialect: Dialect) -> Json:
    """A shape with its fields."""
    rows = [row for row in rows_of(shape, dialect) if row.name]
    fields = {row.field.name: _field(row.field, dialect) for row in rows}
    left_out = [row.field.name for row in rows if row.field.optional or row.among is not None]
    schema = record(fields, optional=left_out)
    if shape.more:
        schema["additionalProperties"] = shape.more
    return described(schema, shape.about) if shape.about else schema


def _field(field: Field, dialect: Dialect) -> Json:
    plain = schema_of(field.kind, dialect)
    schema = maybe(plain) if field.nullable else plain
    if field.about:
        schema = described(schema, field.about)
    return {**schema, "x-source": field.source} if field.source else schema


def found_in(kinds: Iterable[Kind], dialect: Dialect) -> Iterator[AnswerShape[Any] | Listed]:
    """Every shape and every list of words within these, each once."""
    known = set()
    waiting = list(kinds)
    while waiting:
        match waiting.pop():
            case (AnswerShape() | Listed()) as kind if kind not in known:
                known.add(kind)
                yield kind
                waiting += [row.field.kind for row in rows_of(kind, dialect)] if isinstance(kind, AnswerShape) else ()
            case Many(inner) | ByName(inner) | AsJson(inner):
                waiting.append(inner)


def named(kinds: Iterable[Kind], dialect: Dialect) -> dict[str, Json]:
    """Every schema with a name within these."""
    schemas: dict[str, Json] = {}
    for kind in found_in(kinds, dialect):
        if isinstance(kind, Listed):
            schemas[kind.words.__name__] = words(dialect.spoken(kind.words).values())
        elif not kind.is_inline:
            schemas[kind.name] = object_of(kind, dialect)
    return schemas


def roots() -> Iterator[Kind]:
    """All answers of the API, and all webhooks."""
    yield from dict.fromkeys(row.gives for row in OPERATIONS if row.gives is not None)
    yield from events.WEBHOOKS.values()


def schemas(dialect: Dialect) -> dict[str, Json]:
    """Every schema that answers of the API refer to."""
    return {
        **named((*roots(), *dialect.shapes.values()), dialect),
        "Error": _error(dialect),
        "HeaderPairs": described(many({**many(TEXT), "minItems": 2, "maxItems": 2}), "Names and values, in order."),
    }


def _error(dialect: Dialect) -> Json:
    keys = dialect.error_keys
    wrong = record({keys.field_name: TEXT, keys.field_problem: TEXT})
    kinds = words(dict.fromkeys(kind for _, kind in dialect.types))
    others = {row.type_key for cause in dialect.errors for row in dialect.rows_of(cause) if row.type_key}
    inside = {**dict.fromkeys((keys.type, *sorted(others)), kinds), keys.code: TEXT, keys.message: TEXT}
    listed = {"anyOf": [many(wrong), described(TEXT, "Names of fields, where the public API returns an object.")]}
    fields = {} if keys.fields is None else {keys.fields: listed}
    more = {**fields, keys.extras.get("reason", "reason"): TEXT}
    error = record({**inside, **more}, optional=(*more, *(inside.keys() - {keys.code, keys.message} if others else ())))
    error["additionalProperties"] = True
    return record({keys.envelope: error}, about="The envelope of every error; `fields` lists each invalid field.")


def page(item: Json, keys: ListKeys) -> Json:
    """One page of a list, in its envelope."""
    if keys.items is None:
        return many(item)
    rows = ((keys.size, WHOLE), (keys.items, many(item)), (keys.total, WHOLE), (keys.more, FLAG))
    return record({key: schema for key, schema in rows if key is not None})


_BARE: Final = {"profiles.delete": FLAG, "analytics.report": {**maybe(FREE), "enum": [None]}}
"""Answers that are not objects."""


def success(operation: Operation, dialect: Dialect) -> tuple[Json | None, tuple[str, ...]]:
    """The schema of a success, None if it has no JSON, and its media types; KeyError if its row has neither."""
    name, shape = operation.name, dialect.shapes.get(operation.name, operation.gives)
    media = ("application/json", *MEDIA.get(name, ()))
    if name in dialect.texts:
        return TEXT, ("text/plain",)
    if name == "files.retrieve":
        return {"type": "string", "contentEncoding": "binary"}, ("*/*",)
    if operation.success is Success.NOTHING:
        return None, media
    if shape is None:
        return (_BARE[name], media) if operation.needs is None else (None, media[1:])
    schema = schema_of(shape, dialect)
    if operation.success is Success.PAGE:
        return page(schema, dialect.list_of(name, operation.route)), media
    return many(schema) if operation.success is Success.ARRAY else schema, media


MEDIA: Final = {
    "control.timeline": ("text/plain", "image/svg+xml"),
    "control.export": ("application/yaml", "text/x-python"),
    "control.metrics": ("text/plain", "application/openmetrics-text"),
}
"""Other media types of calls of the control API, besides JSON, or instead of it if their row has no answer."""
NOT_READY: Final = {"control.readyz": "The server cannot save data now; `data` says why."}
"""Calls that answer 503 with the schema of their success, and when."""
