"""What every operation answers with: the schemas of shapes, and which shape an operation gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, Final, NamedTuple

from mock_server.contract.answers import (
    common,
    customer,
    dispute,
    events,
    offered,
    payment,
    refund,
    reports,
    saved,
    setup,
)
from mock_server.contract.answers.fields import AnswerShape, AsJson, ByName, Field, Kind, Listed, Many, Tally
from mock_server.contract.answers.writing import rows_of
from mock_server.contract.dialect import Dialect, ListKeys
from mock_server.contract.notation import (
    FLAG,
    NULL,
    TEXT,
    WHOLE,
    Json,
    many,
    maybe,
    record,
    ref,
    told,
    words,
)
from mock_server.contract.operation import Operation


class Success(NamedTuple):
    """What a success brings: its schema, or None where it brings nothing, and its media type."""

    schema: Json | None
    media: str = "application/json"


# the schemas of shapes


def schema_of(kind: Kind, dialect: Dialect) -> Json:
    """What stands in a field, as JSON Schema says it in a dialect's words."""
    match kind:
        case AnswerShape():
            return object_of(kind, dialect) if kind.inline else ref(kind.name)
        case Many(one):
            return many(schema_of(one, dialect))
        case ByName(one):
            return {"type": "object", "additionalProperties": schema_of(one, dialect)}
        case AsJson(one):
            return schema_of(one, dialect)
        case Listed(status):
            return ref(status.__name__)
        case Tally(status):
            return record({dialect.status_out(word): WHOLE for word in status})
        case dict():
            return kind
        case _:
            return _spoken(kind, dialect)


def _spoken(status: type[StrEnum], dialect: Dialect) -> Json:
    return words(dialect.status_out(word) for word in status)


def object_of(shape: AnswerShape[Any], dialect: Dialect) -> Json:
    """A shape with its fields."""
    rows = [row for row in rows_of(shape, dialect) if row.name]
    fields = {row.field.name: _field(row.field, dialect) for row in rows}
    left_out = [row.field.name for row in rows if row.field.optional or row.among is not None]
    found = record(fields, optional=left_out)
    if shape.more:
        found["additionalProperties"] = shape.more
    return told(found, shape.about) if shape.about else found


def _field(field: Field, dialect: Dialect) -> Json:
    plain = schema_of(field.kind, dialect)
    schema = maybe(plain) if field.nullable else plain
    if field.about:
        schema = told(schema, field.about)
    return {**schema, "x-source": field.source} if field.source else schema


def found_in(kinds: Iterable[Kind], dialect: Dialect) -> Iterator[AnswerShape[Any] | Listed]:
    """Every shape and every list of words that these lead to, each once."""
    known = set()
    waiting = list(kinds)
    while waiting:
        match waiting.pop():
            case (AnswerShape() | Listed()) as kind if kind not in known:
                known.add(kind)
                yield kind
                waiting += [row.field.kind for row in rows_of(kind, dialect)] if isinstance(kind, AnswerShape) else ()
            case Many(one) | ByName(one) | AsJson(one):
                waiting.append(one)


def named(kinds: Iterable[Kind], dialect: Dialect) -> dict[str, Json]:
    """Every schema with a name that these lead to."""
    found: dict[str, Json] = {}
    for kind in found_in(kinds, dialect):
        if isinstance(kind, Listed):
            found[kind.words.__name__] = _spoken(kind.words, dialect)
        elif not kind.inline:
            found[kind.name] = object_of(kind, dialect)
    return found


def roots() -> Iterator[AnswerShape[Any]]:
    """Every shape that is an answer of the API or a webhook."""
    yield from (*_ONE.values(), *_PAGES.values(), *_ARRAYS.values(), *events.WEBHOOKS.values())
    yield from (shape for shape in _OWN.values() if isinstance(shape, AnswerShape))


def schemas(dialect: Dialect) -> dict[str, Json]:
    """Every schema that answers of the API refer to."""
    return {
        **named((*roots(), *dialect.shapes.values()), dialect),
        "Error": _error(dialect),
        "HeaderPairs": _HEADER_PAIRS,
    }


_HEADER_PAIRS: Final = told(many({**many(TEXT), "minItems": 2, "maxItems": 2}), "Names and values, in order.")


def _error(dialect: Dialect) -> Json:
    keys = dialect.error_keys
    wrong = record({keys.field_name: TEXT, keys.field_problem: TEXT})
    inside = {keys.type: words(dict.fromkeys(kind for _, kind in dialect.types)), keys.code: TEXT, keys.message: TEXT}
    listed = {"anyOf": [many(wrong), told(TEXT, "Names of fields, where the public API answers so.")]}
    fields = {} if keys.fields is None else {keys.fields: listed}
    more = {**fields, keys.extras.get("reason", "reason"): TEXT}
    error = record({**inside, **more}, optional=more)
    error["additionalProperties"] = True
    about = "The envelope of every error; `fields` names each wrong field."
    return record({keys.envelope: error}, about=about)


def page(item: Json, keys: ListKeys) -> Json:
    """One page of a list, in its envelope."""
    if keys.items is None:
        return many(item)
    rows = ((keys.size, WHOLE), (keys.items, many(item)), (keys.total, WHOLE), (keys.more, FLAG))
    return record({key: kind for key, kind in rows if key is not None})


# which shape an operation gives

_ONE: Final[dict[str, AnswerShape[Any]]] = {
    "status and version": common.HEALTH,
    "payment": payment.PAYMENT,
    "session tokens": offered.SESSION_TOKENS,
    "customer": customer.CUSTOMER,
    "saved methods": saved.WALLET,
    "the default": saved.DEFAULT,
    "payment method": saved.METHOD,
    "methods on offer": offered.METHODS_ON_OFFER,
    "business profile": setup.PROFILE,
    "merchant account": setup.ACCOUNT,
    "API key with its text": setup.NEW_KEY,
    "API key": setup.KEY,
    "connector account": setup.CONNECTOR,
    "mandate": saved.MANDATE,
    "ephemeral key with its text": customer.EPHEMERAL_KEY,
    "ephemeral key": customer.EPHEMERAL_KEY,
    "delivery attempt": events.DELIVERY_ATTEMPT,
    "refund": refund.REFUND,
    "dispute": dispute.DISPUTE,
    "file id": dispute.FILE_ID,
    "blocklist entry": saved.BLOCK,
    "numbers": reports.FIGURES,
    "values to filter by": reports.FILTER_VALUES,
}
"""The shape of each kind of record that the table of routes names."""
_PAGES: Final[dict[str, AnswerShape[Any]]] = {
    "list of payments": payment.PAYMENT,
    "list of customers": customer.CUSTOMER,
    "list of mandates": saved.MANDATE,
    "list of business profiles": setup.PROFILE,
    "list of API keys": setup.KEY,
    "list of connector accounts": setup.LISTED_CONNECTOR,
    "list of events": events.EVENT,
    "list of delivery attempts": events.DELIVERY_ATTEMPT,
    "list of refunds": refund.REFUND,
    "list of disputes": dispute.DISPUTE,
}
_ARRAYS: Final[dict[str, AnswerShape[Any]]] = {
    "array of blocklist entries": saved.BLOCK,
    "evidence": dispute.EVIDENCE,
}
_OWN: Final[dict[str, AnswerShape[Any] | Json | None]] = {
    "payments.retrieve": payment.EXPANDED_PAYMENT,
    "payments.sync": payment.EXPANDED_PAYMENT,
    "payments.aggregate": common.PAYMENT_COUNTS,
    "refunds.aggregate": common.REFUND_COUNTS,
    "disputes.aggregate": common.DISPUTE_COUNTS,
    "customers.create": customer.NEW_CUSTOMER,
    "customers.delete": customer.DELETION,
    "payment_methods.delete": saved.DELETED_METHOD,
    "profiles.delete": FLAG,
    "profiles.toggle_connector_agnostic_mit": setup.MIT_SWITCH,
    "accounts.delete": setup.ACCOUNT_DELETION,
    "api_keys.revoke": setup.REVOKED_KEY,
    "connectors.delete": setup.CONNECTOR_DELETION,
    "mandates.revoke": saved.REVOKED,
    "blocklist.toggle": saved.BLOCKLIST_SWITCH,
    "analytics.report": NULL,
    "disputes.delete_evidence": None,
    "files.delete": None,
}
"""Answers that only one operation gives; None: no body."""


def success(operation: Operation, dialect: Dialect) -> Success:
    """What a success of an operation brings; KeyError for a record that no table here has."""
    name, kind = operation.name, operation.record
    if name in dialect.texts:
        return Success(TEXT, "text/plain")
    if name in dialect.shapes:
        return Success(schema_of(dialect.shapes[name], dialect))
    if name == "files.retrieve":
        return Success({"type": "string", "contentEncoding": "binary"}, "*/*")
    if name in _OWN:
        own = _OWN[name]
        return Success(None if own is None else schema_of(own, dialect))
    if kind in _PAGES:
        return Success(page(schema_of(_PAGES[kind], dialect), dialect.list_of(name, operation.route)))
    if kind in _ARRAYS:
        return Success(many(schema_of(_ARRAYS[kind], dialect)))
    return Success(schema_of(_ONE[kind], dialect))
