"""The constraints of a list of events (facts §2.9)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.kinds.objects import OneOrMany
from mock_server.contract.kinds.texts import Choice, Text
from mock_server.contract.kinds.values import Flag, Instant
from mock_server.contract.requests.listing import Filters, listing
from mock_server.domain.events import EventClass, EventType

_F: Final = "facts §2.9"
_AT: Final = "2026-01-31T09:05:00.000Z"
_PAYOUTS: Final = ("success", "failed", "initiated", "processing", "cancelled", "expired", "reversed")
_ELSEWHERE: Final = (*(f"payout_{end}" for end in _PAYOUTS), "invoice_paid")
"""Types of the public API that no event of the sandbox has."""

_FILTERS: Final[Filters] = {
    "created_after": Instant("Events at or after this time.", source=_F, example=_AT),
    "created_before": Instant("Events at or before this time.", source=_F, example=_AT),
    "object_id": OneOrMany(
        Text(), "ID of the payment, refund, dispute or mandate.", source=_F, example="pay_order_1001"
    ),
    "event_id": OneOrMany(Text(), "ID of an event.", source=_F, example="evt_0123456789abcdefghij"),
    "profile_id": OneOrMany(Text(), "ID of the business profile.", source=_F, example="pro_0123456789abcdefghij"),
    "event_class": OneOrMany(
        Choice((*EventClass, "payouts", "subscriptions")), "Classes.", source=_F, example="payments"
    ),
    "event_type": OneOrMany(Choice((*EventType, *_ELSEWHERE)), "Types.", source=_F, example="payment_succeeded"),
    "is_delivered": OneOrMany(Flag(), "Whether a receiver accepted it.", source=_F, example=True),
}

LIST: Final = listing("events.list", _FILTERS, names={"event_class": "event_classes", "event_type": "event_types"})
"""An event has one class and one type, so the index has the singular names."""
ATTEMPTS: Final = listing("events.attempts", {})
