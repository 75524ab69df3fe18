"""How each route can say no: the causes, put together by HTTP status, in the dialect's words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from mock_server.contract.control_operations import ControlOperation, Needs
from mock_server.contract.dialect import Dialect
from mock_server.contract.operations import Operation, may_take_long
from mock_server.contract.routes import (
    ON_BODIES,
    ON_CHANGES,
    ON_CLIENTS,
    ON_EVERY,
    ON_FORMS,
    ON_QUERIES,
    ON_SLOW,
    route,
)
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.causes import Cause as C
from mock_server.domain.errors import CAUSES
from mock_server.openapi import examples
from mock_server.openapi.notation import FREE, Json, ref, words

_ABOUT: Final = {row.cause: row.about for row in CAUSES}
_WIRE: Final = (C.REQUEST_MALFORMED, C.URI_TOO_LONG, C.HEAD_TOO_LARGE)
"""Before a route is even looked for."""
_KEYS: Final = (
    C.KEY_MISSING,
    C.KEY_MALFORMED,
    C.KEY_PRODUCTION,
    C.KEY_UNKNOWN,
    C.KEY_EXPIRED,
    C.KEY_REVOKED,
    C.KEY_KIND_NOT_ALLOWED,
)
_LIKE_CREATE: Final = frozenset({"payments.update", "payments.replace", "payments.confirm"})
"""They take the fields of a create, and can be wrong about them in its ways."""
_GUARD: Final = (C.HOST_FORBIDDEN, C.CONTROL_ORIGIN_FORBIDDEN, C.CONTROL_TOKEN_WRONG, C.INTERNAL)
_TRIGGER: Final = (C.OBJECT_UNKNOWN, C.TRIGGER_FORBIDS, C.STATUS_FORBIDS)
_UNKNOWN: Final = (C.OBJECT_UNKNOWN,)
_BROKEN: Final = (C.SCENARIO_BROKEN, C.JSON_MALFORMED, C.BODY_TOO_LARGE, C.NO_ROOM)
_SNAPSHOT: Final = (
    *(
        C.SNAPSHOT_FORMAT_UNKNOWN,
        C.SNAPSHOT_BROKEN,
        C.SNAPSHOT_TOO_LARGE,
        C.ADVANCE_RUNNING,
        C.VALUE_INVALID,
        C.NO_ROOM,
    ),
)

_CONTROL: Final[Mapping[str, tuple[C, ...]]] = {
    "control.clock_freeze": (C.CLOCK_BACKWARDS, C.ADVANCE_RUNNING),
    "control.clock_advance": (C.CLOCK_BACKWARDS, C.ADVANCE_RUNNING, C.WORKSPACE_GONE),
    "control.clock_resume": (C.ADVANCE_RUNNING,),
    "control.journal": (C.WORKSPACE_GONE,),
    "control.timeline": _UNKNOWN,
    "control.why": _UNKNOWN,
    "control.export": _UNKNOWN,
    "control.authenticate": _TRIGGER,
    "control.settle": _TRIGGER,
    "control.fail": _TRIGGER,
    "control.expire": _TRIGGER,
    "control.hold": _TRIGGER,
    "control.dispute": (*_TRIGGER, C.DISPUTE_OVER_CAPTURED),
    "control.settle_refund": _TRIGGER,
    "control.advance_dispute": (C.DISPUTE_UNKNOWN, C.DISPUTE_STATUS_FORBIDS, C.TRIGGER_FORBIDS),
    "control.scenario": _UNKNOWN,
    "control.put_scenario": _BROKEN,
    "control.drop_scenario": _UNKNOWN,
    "control.activate_scenario": _UNKNOWN,
    "control.deactivate_scenario": _UNKNOWN,
    "control.check_scenario": (C.OBJECT_UNKNOWN, C.SCENARIO_NOT_ACTIVE),
    "control.put_next": (C.SCENARIO_BROKEN, *ON_BODIES),
    "control.webhooks": (C.WORKSPACE_GONE,),
    "control.webhook": _UNKNOWN,
    "control.set_webhook_target": (C.WEBHOOK_HOST_FORBIDDEN, C.OBJECT_UNKNOWN),
    "control.resend_webhook": _UNKNOWN,
    "control.trigger_webhook": (C.OBJECT_UNKNOWN, C.DISPUTE_UNKNOWN),
    "control.sign_webhook": _UNKNOWN,
    "control.take_snapshot": (*_SNAPSHOT, *ON_BODIES),
    "control.snapshot": _UNKNOWN,
    "control.drop_snapshot": _UNKNOWN,
    "control.restore_snapshot": (C.OBJECT_UNKNOWN, C.SNAPSHOT_FORMAT_UNKNOWN, C.SNAPSHOT_BROKEN),
}
"""The refusals of each control call's own."""


def of_operation(row: Operation, *, body: bool, query: bool) -> tuple[C, ...]:
    """Every cause for which a call of the API can be refused."""
    found = [*_WIRE, *ON_EVERY, *route(row.name).errors, C.VALUE_INVALID]
    if row.multipart:
        found += [*ON_FORMS, C.VALUE_MISSING, C.VALUE_INVALID]
    elif body:
        found += ON_BODIES
    if query:
        found += ON_QUERIES
    if row.changes:
        found += ON_CHANGES
    if KeyKind.PUBLISHABLE in row.keys:
        found += [*ON_CLIENTS, C.SECRET_KEY_WITH_CLIENT_SECRET, C.OBJECT_UNKNOWN]
    if may_take_long(row.path):
        found += ON_SLOW
    if row.name in _LIKE_CREATE:
        found += route("payments.create").errors
    return tuple(dict.fromkeys(found))


def of_control(row: ControlOperation, *, body: bool, query: bool) -> tuple[C, ...]:
    """Every cause for which a control call can be refused."""
    found = [*_WIRE, *_GUARD, *_CONTROL.get(row.name, ())]
    if may_take_long(row.path):
        found += ON_SLOW
    if row.needs is not Needs.NOTHING:
        found += _KEYS
    if body:
        found += ON_BODIES
    if query:
        found += ON_QUERIES
    if row.method in ("POST", "PUT", "DELETE") and not row.raw:
        found += [C.JSON_MALFORMED, C.CONTENT_TYPE_WRONG, C.BODY_TOO_LARGE]
    return tuple(dict.fromkeys(found))


def by_status(causes: Iterable[C], dialect: Dialect) -> dict[int, list[C]]:
    """The causes by the HTTP status that they answer with, lowest first."""
    found: dict[int, list[C]] = {}
    for cause in causes:
        found.setdefault(dialect.errors[cause].status, []).append(cause)
    return {status: found[status] for status in sorted(found)}


def response(causes: Iterable[C], dialect: Dialect) -> Json:
    """One error response: which codes it can hold, and when each comes."""
    listed = sorted(causes, key=lambda cause: (dialect.errors[cause].code, cause))
    lines = [f"- `{dialect.errors[cause].code}` {cause}: {_ABOUT[cause]}" for cause in listed]
    shown = {name: example for cause in listed for name, example in examples.of_cause(cause).items()}
    body = {"schema": narrowed(listed, dialect), **({"examples": shown} if shown else {})}
    return {"description": "\n".join(lines), "content": {"application/json": body}}


def narrowed(causes: Iterable[C], dialect: Dialect) -> Json:
    """The error envelope with only the codes of these causes."""
    keys = dialect.error_keys
    codes = words(dict.fromkeys(dialect.errors[cause].code for cause in causes))
    inside = {**FREE, "properties": {keys.code: codes}}
    return {"allOf": [ref("Error"), {**FREE, "properties": {keys.envelope: inside}}]}
