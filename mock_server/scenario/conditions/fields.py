"""The fields of records, bodies and answers: the contract's, in the words of either dialect; where paths to them lead.

Imported late: most conditions are about fields that a record has itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from math import inf
from typing import Any, Final, get_args, get_origin, get_type_hints

from marshmallow import Schema
from msgspec import Struct, structs

from mock_server.contract.answers.fields import AnswerShape, AsJson, ByName, Listed, Many, Tally
from mock_server.contract.answers.writing import rows_of
from mock_server.contract.control_operations import EVERY
from mock_server.contract.dialect import Dialect
from mock_server.contract.kinds.objects import Items, ObjectOf, ShownBody, Variant
from mock_server.contract.kinds.rules import is_instant
from mock_server.contract.kinds.texts import Choice
from mock_server.contract.kinds.values import Anything, Free
from mock_server.contract.notation import FLAG, INSTANT, TEXT, WHOLE, words
from mock_server.contract.operation import Operation, Success
from mock_server.contract.requests.payments.body import PaymentBody
from mock_server.domain.card_brands import BRANDS, OTHER
from mock_server.domain.cards import CARDS, UNLISTED, CardType
from mock_server.domain.customer import Customer, Mandate
from mock_server.domain.declines import DECLINES
from mock_server.domain.dispute import Dispute
from mock_server.domain.events import Event, EventClass, EventType
from mock_server.domain.faults import LineFault
from mock_server.domain.payment import KeptCard, Payment
from mock_server.domain.refund import Refund
from mock_server.recent import of_short
from mock_server.scenario.conditions.paths import ALIASES, HIDDEN, TIMES, json_fields
from mock_server.scenario.conditions.shown import SHAPES, dialects, is_read
from mock_server.scenario.conditions.when import Operator, Pattern

OWN: Final = frozenset({"metadata", "browser_info"})
"""Objects of the caller, in which any name is possible."""
ITEM: Final = "0"
"""The name of each item of a list."""


Node = Any
"""A class of records, a shape, or a kind of value."""
Ends = tuple[tuple[Node, Dialect], ...]
"""Where a path leads, in each dialect that has it; empty where any value is possible."""


class Wrong(Struct, frozen=True):
    """The number of a path's first step that leads nowhere, and the names that there are instead."""

    at: int
    known: frozenset[str]


def led(root: str, calls: frozenset[str], steps: tuple[str, ...]) -> Ends | Wrong:
    """Where a path leads in a record (`payment`), in part of any of these calls (`answer`), or these `webhooks`."""
    return of_short(_led, sum(map(len, steps)))(root, calls, steps)


@lru_cache(maxsize=4096)
def _led(root: str, calls: frozenset[str], steps: tuple[str, ...]) -> Ends | Wrong:
    found: Ends = tuple(_roots(root, calls))
    for at, step in enumerate(steps):
        known, below = set[str](), []
        for node, dialect in found:
            names = _names(node, dialect)
            if names is None or step in OWN:
                return ()
            known |= names.keys()
            name = ITEM if step.isascii() and step.isdecimal() and ITEM in names else step
            below += [(names[name], dialect)] if name in names else []
        if not below:
            return Wrong(at, frozenset(known - {ITEM}))
        found = tuple(below)
    return found


def can_hold(ends: Ends, operator: Operator, value: object) -> bool:
    """Whether some value of a field where a path leads passes an operator's test."""
    return not ends or any(_can_hold(node, dialect, operator, value) for node, dialect in ends)


def _can_hold(node: Node, dialect: Dialect, operator: Operator, value: Any) -> bool:
    known = _words(node, dialect)
    if known is not None:
        return any(operator.test(word, value) for word in known)
    names = _names(node, dialect)
    if names is None or names:  # of an object or a list, only what it contains can be said with a single value
        return names is None or operator.name == "contains" or isinstance(value, Mapping | list)
    schema: Mapping[str, Any] = node if isinstance(node, dict) else {"type": getattr(node, "json_type", None)}
    match schema.get("type"):
        case "integer" | "number" as kind:
            low, high = schema.get("minimum", -inf), schema.get("maximum", inf)
            is_one = type(value) in (int, float) and low <= value <= high and not (kind == "integer" and value % 1)
            return any(operator.test(one, value) for one in (low, high, *((value,) if is_one else ())))
        case "boolean":
            return any(operator.test(one, value) for one in (True, False))
        case "string" if isinstance(value, str):
            is_instant = schema.get("format") == "date-time" and operator.name not in ("matches", "contains")
            least = len(_INSTANTS[0]) if operator.name == "eq" else 0
            return not is_instant or (len(value) >= least and _begins(value))
        case "string":
            return isinstance(value, Pattern)
    return True


_INSTANTS: Final = ("2000-01-01T00:00:00.000Z", "2000-10-10T00:00:00.000Z")


def _begins(text: str) -> bool:
    """Whether an instant, as answers write it, can begin with a text."""
    is_date = len(text) <= len(_INSTANTS[0]) and text[10:11] in ("", "T")
    return is_date and any(is_instant(text + one[len(text) :]) for one in _INSTANTS)


def words_at(ends: Ends) -> frozenset[str]:
    """The words that a field where a path leads can have, if they are a table's."""
    return frozenset(word for node, dialect in ends for word in _words(node, dialect) or () if word)


def _words(node: Node, dialect: Dialect) -> Iterable[str] | None:
    """The words of a closed list, besides those that only a dialect has; None if any text is possible."""
    node = node.words if isinstance(node, Listed) else node
    if isinstance(node, type) and issubclass(node, StrEnum):
        return (*node, *map(dialect.status_out, node))
    if isinstance(node, Choice):
        own = (word for rules in dialect.bodies.values() for word in rules.words.get(node.named, ()))
        return (*node.words, *node.more, *own)
    return node.get("enum") if isinstance(node, dict) else None


_CODES: Final = words(
    {code: 0 for dialect in dialects() for code in (*dialect.codes, *(row.code for row in dialect.errors.values()))}
)
_HTTP: Final = {**WHOLE, "minimum": 100, "maximum": 599}
_ORDINAL: Final = {**WHOLE, "minimum": 1}
_CALL: Final = {"http": _HTTP, "replayed": FLAG, "code": _CODES, "fault": LineFault, "key": TEXT}
_COUNTS: Final = {"http": _HTTP, "attempt": _ORDINAL, "copy": _ORDINAL}
_DELIVERY: Final = {"type": EventType, "delivered": FLAG, "event_id": TEXT, "payment_id": TEXT, **_COUNTS}
_OBJECTS: Final = dict(zip(EventClass, (Payment, Refund, Dispute, Mandate), strict=True))
RECORDS: Final[Mapping[str, tuple[Node, ...]]] = {
    "payment": (Payment,),
    "refund": (Refund,),
    "dispute": (Dispute,),
    "customer": (Customer,),
    "card": (KeptCard,),
    "event": (Event,),
    "calls": ({"properties": _CALL},),
    "attempt": (_ORDINAL,),
    "header": (None,),
}


def _roots(root: str, calls: frozenset[str]) -> Iterator[tuple[Node, Dialect]]:
    for dialect in dialects():
        yield from ((node, dialect) for node in RECORDS.get(root, ()))
        if root == "webhooks":
            kinds = {_OBJECTS[EventType(event).about] for event in calls}
            yield from (({"properties": {**_DELIVERY, "object": kind}}, dialect) for kind in kinds)
        elif root not in RECORDS:
            yield from ((_of_call(root, EVERY.get(name), dialect), dialect) for name in sorted(calls))
        if root == "answer":
            yield _error(dialect), dialect


def _of_call(root: str, row: Operation | None, dialect: Dialect) -> Node:
    """The shape of an operation's body, query or answer; None for a page, and for bodies of another grammar."""
    if row is None:
        return None
    if root == "answer":
        shape: Any = dialect.shapes.get(row.name, row.gives)
        keys = dialect.list_of(row.name, row.route)
        if shape is None or row.success not in (Success.PAGE, Success.ARRAY):
            return shape
        if row.success is Success.ARRAY or keys.items is None:
            return Many(shape)
        page = {keys.size: WHOLE, keys.items: Many(shape), keys.total: WHOLE, keys.more: FLAG}
        return {"properties": {name: node for name, node in page.items() if name is not None}}
    taken = row.takes[root == "query"]
    if taken is None:
        return {"properties": {}} if row.needs is None or not row.reads_body(row.method) else None
    body: Any = taken.of(dialect)
    return getattr(body, "one", body).schema


def _error(dialect: Dialect) -> Node:
    keys = dialect.error_keys
    types = {row.type_key: TEXT for cause in dialect.errors for row in dialect.rows_of(cause) if row.type_key}
    more = dict.fromkeys((keys.type, keys.code, keys.message, "reason", "payment_id", *keys.extras.values()), TEXT)
    wrong = Many({"properties": {keys.field_name: TEXT, keys.field_problem: TEXT}})
    return {"properties": {keys.envelope: {"properties": {**more, **types, keys.fields or "fields": wrong}}}}


def _names(node: Node, dialect: Dialect) -> Mapping[str, Node] | None:
    """The names in a node, each with what it leads to; None where any name is possible."""
    match node:
        case None | ByName():
            return None
        case AnswerShape():
            rows = list(rows_of(node, dialect))
            is_open = node.more or any(not row.name for row in rows)
            return None if is_open else {row.field.name: _closed(row.field.name, row.field.kind) for row in rows}
        case Many(one):
            return {ITEM: one}
        case AsJson(kind):
            return _names(kind, dialect)
        case Tally(words):
            return dict.fromkeys(dialect.spoken(words).values(), WHOLE)
        case dict():
            return _in_json_schema(node)
        case type() if issubclass(node, Struct):
            return _in_record(node, dialect)
    return _in_body(node)


def _in_body(node: Node) -> Mapping[str, Node] | None:
    match node:
        case Free() | Anything():
            return None
        case Schema():
            return node.load_fields
        case Items():
            return {ITEM: node.inner}
        case Variant():
            schemas = (node.schema_for({node.on: word}) for word in (*node.variants, None))
            return {name: field for schema in schemas for name, field in schema.load_fields.items()}
        case ObjectOf():
            return node.schema.load_fields
    return {}


def _in_json_schema(node: Mapping[str, Any]) -> Mapping[str, Node] | None:
    if "$ref" in node:
        EVERY["payments.create"].takes[0]  # its module defines the objects that answers return as they were sent
        named = node["$ref"].rpartition("/")[2]
        return next((body().load_fields for body in ShownBody.__subclasses__() if body.__name__ == named), None)
    is_open = node.get("additionalProperties") or (node.get("type") == "array" and "items" not in node) or not node
    return None if is_open else node.get("properties", {ITEM: node["items"]} if "items" in node else {})


def _in_record(kind: Any, dialect: Dialect) -> Mapping[str, Node]:
    """The names by which `field_of` finds something in a record of this kind."""
    hints: dict[str, Any] = {field.name: field.type for field in structs.fields(kind)}
    for name, found in inspect.getmembers(kind, lambda member: isinstance(member, property)):
        hints |= {} if name.startswith("_") else {name: get_type_hints(found.fget)["return"]}
    own = {name: INSTANT if name.endswith(TIMES) else _closed(name, _held(hint)) for name, hint in hints.items()}
    own |= OF_CARD if kind is KeptCard else {}
    unread = json_fields(kind)
    own |= dict.fromkeys(unread)
    aliases = {name: field for name, field in ALIASES.items() if kind is Dispute or "dispute" not in name}
    own |= {name: own[field] for name, field in aliases.items() if field in own}
    for row in rows_of(SHAPES[kind], dialect) if kind in SHAPES else ():
        if is_read(row.field) and (own.get(row.field.name, TEXT) == TEXT or row.field.name in unread):
            own[row.field.name] = _closed(row.field.name, row.field.kind)
    return {name: node for name, node in own.items() if name not in HIDDEN}


def _closed(name: str, node: Node) -> Node:
    """The closed list that a text of this name is from: that of the request, or of the table of declines."""
    return _LISTS.get(name, node) if node == TEXT else node


_LISTS: Final[Mapping[str, Node]] = {
    **{name: row for name, row in PaymentBody._declared_fields.items() if isinstance(row, Choice)},
    "error_code": words(dict.fromkeys(row.error_code for row in DECLINES)),
}
OF_CARD: Final[Mapping[str, Node]] = {
    "name": words([*(row.name for row in CARDS), *(UNLISTED + row.slug for row in (*BRANDS, OTHER))]),
    "brand": words(row.slug for row in (*BRANDS, OTHER)),
    "type": CardType,
}


def _held(hint: Any) -> Node:
    """What an attribute leads to, by its annotation."""
    parts, origins = [hint, *get_args(hint)], {get_origin(part) for part in (hint, *get_args(hint))}
    found: Any = next((part for part in parts if isinstance(part, type) and issubclass(part, Struct | StrEnum)), None)
    if tuple in origins:
        return Many(found or TEXT)
    scalar = next((_SCALARS[part] for part in parts if part in _SCALARS), None)
    return found if found and Mapping not in origins else scalar


_SCALARS: Final = {int: WHOLE, bool: FLAG, str: TEXT}
