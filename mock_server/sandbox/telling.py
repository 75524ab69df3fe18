"""An event as its receiver gets it: the record that was kept with it, in the words of the wire (facts §2.9)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.dialect import Dialect
from mock_server.domain.events import Event, EventClass
from mock_server.engine import related
from mock_server.engine.kinds import ATTEMPTS, DISPUTES, EVENTS, MANDATES, PAYMENTS, PROFILES, REFUNDS
from mock_server.webhooks import body
from mock_server.webhooks.record_kinds import RecordKinds

SHELVES: Final = RecordKinds(
    events=EVENTS,
    attempts=ATTEMPTS,
    profiles=PROFILES,
    objects={
        EventClass.PAYMENTS: PAYMENTS,
        EventClass.REFUNDS: REFUNDS,
        EventClass.DISPUTES: DISPUTES,
        EventClass.MANDATES: MANDATES,
    },
    inside=related.decoded,
)
"""Where deliveries find their records."""


def envelope(event: Event, dialect: Dialect) -> dict[str, object]:
    """The body of a webhook: the object is what a retrieve answered at that moment."""
    return body.envelope(event, SHELVES, dialect)
