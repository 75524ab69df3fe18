"""Every route in OpenAPI: its request, its answers, its errors, its keys."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any, Final

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.dialect import Dialect
from mock_server.contract.notation import FREE, TEXT, Json, maybe, ref, words
from mock_server.contract.operation import PARTS, Needs, Operation
from mock_server.contract.operations import BY_NAME, HEALTH, OPERATIONS, may_take_long
from mock_server.contract.routes import ON_BODIES, ON_CHANGES, ON_CLIENTS, ON_EVERY, ON_FORMS, ON_QUERIES, ON_SLOW
from mock_server.control.answers.scenarios import DOCUMENT
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.errors import Cause as C
from mock_server.http.errors import RETRIED
from mock_server.openapi import answers, examples
from mock_server.openapi.requests import Requests, about_part, json_body, operation_ids, tag_of, template

PROFILE_LEVEL: Final = ("/events/profile/", "/analytics/v1/profile/")
_KINDS: Final = (KeyKind.SECRET, KeyKind.PUBLISHABLE, KeyKind.EPHEMERAL, KeyKind.ADMIN)
SCHEMES: Final = {kind: f"{kind}Key" for kind in _KINDS}
_YAML: Final = "application/yaml"


def paths(dialect: Dialect, requests: Requests) -> dict[str, Json]:
    """Every path with its methods: the API's in the dialect's words, the control API's in its own."""
    items: dict[str, Json] = {}
    of_path = {"in": "path", "required": True, "schema": {**TEXT, "minLength": 1}}
    for rows, spoken in ((OPERATIONS, dialect), (CONTROL_OPERATIONS, INTERFACE)):
        for row, name in operation_ids(rows):
            parts = [{"name": part, "description": about_part(part), **of_path} for part in PARTS.findall(row.path)]
            item = items.setdefault(template(row.path), {"parameters": parts} if parts else {})
            item[row.method.lower()] = _operation(row, name, spoken, requests)
    return items


def _operation(row: Operation, name: str, dialect: Dialect, requests: Requests) -> Json:
    body = requests.body(row, name) if row.reads_body(row.method) else None
    query = requests.query(row) if row.method == "GET" or body is None else []
    body = deepcopy(_TAKEN.get(row.name, body))
    operation = _head(row, name)
    if row.needs is None:
        operation["security"] = [{SCHEMES[kind]: []} for kind in SCHEMES if kind in row.keys]
    else:
        keys = _KEYS_OF.get(row.needs, [{"secretKey": []}])
        operation["security"] = [*keys, *({**key, "controlToken": []} for key in keys)]
    parameters = [*query, *_headers(row)]
    if parameters:
        operation["parameters"] = parameters
    if body is not None:
        operation["requestBody"] = body
    schema, media = answers.success(row, dialect)
    given = responses(row, schema, media, causes(row, body=body is not None, query=bool(query)), dialect)
    if query and dialect.queries and row.needs is None:
        given["400"]["content"]["text/plain"] = {"schema": TEXT}
    if row.name in answers.NOT_READY:
        content = {"application/json": {"schema": schema}}
        given["503"] |= {"description": answers.NOT_READY[row.name], "content": content}
    return with_examples(operation | {"responses": given}, row.name, dialect)


def _head(row: Operation, name: str) -> Json:
    head: Json = {"operationId": name, "tags": [tag_of(row)], "summary": row.about.rstrip(".")}
    if name != row.name:
        head["summary"] += f" ({name.removeprefix(row.name)[1:].replace('.', ', ').replace('_', ' ')})"
        head["x-operation"] = row.name
    return head | {"x-source": row.source}


def _headers(row: Operation) -> list[Json]:
    if row.needs is not None:
        return []
    some = {"ProfileId": row.path.startswith(PROFILE_LEVEL), "IdempotencyKey": row.changes, "Outcome": row.draws_issuer}
    headers = (*(name for name, is_read in some.items() if is_read), "Scenario", "Label")
    return [{"$ref": f"#/components/parameters/{name}"} for name in headers]


_EITHER: Final = {kind: {"schema": DOCUMENT} for kind in (_YAML, "application/json")}
_TAKEN: Final[dict[str, Json]] = {
    "control.put_scenario": {"required": True, "content": _EITHER},
    "control.put_next": json_body(ref("NextRequest"), required=True),
    "control.take_snapshot": json_body(maybe(FREE), required=False),
}
"""Bodies without a marshmallow schema."""


_KEYS_OF: Final[dict[Needs | None, list[Json]]] = {Needs.NOTHING: [{}], Needs.MAYBE: [{}, {"secretKey": []}]}


# the answers of a route: its success with an example, and its errors by HTTP status

_ON_ALL: Final = ("X-Request-Id", "X-Sandbox-Because")
_OF_API: Final = ("X-Sandbox-Replayed", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
_OF_ONE: Final = {"control.export": ("X-Sandbox-Verified",)}
_Says = tuple[str, C]
"""A code, and the cause that it is answered for."""
_PLAIN: Final = ("text/", "image/", "application/openmetrics")

_WIRE: Final = (C.REQUEST_MALFORMED, C.URI_TOO_LONG, C.HEAD_TOO_LARGE)
"""Before the route is known."""
_KEYS: Final = tuple(cause for cause in ON_EVERY if cause.startswith("key_"))
_PROBED: Final = (C.HOST_FORBIDDEN, C.CONTROL_ORIGIN_FORBIDDEN, C.NOT_SAVED, C.INTERNAL)
_GUARDED: Final = (*_PROBED, C.CONTROL_TOKEN_WRONG)
_GUARD: Final = dict.fromkeys(HEALTH, _PROBED)


def responses(row: Operation, schema: Json | None, media: Iterable[str], causes: Iterable[C], dialect: Dialect) -> Json:
    """Every response of a route."""
    refused, told = _by_status(causes, dialect), _ON_ALL if row.needs else (*_ON_ALL, *_OF_API)
    good: Json = {"description": "Success.", "headers": _refer((*told, *_OF_ONE.get(row.name, ())))}
    if schema is not None or row.needs:
        good["content"] = {kind: {"schema": _of(kind, schema, refused.get(200), dialect)} for kind in media}
    by_status: dict[str, Any] = {"200": good}
    for status, group in refused.items():
        if status != 200:
            headers = told if RETRIED.isdisjoint(cause for _, cause in group) else (*told, "Retry-After")
            by_status[str(status)] = _response(group, dialect) | {"headers": _refer(headers)}
    return by_status


def _of(media: str, schema: Json | None, refused: list[_Says] | None, dialect: Dialect) -> Json:
    if media == _YAML:
        return DOCUMENT
    if media.startswith(_PLAIN) or schema is None:
        return TEXT
    return {"anyOf": [schema, _narrowed(refused, dialect)]} if refused else schema


def _refer(names: Iterable[str]) -> Json:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def with_examples(operation: Json, name: str, dialect: Dialect) -> Json:
    """The operation with its recorded examples."""
    for part, holder in (("request", operation.get("requestBody", {})), ("answer", operation["responses"]["200"])):
        content = holder.get("content", {})
        if "application/json" in content:
            content["application/json"] = {**content["application/json"], **examples.of_operation(name, part, dialect)}
    return operation


# refusals


def causes(row: Operation, *, body: bool, query: bool) -> tuple[C, ...]:
    """Every cause for which a call can be refused."""
    first = ON_EVERY if row.needs is None else _GUARD.get(row.path, _GUARDED)
    refused_for = [*_WIRE, *row.errors, C.VALUE_INVALID, *first]
    if row.needs not in (None, Needs.NOTHING):
        refused_for += _KEYS
    if row.multipart:
        refused_for += [*ON_FORMS, C.VALUE_MISSING]
    elif body:
        refused_for += ON_BODIES
    if query:
        refused_for += ON_QUERIES
    if may_take_long(row.path):
        refused_for += ON_SLOW
    if row.needs is not None and row.changes and not row.raw:
        refused_for += [C.JSON_MALFORMED, C.CONTENT_TYPE_WRONG, C.BODY_TOO_LARGE]
    if row.needs is None and row.changes:
        refused_for += ON_CHANGES
    if row.wants_secret:
        refused_for += [*ON_CLIENTS, C.SECRET_KEY_WITH_CLIENT_SECRET, C.OBJECT_UNKNOWN]
    if row.wrong_as:
        refused_for += BY_NAME[row.wrong_as].errors
    return tuple(dict.fromkeys(refused_for))


def _by_status(causes: Iterable[C], dialect: Dialect) -> dict[int, list[_Says]]:
    """Codes and causes by HTTP status, lowest first."""
    by_status: dict[int, list[_Says]] = {}
    for cause in causes:
        for status, code in dict.fromkeys((row.status, row.code) for row in dialect.rows_of(cause)):
            by_status.setdefault(status, []).append((code, cause))
    return {status: by_status[status] for status in sorted(by_status)}


def _response(said: Iterable[_Says], dialect: Dialect) -> Json:
    """One error response: its codes, and when each is sent."""
    listed = sorted(said)
    lines = [f"- `{code}` {cause}: {cause.about}" for code, cause in listed]
    shown = {name: example for _, cause in listed for name, example in examples.of_cause(cause, dialect).items()}
    body = {"schema": _narrowed(listed, dialect), **({"examples": shown} if shown else {})}
    return {"description": "\n".join(lines), "content": {"application/json": body}}


def _narrowed(said: Iterable[_Says], dialect: Dialect) -> Json:
    """The error envelope with only these codes."""
    keys = dialect.error_keys
    inside = {**FREE, "properties": {keys.code: words(dict.fromkeys(code for code, _ in said))}}
    return {"allOf": [ref("Error"), {**FREE, "properties": {keys.envelope: inside}}]}
