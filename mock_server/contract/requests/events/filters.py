"""The constraints of a list of events (facts §2.9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.requests.fields import Choice, Flag, Instant, OneOrMany, Text
from mock_server.domain.events import EventClass, EventType

_F: Final = "facts §2.9"
_AT: Final = "2026-01-31T09:05:00.000Z"


def event_filters() -> Mapping[str, OneOrMany]:
    """The filters by the engine's names."""
    return {
        "created_after": OneOrMany(Instant(), "Only events at or after this.", source=_F, example=_AT),
        "created_before": OneOrMany(Instant(), "Only events at or before this.", source=_F, example=_AT),
        "object_id": OneOrMany(Text(), "The payment, refund, dispute or mandate.", source=_F, example="pay_order_1001"),
        "event_id": OneOrMany(Text(), "One event.", source=_F, example="evt_0123456789abcdefghij"),
        "profile_id": OneOrMany(Text(), "Business profile.", source=_F, example="pro_0123456789abcdefghij"),
        "event_class": OneOrMany(Choice(tuple(EventClass)), "Classes.", source=_F, example="payments"),
        "event_type": OneOrMany(Choice(tuple(EventType)), "Types.", source=_F, example="payment_succeeded"),
        "is_delivered": OneOrMany(Flag(), "Whether a receiver took it.", source=_F, example=True),
    }
