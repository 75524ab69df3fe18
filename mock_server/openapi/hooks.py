"""What merchants are told by webhook, as OpenAPI writes it: one entry an event."""

from __future__ import annotations

from typing import Final

from mock_server.contract.answers.events import OBJECTS, WEBHOOKS
from mock_server.contract.notation import FREE, Json, ref
from mock_server.domain.events import EVENTS, EventType
from mock_server.openapi import examples
from mock_server.webhooks.signing import HEADER

TAG: Final = "webhooks"
SIGNATURE: Final[Json] = {
    "name": HEADER,
    "in": "header",
    "description": "HMAC-SHA512 of the body under the profile's payment_response_hash_key, in hexadecimal digits.",
    "schema": {"type": "string", "pattern": "^[0-9a-f]{128}$"},
}


def webhooks() -> dict[str, Json]:
    """Every event by its name."""
    return {str(kind): {"post": _post(kind)} for kind in EVENTS}


def _post(kind: EventType) -> Json:
    row = EVENTS[kind]
    name = WEBHOOKS[row.about].name
    return {
        "operationId": f"webhook.{kind}",
        "tags": [TAG],
        "summary": str(kind),
        "description": f"Tells of a {OBJECTS[row.about].name.lower()}, as its retrieve would show it at that instant.",
        "security": [],
        "parameters": [{"$ref": "#/components/parameters/Signature"}],
        "requestBody": {"required": True, "content": {"application/json": _body(kind, name)}},
        "responses": {
            "2XX": {"description": "Taken."},
            "4XX": {"description": "Not taken: it is sent again, sixteen times in about a day."},
        },
    }


def _body(kind: EventType, name: str) -> Json:
    only = {**FREE, "properties": {"event_type": {"const": str(kind)}}}
    return {"schema": {"allOf": [ref(name), only]}, **examples.of_event(kind)}
