"""An event as a webhook carries it (facts §2.9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mock_server.contract.answers import dispute as disputes
from mock_server.contract.answers import mandate as mandates
from mock_server.contract.answers import payment as payments
from mock_server.contract.answers import refund as refunds
from mock_server.contract.dialect import Dialect
from mock_server.domain.events import EVENTS, Event, EventClass
from mock_server.domain.instants import iso

Show = Callable[[Any, Dialect], dict[str, object]]

OBJECTS: Final[dict[EventClass, Show]] = {
    EventClass.PAYMENTS: payments.payment,
    EventClass.REFUNDS: refunds.refund,
    EventClass.DISPUTES: disputes.dispute,
    EventClass.MANDATES: mandates.mandate,
}
"""How the object of each class is shown: as its retrieve shows it; a payment comes as `payment.Shown`."""


def envelope(event: Event, record: object, dialect: Dialect) -> dict[str, object]:
    """The envelope around the record that the event is about, as it stood then."""
    row = EVENTS[event.type]
    return {
        "merchant_id": event.merchant_id,
        "event_id": event.event_id,
        "event_type": event.type.value,
        "content": {"type": row.content, "object": OBJECTS[row.about](record, dialect)},
        "timestamp": iso(event.created_at),
        "processor_merchant_id": event.merchant_id,
    }
