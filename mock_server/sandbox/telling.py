"""An event as its receiver gets it: the record that was kept with it, in the words of the wire (facts §2.9)."""

from __future__ import annotations

from typing import Any, Final

from mock_server.dialects import Dialect
from mock_server.domain.events import EVENTS, Event, EventClass
from mock_server.engine import related
from mock_server.engine.kinds import DISPUTES, PAYMENTS, REFUNDS
from mock_server.shapes.answers import event as answers
from mock_server.shapes.answers.payment import Shown
from mock_server.store.protocol import Kind
from mock_server.store.records import decode

KIND_OF: Final[dict[EventClass, Kind[Any]]] = {
    EventClass.PAYMENTS: PAYMENTS,
    EventClass.REFUNDS: REFUNDS,
    EventClass.DISPUTES: DISPUTES,
}
"""What is kept with an event of each class."""


def envelope(event: Event, dialect: Dialect) -> dict[str, object]:
    """The body of a webhook: the object is what a retrieve answered at that moment."""
    about = EVENTS[event.type].about
    record: Any = decode(KIND_OF[about], event.object)
    if about is EventClass.PAYMENTS:
        record = Shown(record, *related.decoded(event.related))
    return answers.envelope(event, record, dialect)
