"""Events and their attempts as the merchant looks them up (facts §2.9)."""

from __future__ import annotations

from mock_server.domain.delivery import AttemptKind, DeliveryAttempt
from mock_server.domain.events import EVENTS, Event
from mock_server.domain.instants import iso
from mock_server.jsontext import raw


def event(record: Event) -> dict[str, object]:
    """One event of a list."""
    return _head(record, record.event_id, record.delivered, record.created_at)


def attempt(of: Event, made: DeliveryAttempt, body: str) -> dict[str, object]:
    """One attempt to deliver an event: what was sent, and what came back."""
    return {
        **_head(of, made.attempt_id, made.is_success, made.made_at),
        "request": {"body": body, "headers": raw(made.headers)},
        "response": {
            "body": made.response_body,
            "headers": raw(made.response_headers),
            "status_code": made.status,
            "error_message": made.error,
        },
        "delivery_attempt": made.kind.value,
    }


def planned(of: Event, body: str, now: int) -> dict[str, object]:
    """An attempt by hand that is on its way: there is no answer yet."""
    return {
        **_head(of, of.event_id, None, now),
        "request": {"body": body, "headers": []},
        "response": None,
        "delivery_attempt": AttemptKind.MANUAL.value,
    }


def _head(record: Event, event_id: str, delivered: bool | None, at: int) -> dict[str, object]:
    return {
        "event_id": event_id,
        "merchant_id": record.merchant_id,
        "profile_id": record.profile_id,
        "object_id": record.object_id,
        "event_type": record.type.value,
        "event_class": EVENTS[record.type].about.value,
        "is_delivery_successful": delivered,
        "initial_attempt_id": record.event_id,
        "processor_merchant_id": record.merchant_id,
        "created": iso(at),
    }
