"""Every route as OpenAPI writes it: what it takes, what it gives, how it can be refused, by which keys."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Final

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.dialect import Dialect
from mock_server.contract.notation import FREE, TEXT, Json, maybe
from mock_server.contract.operation import Needs, Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.api_keys import KeyKind
from mock_server.openapi import answers
from mock_server.openapi import control_answers as control
from mock_server.openapi.requests import Requests
from mock_server.openapi.responses import of_control, of_operation, responses, with_examples
from mock_server.openapi.words import about_part, operation_ids, parts_of, tag_of, template

PROFILE_LEVEL: Final = ("/events/profile/", "/analytics/v1/profile/")
SCHEMES: Final = {
    KeyKind.SECRET: "secretKey",
    KeyKind.PUBLISHABLE: "publishableKey",
    KeyKind.EPHEMERAL: "ephemeralKey",
    KeyKind.ADMIN: "adminKey",
}
_YAML: Final = "application/yaml"


def paths(dialect: Dialect, requests: Requests) -> dict[str, Json]:
    """Every path with its methods: the API's in the dialect's words, the control API's in its own."""
    found: dict[str, Json] = {}
    for row, name in operation_ids(OPERATIONS):
        _add(found, row.path, row.method, _operation(row, name, dialect, requests))
    for steering, name in operation_ids(CONTROL_OPERATIONS):
        _add(found, steering.path, steering.method, _steering(steering, name, requests))
    return found


def _add(found: dict[str, Json], path: str, method: str, operation: Json) -> None:
    parts = [_part(name) for name in parts_of(path)]
    item = found.setdefault(template(path), {"parameters": parts} if parts else {})
    item[method.lower()] = operation


def _part(name: str) -> Json:
    """A part of a path; an id of another form is one that nobody has."""
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": about_part(name),
        "schema": {**TEXT, "minLength": 1},
    }


def _operation(row: Operation, name: str, dialect: Dialect, requests: Requests) -> Json:
    body = (
        requests.body(row.name, form=row.multipart)
        if (row.method != "GET" and row.method != "DELETE") or row.takes_body
        else None
    )
    asks = requests.has_query(row.name) and (row.method in ("GET", "HEAD") or body is None)
    query = list(requests.query(row.name)) if asks else []
    found = _head(row, name, tag_of(row.name))
    found["security"] = [{SCHEMES[kind]: []} for kind in SCHEMES if kind in row.keys]
    parameters = [*query, *_headers(row)]
    if parameters:
        found["parameters"] = parameters
    if body is not None:
        found["requestBody"] = body
    causes = of_operation(row, body=body is not None, query=asks)
    success = answers.success(row, dialect)
    given = responses(success.schema, (success.media,), causes, dialect)
    return with_examples(found | {"responses": given}, row.name, dialect)


def _head(row: Operation, name: str, tag: str) -> Json:
    found: Json = {"operationId": name, "tags": [tag], "summary": row.about.rstrip(".")}
    if name != row.name:
        found["summary"] += f" ({name.removeprefix(row.name)[1:].replace('.', ', ').replace('_', ' ')})"
        found["x-operation"] = row.name
    return found | {"x-source": row.source}


def _headers(row: Operation) -> Iterator[Json]:
    if row.path.startswith(PROFILE_LEVEL):
        yield _named("ProfileId")
    if row.changes:
        yield _named("IdempotencyKey")
    if row.draws_issuer:
        yield _named("Outcome")
    yield _named("Scenario")
    yield _named("Label")


def _named(name: str) -> Json:
    return {"$ref": f"#/components/parameters/{name}"}


def _steering(row: Operation, name: str, requests: Requests) -> Json:
    found = _head(row, name, tag_of(row.name, row.path))
    found["security"] = _keys_of(row.needs or Needs.NOTHING)
    body, query = requests.body(row.name), list(requests.query(row.name))
    body = deepcopy(_TAKEN.get(row.name, body))
    if query:
        found["parameters"] = query
    if body is not None:
        found["requestBody"] = body
    causes = of_control(row, body=body is not None, query=bool(query))
    schema = control.answers().get(row.name)
    media = ("application/json",) if schema is not None else ()
    kinds = (*media, *control.MEDIA.get(row.name, ()))
    given = responses(schema, kinds, causes, INTERFACE, steering=True)
    if row.name in control.NOT_READY:
        content = {"application/json": {"schema": schema}}
        given["503"] |= {"description": control.NOT_READY[row.name], "content": content}
    return with_examples(found | {"responses": given}, row.name, INTERFACE)


_TAKEN: Final[dict[str, Json]] = {
    "control.put_scenario": {
        "required": True,
        "content": {
            _YAML: {"schema": control.SCENARIO},
            "application/json": {"schema": control.SCENARIO},
        },
    },
    "control.put_next": {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NextRequest"}}},
    },
    "control.take_snapshot": {"required": False, "content": {"application/json": {"schema": maybe(FREE)}}},
}
"""Bodies that no marshmallow schema reads."""


def _keys_of(needs: Needs) -> list[Json]:
    keys: dict[Needs, list[Json]] = {Needs.NOTHING: [{}], Needs.MAYBE: [{}, {"secretKey": []}]}
    tokens: tuple[Json, ...] = ({}, {"controlToken": []})
    return [{**key, **token} for token in tokens for key in keys.get(needs, [{"secretKey": []}])]
