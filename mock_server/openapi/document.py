"""The whole document, with the webhooks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any, Final

from mock_server import __version__, jsontext
from mock_server.contract.answers.events import OBJECTS
from mock_server.contract.answers.events import WEBHOOKS as SHAPES
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.control_operations import PREFIX as CONTROL
from mock_server.contract.dialect import Dialect
from mock_server.contract.notation import FREE, TEXT, WHOLE, Json, described, maybe, record, ref, words
from mock_server.control.stages import TOKEN_HEADER
from mock_server.dialects.interface import INTERFACE
from mock_server.domain import limits
from mock_server.domain.api_keys import ADMIN_FORM, KEY_FORMS
from mock_server.domain.countries import COUNTRIES
from mock_server.domain.events import EventType
from mock_server.domain.money import CURRENCIES
from mock_server.openapi import answers, examples
from mock_server.openapi.paths import SCHEMES, paths
from mock_server.openapi.requests import CONTROL_TAGS, TAGS, Requests
from mock_server.sandbox.deciding import SCENARIO_HEADER
from mock_server.scenario.schema.top import json_schema, references
from mock_server.webhooks.signing import HEADER

VERSION: Final = "3.1.0"
DIALECT: Final = "https://spec.openapis.org/oas/3.1/dialect/base"

_ABOUT: Final = """\
A payment processor's API on your own machine, and the control API under `/_sandbox/` with which tests control it.

Any key that begins with `snd_` and goes on with at least eight letters or digits is a merchant of its own, made on
first use; so is any `pro_…` profile. Amounts are integers in the currency's lowest denomination; instants are ISO 8601
in UTC. Every error comes in one envelope, and each operation lists the codes that it can give. Scenarios can answer any
call with any code, status or broken connection besides: that is what they are for.

`operationId` is the name by which scenarios, journal and metrics know an operation; where several routes serve one,
`x-operation` says which. `x-source` says where a field or route comes from.
"""


def document(dialect: Dialect) -> Json:
    """The whole API in a dialect. Takes about half a second; `serving` keeps the result."""
    requests = Requests(dialect)
    path_items = paths(dialect, requests)
    of_control = [row.gives for row in CONTROL_OPERATIONS if row.gives is not None]
    api, control = answers.schemas(dialect), answers.named(of_control, INTERFACE)
    apart = _apart(api, control)
    path_items = {path: _moved(item, apart) if path.startswith(CONTROL) else item for path, item in path_items.items()}
    control = {apart.get(name, name): _moved(schema, apart) for name, schema in control.items()}
    schemas = {**requests.schemas, **api, **control, **_scenarios()}
    whole: Json = {
        "openapi": VERSION,
        "jsonSchemaDialect": DIALECT,
        "info": {
            "title": "payment-sandbox",
            "version": __version__,
            "summary": "A payment processor's API on your own machine: real states, real errors, no real money.",
            "description": _ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "This sandbox."}],
        "tags": [{"name": name, "description": about} for name, about in {**TAGS, **CONTROL_TAGS, **_TAG}.items()],
        "x-tagGroups": [
            {"name": "API", "tags": [*TAGS]},
            {"name": "Control API", "tags": [*CONTROL_TAGS]},
            {"name": "Webhooks", "tags": [WEBHOOKS]},
        ],
        "paths": path_items,
        "webhooks": {str(kind): {"post": _post(kind, dialect)} for kind in EventType},
        "components": {
            "schemas": schemas,
            "parameters": _parameters(),
            "headers": _headers(),
            "examples": examples.refusals(),
            "securitySchemes": _security(),
        },
    }
    return _tidied(whole)


def _security() -> Json:
    key, schemes = {"type": "apiKey", "in": "header"}, {}
    for row in (*KEY_FORMS, ADMIN_FORM):
        about = f"`{row.prefix}…`: {row.use}." if row.prefix else f"{row.use[:1].upper()}{row.use[1:]}."
        if not row.production:
            schemes[SCHEMES[row.kind]] = {**key, "name": "api-key", "description": about}
    token = "Required if the server was started with a control token."
    return {**schemes, "controlToken": {**key, "name": TOKEN_HEADER, "description": token}}


def _parameters() -> Json:
    key = {**TEXT, "minLength": 1, "maxLength": limits.IDEMPOTENCY_KEY}
    again = "Repeating a call with the same key and body returns the same answer, for 24 hours."
    rows: tuple[tuple[str, str, str, Json], ...] = (
        ("IdempotencyKey", "X-Idempotency-Key", again, key),
        ("Outcome", "X-Sandbox-Outcome", "Outcome of this call, in the terms of the scenario language.", TEXT),
        ("Label", "X-Sandbox-Label", f"Purpose of the workspace, up to {limits.WORKSPACE_LABEL} characters.", TEXT),
        ("Scenario", SCENARIO_HEADER, "Scenarios for this call only, or `none`.", TEXT),
    )
    parameters = {name: _header(header, about, schema) for name, header, about, schema in rows}
    profile = _header("X-Profile-Id", "Profile to which the call applies.", TEXT)
    return {**parameters, "ProfileId": {**profile, "required": True, "example": "pro_shop"}, "Signature": _SIGNATURE}


def _header(name: str, about: str, schema: Json) -> Json:
    return {"name": name, "in": "header", "required": False, "description": about, "schema": schema}


def _headers() -> Json:
    rows: tuple[tuple[str, str, Json], ...] = (
        ("X-Request-Id", "ID of this call in the journal.", TEXT),
        ("X-Sandbox-Because", "Reason for this answer.", TEXT),
        ("X-Sandbox-Replayed", "`true` if it is the stored answer of an earlier call with this idempotency key.", TEXT),
        ("X-Sandbox-Verified", "Of an export as JSON: whether playing it led to the same payment.", TEXT),
        ("X-RateLimit-Limit", "Allowed calls per minute.", WHOLE),
        ("X-RateLimit-Remaining", "Remaining calls in this minute.", WHOLE),
        ("X-RateLimit-Reset", "End of this minute, in seconds since the epoch.", WHOLE),
        ("Retry-After", "Seconds to wait before repeating the call.", WHOLE),
    )
    return {name: {"description": about, "schema": schema} for name, about, schema in rows}


@cache
def _scenarios() -> dict[str, Json]:
    """The scenario language: its blocks are schemas of the document."""
    whole = json_schema()
    names = {name: f"Scenario{name}" for name in whole["$defs"]}
    whole = _moved(whole, names)
    blocks: dict[str, Json] = whole.pop("$defs")
    for name in ("$schema", "$id"):
        whole.pop(name, None)
    outcome = record({"on": {}, "then": {}, "times": {**WHOLE, "minimum": 1}}, optional=("times",))
    outcome["description"] = "An outcome as in a scenario's rule: the calls it applies to, and their result."
    named = {names[name]: block for name, block in blocks.items()}
    return {"ScenarioDocument": whole, "NextRequest": outcome, **named}


def _moved(value: Any, names: Mapping[str, str]) -> Any:
    """The same with these schemas' references renamed."""
    if isinstance(value, dict):
        return {
            key: f"#/components/schemas/{names[_referred(inner)]}"
            if key == "$ref" and _referred(inner) in names
            else _moved(inner, names)
            for key, inner in value.items()
        }
    return [_moved(inner, names) for inner in value] if isinstance(value, list) else value


def _referred(reference: object) -> str:
    return reference.rpartition("/")[2] if isinstance(reference, str) else ""


def _apart(own: Mapping[str, Json], steering: Mapping[str, Json]) -> dict[str, str]:
    """New names for schemas of the control API, which have the engine's words, where the dialect's own differ."""
    apart: set[str] = set()
    while more := {
        name
        for name in (steering.keys() & own.keys()) - apart
        if own[name] != steering[name] or apart & set(references(steering[name]))
    }:
        apart |= more
    return {name: f"Engine{name}" for name in apart}


# webhooks: one entry an event

WEBHOOKS: Final = "webhooks"
_TAG: Final = {WEBHOOKS: "Events that are sent to merchants, signed with their profile's key."}
_SIGNATURE: Final[Json] = {
    "name": HEADER,
    "in": "header",
    "description": "HMAC-SHA512 of the body under the profile's payment_response_hash_key, in hexadecimal digits.",
    "schema": {"type": "string", "pattern": "^[0-9a-f]{128}$"},
}


def _post(kind: EventType, dialect: Dialect) -> Json:
    only = {**FREE, "properties": {"event_type": {**TEXT, "const": str(kind)}}}
    body = {"schema": {"allOf": [ref(SHAPES[kind.about].name), only]}, **examples.of_event(kind, dialect)}
    return {
        "operationId": f"webhook.{kind}",
        "tags": [WEBHOOKS],
        "summary": str(kind),
        "description": f"Shows a {OBJECTS[kind.about].name.lower()} as retrieving it would have done at that time.",
        "security": [],
        "parameters": [{"$ref": "#/components/parameters/Signature"}],
        "requestBody": {"required": True, "content": {"application/json": body}},
        "responses": {
            "2XX": {"description": "Taken."},
            "4XX": {"description": "Not accepted: it is sent again, up to sixteen times in about a day."},
        },
    }


_NAMED: Final[Mapping[str, Json]] = {
    "Currency": described(words(row.code for row in CURRENCIES), "A three-letter ISO 4217 code."),
    "Country": described(words(sorted(COUNTRIES)), "A two-letter ISO 3166 code."),
}
_OR_NULL: Final = "OrNull"


def _tidied(whole: Json) -> Json:
    """The document with names for long lists of words, and for responses that several routes share."""
    document: Json = _with_names(whole)
    schemas = document["components"]["schemas"]
    schemas |= {**_NAMED, **{name + _OR_NULL: maybe(schema) for name, schema in _NAMED.items()}}
    document["components"]["schemas"] = {name: schemas[name] for name in sorted(schemas)}
    document["components"]["responses"] = _shared_responses(document["paths"])
    _drop_unused_examples(document)
    return document


def _drop_unused_examples(document: Json) -> None:
    """Drops the refusals of no route: those of unknown paths and of customer pages."""
    text = jsontext.dump({"paths": document["paths"], "responses": document["components"]["responses"]})
    kept = document["components"]["examples"]
    document["components"]["examples"] = {
        name: body for name, body in kept.items() if f'"#/components/examples/{name}"'.encode() in text
    }


def _with_names(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_names(inner) for inner in value]
    if not isinstance(value, dict):
        return str(value) if isinstance(value, StrEnum) else value  # YAML knows plain words alone
    named = _name_of(value)
    return named if named is not None else {key: _with_names(inner) for key, inner in value.items()}


def _name_of(schema: Json) -> Json | None:
    """A list of words that has a name, as a reference with the schema's other keys."""
    listed = schema.get("enum")
    if not isinstance(listed, list):
        return None
    name = next((name for name, schema in _NAMED.items() if set(schema["enum"]) == set(listed) - {None}), None)
    if name is None:
        return None
    rest = {key: value for key, value in schema.items() if key not in ("type", "enum")}
    return rest | ref(name + _OR_NULL if None in listed else name)


def _shared_responses(paths: Json) -> Json:
    """Names the error responses that several operations share, and replaces them with references."""
    found = (one["responses"] for item in paths.values() for one in item.values() if isinstance(one, dict))
    uses = [(responses, status) for responses in found for status in responses if status != "200"]
    times = Counter(jsontext.canonical(responses[status]) for responses, status in uses)
    names: dict[str, str] = {}
    shared: Json = {}
    for responses, status in uses:
        text = jsontext.canonical(responses[status])
        if times[text] > 1:
            if text not in names:
                same = sum(name.startswith(f"Error{status}") for name in shared)
                names[text] = f"Error{status}v{same + 1}" if same else f"Error{status}"
                shared[names[text]] = responses[status]
            responses[status] = {"$ref": f"#/components/responses/{names[text]}"}
    return shared
