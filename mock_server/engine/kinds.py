"""The kinds of records that the engine keeps, and what lists can filter them by (interface §8.2, facts §1.1.1)."""

from __future__ import annotations

from typing import Final

from mock_server.domain.customer import Customer
from mock_server.domain.events import EVENTS as EVENT_TABLE
from mock_server.domain.events import Event
from mock_server.domain.payment import Payment
from mock_server.domain.profile import Profile
from mock_server.store.protocol import Index, Kind


def _method_words(payment: Payment) -> tuple[str, ...]:
    """`payment_method` as a filter matches the category or the type (ours: decisions, Lists)."""
    return tuple(word for word in (payment.payment_method, payment.payment_method_type) if word)


PAYMENTS: Final = Kind(
    "payment",
    Payment,
    lambda payment: payment.payment_id,
    lambda payment: payment.created_at,
    (
        Index("status", lambda payment: payment.status),
        Index("currency", lambda payment: payment.currency),
        Index("customer_id", lambda payment: payment.customer_id),
        Index("payment_method", _method_words),
        Index("payment_method_type", lambda payment: payment.payment_method_type),
        Index("profile_id", lambda payment: payment.profile_id),
        Index("connector", lambda payment: payment.connector),
        Index("authentication_type", lambda payment: payment.authentication_shown),
        Index("card_network", lambda payment: payment.card.brand if payment.card else None),
        Index("merchant_order_reference_id", lambda payment: payment.merchant_order_reference_id),
        Index("customer_email", lambda payment: payment.email),
    ),
)

PROFILES: Final = Kind(
    "profile",
    Profile,
    lambda profile: profile.profile_id,
    lambda profile: profile.created_at,
    (Index("profile_name", lambda profile: profile.profile_name),),
)

CUSTOMERS: Final = Kind(
    "customer",
    Customer,
    lambda customer: customer.customer_id,
    lambda customer: customer.created_at,
    (
        Index("customer_id", lambda customer: customer.customer_id),
        Index("email", lambda customer: customer.email),
    ),
)

EVENTS: Final = Kind(
    "event",
    Event,
    lambda event: event.event_id,
    lambda event: event.created_at,
    (
        Index("event_type", lambda event: event.type),
        Index("event_class", lambda event: EVENT_TABLE[event.type].about),
        Index("object_id", lambda event: event.object_id),
        Index("payment_id", lambda event: event.payment_id),
        Index("profile_id", lambda event: event.profile_id),
        Index("is_delivered", lambda event: event.delivered),
    ),
)
