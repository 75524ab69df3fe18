"""Events: in a webhook, in lists, and with their delivery attempts (facts §2.9)."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from mock_server.contract.answers.fields import AnswerShape, AsJson, Field, Listed, itself
from mock_server.contract.answers.payment import DISPUTE, PAYMENT, REFUND
from mock_server.contract.answers.saved import MANDATE
from mock_server.contract.answers.writing import write
from mock_server.contract.dialect import Dialect
from mock_server.contract.notation import FLAG, INSTANT, TEXT, WHOLE, ref, words
from mock_server.domain.events import AttemptKind, DeliveryAttempt, Event, EventClass, EventType

OBJECTS: Final[dict[EventClass, AnswerShape[Any]]] = {
    EventClass.PAYMENTS: PAYMENT,
    EventClass.REFUNDS: REFUND,
    EventClass.DISPUTES: DISPUTE,
    EventClass.MANDATES: MANDATE,
}
"""The shape of the object of each class, which is that of its retrieve; a payment's record is a `ShownPayment`."""


class RecordedEvent(NamedTuple):
    """An event, and the record that it is about, as it was then."""

    event: Event
    record: object


def _webhook(about: EventClass, shown: AnswerShape[Any]) -> AnswerShape[RecordedEvent]:
    types = [type for type in EventType if type.about is about]
    content: AnswerShape[RecordedEvent] = AnswerShape.inline(
        f"{shown.name}WebhookContent",
        Field("type", words(dict.fromkeys(type.content for type in types)), of="event.type.content", nullable=False),
        Field("object", shown, of="record", nullable=False),
    )
    return AnswerShape(
        f"{shown.name}Webhook",
        Field("merchant_id", TEXT, of="event.merchant_id", nullable=False),
        Field("event_id", TEXT, of="event.event_id", nullable=False),
        Field("event_type", words(types), of="event.type.value", nullable=False),
        Field("content", content, of=itself, nullable=False),
        Field("timestamp", INSTANT, of="event.created_at", nullable=False),
        Field("processor_merchant_id", TEXT, of="event.merchant_id", nullable=False),
        about="An event, with its object as it was at that time.",
    )


WEBHOOKS: Final = {about: _webhook(about, shown) for about, shown in OBJECTS.items()}


def envelope(event: Event, record: object, dialect: Dialect) -> object:
    """The body of a webhook; `record` is the one that the event is about, as it was then."""
    return write(WEBHOOKS[event.type.about], RecordedEvent(event, record), dialect)


class EventLine(NamedTuple):
    """An event in a list, or an attempt to deliver it: one that was made, or a resend that has not ended yet."""

    event: Event
    id: str
    delivered: bool | None
    at: int
    body: str = ""
    made: DeliveryAttempt | None = None


EVENT: Final[AnswerShape[EventLine]] = AnswerShape(
    "Event",
    Field("event_id", TEXT, of="id", nullable=False),
    Field("merchant_id", TEXT, of="event.merchant_id", nullable=False),
    Field("profile_id", TEXT, of="event.profile_id"),
    Field("object_id", TEXT, of="event.object_id", nullable=False),
    Field("event_type", Listed(EventType), of="event.type", nullable=False),
    Field("event_class", EventClass, of="event.type.about", nullable=False),
    Field("is_delivery_successful", FLAG, of="delivered"),
    Field("initial_attempt_id", TEXT, of="event.event_id"),
    Field("processor_merchant_id", TEXT, of="event.merchant_id", nullable=False),
    Field("created", INSTANT, of="at", nullable=False),
    about="An event that was sent to a merchant.",
)
_PAIRS: Final = AsJson(ref("HeaderPairs"))
_REQUEST: Final[AnswerShape[EventLine]] = AnswerShape.inline(
    "DeliveryRequest",
    Field("body", TEXT, nullable=False),
    Field("headers", _PAIRS, of=lambda listed: listed.made.headers if listed.made else "[]", nullable=False),
)
_RESPONSE: Final[AnswerShape[DeliveryAttempt]] = AnswerShape.inline(
    "DeliveryResponse",
    Field("body", TEXT, of="response_body"),
    Field("headers", _PAIRS, of="response_headers", nullable=False),
    Field("status_code", WHOLE, of="status"),
    Field("error_message", TEXT, of="error"),
)
DELIVERY_ATTEMPT: Final[AnswerShape[EventLine]] = AnswerShape(
    "DeliveryAttempt",
    *EVENT.rows,
    Field("request", _REQUEST, of=itself, nullable=False),
    Field("response", _RESPONSE, of="made"),
    Field(
        "delivery_attempt",
        AttemptKind,
        of=lambda listed: listed.made.kind if listed.made else AttemptKind.MANUAL,
        nullable=False,
    ),
    like=EVENT,
    about="A delivery attempt of an event.",
)


def line_of(event: Event) -> EventLine:
    """One event of a list."""
    return EventLine(event, event.event_id, event.delivered, event.created_at)


def attempt(event: Event, made: DeliveryAttempt, body: str) -> EventLine:
    """One attempt to deliver an event, with the request and the response."""
    return EventLine(event, made.attempt_id, made.is_success, made.made_at, body, made)


def planned(event: Event, body: str, now: int) -> EventLine:
    """A resend that has no response yet."""
    return EventLine(event, event.event_id, None, now, body)
