"""Paths of `when`: `body.amount`, `header.X-Tenant`, `payment.metadata.order_id`, `card.brand`, `attempt`.

A path leads from the call or a stored record to one value. A value that is `null`, or has a `null` on its way, is
missing. Assertions use paths into the facts of one call or delivery, or into a record.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final

from msgspec import Struct, field

from mock_server.domain.card_brands import brand_named
from mock_server.domain.instants import iso
from mock_server.domain.outcomes import NO_CALL, CallContext, DecisionRequest
from mock_server.domain.statuses import ALIASES as STATUSES


class Absent:
    """The value of a path that leads nowhere."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "not there"


ABSENT: Final = Absent()
DEEPEST: Final = 16


class Root(Struct, frozen=True):
    """What a path can begin with; `text`: its values are always text (headers, queries); `deep`: steps must follow."""

    name: str
    read: Callable[[DecisionRequest, tuple[str, ...]], object]
    deep: bool = True
    text: bool = False


class Path(Struct, frozen=True):
    """A compiled path."""

    text: str
    root: Root
    steps: tuple[str, ...]

    def read(self, request: Any) -> object:
        """The value where the path leads, or ABSENT; `request` is what its root reads: a decision, a call, a record."""
        value = self.root.read(request, self.steps)
        return ABSENT if value is None else value

    def stored(self, value: object) -> object:
        """A value as records have it here: a brand by its short name, a payment's status in the interface's word."""
        end = (self.root.name, *self.steps)[-2:]
        if not isinstance(value, str) or end not in (("card", "brand"), ("payment", "status"), ("", "status")):
            return value
        if "brand" not in end:
            return STATUSES.get(value, value)
        row = brand_named(value)
        return value.lower() if row is None else row.slug


ALIASES: Final[Mapping[str, str]] = {
    "created": "created_at",
    "modified": "modified_at",
    "updated": "modified_at",
    "expires_on": "expires_at",
    "amount_received": "captured_amount",
    "session_expiry": "session_expiry_s",
    "dispute_status": "status",
    "dispute_stage": "stage",
    "dispute_amount": "amount",
    "dispute_reason": "reason",
}
"""The interface's name of a field → the record's own, where they differ."""

HIDDEN: Final = frozenset({"client_secret", "fingerprint", "payment_response_hash_key", "echo", "nick_name"})
"""Fields that no path leads to."""


def follow(value: object, steps: tuple[str, ...]) -> object:
    """The value at the end of these steps into objects, lists and records; ABSENT where a step leads nowhere."""
    for at, step in enumerate(steps):
        if isinstance(value, Mapping):
            rest = ".".join(steps[at:])
            if step not in value and rest in value:  # a metadata key may hold dots
                return value[rest]
            value = value.get(step)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            place = int(step) if step.isascii() and step.isdecimal() and len(step) < 6 else len(value)
            value = value[place] if place < len(value) else None
        elif isinstance(value, Struct):
            value = field_of(value, step)
        else:
            return ABSENT
        if value is None:
            return ABSENT
    return value


def field_of(record: Any, name: str) -> object:
    """A record's field by the interface's name, parsed if it is stored as JSON text."""
    if name in HIDDEN:
        return None
    own = ALIASES.get(name, name)
    kind: Any = type(record)
    value: Any = getattr(record, own, None)
    is_json = isinstance(value, str) and own in json_fields(kind)
    if value is None:
        value = (getattr(record, "echo", None) or {}).get(name)
        is_json = value is not None
    if is_json:
        return json.loads(value)
    if value is None:
        from mock_server.scenario.conditions.shown import shown

        return shown(record, name)
    return iso(value) if type(value) is int and own.endswith(TIMES) else None if callable(value) else value


TIMES: Final = ("_at", "_before", "_required_by")
"""How the names of instants end; paths see them as answers show them."""


@lru_cache(maxsize=64)
def json_fields(kind: type[Any]) -> frozenset[str]:
    """The fields that hold JSON text, by their annotation."""
    return frozenset(name for name, hint in kind.__annotations__.items() if "JsonText" in str(hint))


def _header(request: DecisionRequest, steps: tuple[str, ...]) -> object:
    """Header names are not case-sensitive; `steps` are the name as written and in lower case."""
    written, small = steps
    headers = request.call.headers
    found = headers.get(written, headers.get(small))
    return found if found is not None else next((text for name, text in headers.items() if name.lower() == small), None)


def _record(name: str, request: Any, steps: tuple[str, ...]) -> object:
    makes = isinstance(request, DecisionRequest) and request.operation == f"{name}s.create"  # only its body is known
    return follow(request.records.get(name, request.call.body if makes else None), steps)


def card_of(request: DecisionRequest) -> Any:
    """The card that is charged: the call's, or else the payment's."""
    card = request.records.get("card")
    return getattr(request.records.get("payment"), "card", None) if card is None else card


ROOTS: Final[Mapping[str, Root]] = {
    root.name: root
    for root in (
        Root("body", lambda request, steps: follow(request.call.body, steps)),
        Root("header", _header, text=True),
        Root("query", lambda request, steps: request.call.query.get(".".join(steps)), text=True),
        *(Root(name, partial(_record, name)) for name in ("payment", "refund", "dispute", "customer", "event")),
        Root("card", lambda request, steps: follow(card_of(request), steps)),
        Root("attempt", lambda request, steps: request.attempt, deep=False),
    )
}


def compile_path(text: str) -> Path:
    """The path of a text. ValueError says what is wrong with it."""
    head, *steps = text.split(".")
    root = ROOTS.get(head)
    if root is None:
        raise ValueError(f"starts with {head}; paths start with {', '.join(ROOTS)}")
    if "" in steps or len(steps) > DEEPEST:
        raise ValueError("has an empty step" if "" in steps else f"has over {DEEPEST} steps")
    if root.deep is not bool(steps):
        raise ValueError(f"needs a name after {head}" if root.deep else f"continues after {head}, which has no fields")
    if head == "header":
        name = ".".join(steps)
        return Path(text, root, (name, name.lower()))
    return Path(text, root, tuple(steps))


class CallFacts(Struct, frozen=True, kw_only=True):
    """One call, once it is answered: `http` is None where the client got no status.

    `code` is the error's code in the answer, `fault` the failure of the connection, `replayed` whether a stored answer
    was repeated. Paths of `when` (`body.…`, `header.…`, `query.…`, `payment.…`) lead into the call.
    """

    operation: str
    http: int | None
    replayed: bool = False
    code: str | None = None
    fault: str | None = None
    key: str | None = None
    call: CallContext = NO_CALL
    records: Mapping[str, object] = field(default_factory=dict)
    attempt: int = 1


class WebhookFacts(Struct, frozen=True, kw_only=True):
    """One attempt to deliver an event; `http` is None without an answer, `object` as it was sent."""

    type: str
    delivered: bool
    http: int | None = None
    attempt: int = 1
    copy: int = 1
    event_id: str | None = None
    payment_id: str | None = None
    object: object = None


CALL_FACTS: Final = ("http", "replayed", "code", "fault", "key")
WEBHOOK_FACTS: Final = WebhookFacts.__struct_fields__
PLAIN: Final = Root("", follow)
"""The root of paths into the value itself."""


def compile_fact(subject: str, text: str) -> Path:
    """The path of an assertion's condition. ValueError says what is wrong with it."""
    steps = tuple(text.split("."))
    if "" in steps:
        raise ValueError("has an empty step")
    if subject == "calls":
        if text in CALL_FACTS:
            return Path(text, PLAIN, steps)
        if steps[0] not in ROOTS:
            raise ValueError(f"is not a property of a call; use on, {', '.join(CALL_FACTS)} or the paths of when")
        return compile_path(text)
    if subject == "webhooks" and steps[0] not in WEBHOOK_FACTS:
        raise ValueError(f"is not a property of a delivery; use {', '.join(WEBHOOK_FACTS)}")
    return Path(text, PLAIN, steps)
