"""What merchants are told by webhook, as OpenAPI writes it: one entry an event."""

from __future__ import annotations

from typing import Final

from mock_server.domain.events import EVENTS, EventClass, EventType
from mock_server.openapi import examples
from mock_server.openapi.notation import FREE, INSTANT, TEXT, Json, record, ref, words
from mock_server.webhooks.signing import HEADER

_OBJECTS: Final = {
    EventClass.PAYMENTS: "Payment",
    EventClass.REFUNDS: "Refund",
    EventClass.DISPUTES: "Dispute",
    EventClass.MANDATES: "Mandate",
}
TAG: Final = "webhooks"
SIGNATURE: Final[Json] = {
    "name": HEADER,
    "in": "header",
    "description": "HMAC-SHA512 of the body under the profile's payment_response_hash_key, in hexadecimal digits.",
    "schema": {"type": "string", "pattern": "^[0-9a-f]{128}$"},
}


def schemas() -> dict[str, Json]:
    """The envelope of each class of events."""
    return {f"{name}Webhook": _envelope(about, name) for about, name in _OBJECTS.items()}


def _envelope(about: EventClass, name: str) -> Json:
    rows = [(kind, row) for kind, row in EVENTS.items() if row.about is about]
    contents = words(dict.fromkeys(row.content for _, row in rows))
    return record(
        {
            "merchant_id": TEXT,
            "event_id": TEXT,
            "event_type": words(kind for kind, _ in rows),
            "content": record({"type": contents, "object": ref(name)}),
            "timestamp": INSTANT,
            "processor_merchant_id": TEXT,
        },
        about="An event, with its object as it stood then.",
    )


def webhooks() -> dict[str, Json]:
    """Every event by its name."""
    return {str(kind): {"post": _post(kind)} for kind in EVENTS}


def _post(kind: EventType) -> Json:
    row = EVENTS[kind]
    name = _OBJECTS[row.about]
    return {
        "operationId": f"webhook.{kind}",
        "tags": [TAG],
        "summary": str(kind),
        "description": f"Shows a {name.lower()} as its retrieve would at that instant.",
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
    return {"schema": {"allOf": [ref(f"{name}Webhook"), only]}, **examples.of_event(kind)}
