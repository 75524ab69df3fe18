"""What each route answers: its success with an example, and its refusals by status."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from mock_server.contract.dialect import Dialect
from mock_server.contract.notation import TEXT, Json
from mock_server.domain.causes import Cause
from mock_server.openapi import examples, refusals
from mock_server.openapi.control_answers import SCENARIO

COME_AGAIN: Final = (429, 503)
_ON_EVERY: Final = ("X-Request-Id", "X-Sandbox-Because")
_OF_API: Final = ("X-Sandbox-Replayed", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
_PLAIN: Final = ("text/", "image/", "application/openmetrics")
_YAML: Final = "application/yaml"


def responses(
    schema: Json | None, media: Iterable[str], causes: Iterable[Cause], dialect: Dialect, *, steering: bool = False
) -> Json:
    """Every response of a route; `steering`: of the control API."""
    refused = refusals.by_status(causes, dialect)
    good: Json = {"description": "It is done.", "headers": _answer_headers(steering=steering)}
    if schema is not None or steering:
        good["content"] = {kind: {"schema": _of(kind, schema, refused.get(200), dialect)} for kind in media}
    found: dict[str, Any] = {"200": good}
    for status, group in refused.items():
        if status != 200:
            found[str(status)] = refusals.response(group, dialect)
            if status in COME_AGAIN:
                found[str(status)]["headers"] = _refer(("Retry-After",))
    return found


def _of(media: str, schema: Json | None, refused: list[Cause] | None, dialect: Dialect) -> Json:
    if media == _YAML:
        return SCENARIO
    if media.startswith(_PLAIN) or schema is None:
        return TEXT
    return {"anyOf": [schema, refusals.narrowed(refused, dialect)]} if refused else schema


def _answer_headers(*, steering: bool) -> Json:
    return _refer(_ON_EVERY if steering else (*_ON_EVERY, *_OF_API))


def _refer(names: Iterable[str]) -> Json:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def with_examples(operation: Json, name: str) -> Json:
    """The operation with what was recorded of it."""
    for part, place in (("request", operation.get("requestBody", {})), ("answer", operation["responses"]["200"])):
        content = place.get("content", {})
        if "application/json" in content:
            content["application/json"] = {**content["application/json"], **examples.of_operation(name, part)}
    return operation
