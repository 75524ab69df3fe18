"""The events a merchant is told of, and the record of one (facts §6.1, §2.9)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec import Struct

from mock_server.domain.commands import JsonText
from mock_server.domain.delivery import SkipReason
from mock_server.domain.records import BESIDE, Record


class EventClass(StrEnum):
    """The kind of object an event is about."""

    PAYMENTS = "payments"
    REFUNDS = "refunds"
    DISPUTES = "disputes"
    MANDATES = "mandates"


class EventType(StrEnum):
    """What a merchant can be told (facts §6.1)."""

    PAYMENT_SUCCEEDED = "payment_succeeded"
    PAYMENT_FAILED = "payment_failed"
    PAYMENT_PROCESSING = "payment_processing"
    PAYMENT_CANCELLED = "payment_cancelled"
    PAYMENT_CANCELLED_POST_CAPTURE = "payment_cancelled_post_capture"
    PAYMENT_AUTHORIZED = "payment_authorized"
    PAYMENT_PARTIALLY_AUTHORIZED = "payment_partially_authorized"
    PAYMENT_CAPTURED = "payment_captured"
    PAYMENT_EXPIRED = "payment_expired"
    ACTION_REQUIRED = "action_required"
    REFUND_SUCCEEDED = "refund_succeeded"
    REFUND_FAILED = "refund_failed"
    DISPUTE_OPENED = "dispute_opened"
    DISPUTE_EXPIRED = "dispute_expired"
    DISPUTE_ACCEPTED = "dispute_accepted"
    DISPUTE_CANCELLED = "dispute_cancelled"
    DISPUTE_CHALLENGED = "dispute_challenged"
    DISPUTE_WON = "dispute_won"
    DISPUTE_LOST = "dispute_lost"
    MANDATE_ACTIVE = "mandate_active"
    MANDATE_REVOKED = "mandate_revoked"


class EventRow(Struct, frozen=True):
    """One row of the table of events: its type, what it is about, and how the envelope calls its content."""

    type: EventType
    about: EventClass
    content: str


_CONTENT = {
    EventClass.PAYMENTS: "payment_details",
    EventClass.REFUNDS: "refund_details",
    EventClass.DISPUTES: "dispute_details",
    EventClass.MANDATES: "mandate_details",
}


def _class_of(type: EventType) -> EventClass:
    """The class an event's name begins with; `action_required` is about a payment."""
    head = type.value.split("_", 1)[0]
    return EventClass(head + "s") if head + "s" in set(EventClass) else EventClass.PAYMENTS


EVENTS: dict[EventType, EventRow] = {t: EventRow(t, _class_of(t), _CONTENT[_class_of(t)]) for t in EventType}


class Event(Record, frozen=True, kw_only=True):
    """Something a merchant is told, kept in the transaction that made it happen (an outbox row).

    `object` is the record as it stood then, in the store's compact form: shared with whoever keeps that version.
    `related` are the records shown inside it (a payment's refunds and disputes), `before` is the object as it was
    before the event, where a scenario sends that, and `overrides` is merged into the object, where a trigger said so.

    `delivered` None: no attempt has ended yet; `next_at` is when the next one is due (ms). `fate` says why none is on
    its way, `waits` for what it is held back (an event's type, or `redirect`), `orders` how a scenario wants it sent,
    and `because` why.
    """

    event_id: str
    type: EventType
    merchant_id: str
    profile_id: str | None
    object_id: str
    payment_id: str | None
    created_at: int
    number: int
    object: Annotated[bytes, BESIDE]
    related: tuple[bytes, ...] = ()
    delivered: bool | None = None
    attempts: int = 0
    next_at: int | None = None
    before: bytes | None = None
    overrides: JsonText | None = None
    fate: SkipReason | None = None
    waits: str | None = None
    orders: JsonText | None = None
    because: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """Whose events keep their order among one another: those of one payment, else of one object."""
        return self.payment_id or self.object_id
