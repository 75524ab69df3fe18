"""The kinds of records that the engine keeps, and what lists can filter them by (interface §8.2, facts §1.1.1)."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Final

from mock_server.domain.blocklist import BlocklistEntry
from mock_server.domain.customer import Customer
from mock_server.domain.delivery import INBOX, DeliveryAttempt
from mock_server.domain.dispute import Dispute
from mock_server.domain.events import EVENTS as EVENT_TABLE
from mock_server.domain.events import Event
from mock_server.domain.evidence_file import EVIDENCE, EvidenceFile
from mock_server.domain.issued_key import EphemeralKey, IssuedKey
from mock_server.domain.mandate import Mandate
from mock_server.domain.merchant_account import Connector, MerchantAccount
from mock_server.domain.payment import Payment
from mock_server.domain.payment_method import PaymentMethod, PaymentToken
from mock_server.domain.profile import Profile
from mock_server.domain.refund import Refund
from mock_server.domain.report import Report
from mock_server.store.protocol import Index, RecordKind


def _by(*fields: str) -> tuple[Index[Any], ...]:
    """Fields that lists filter by under their own names."""
    return tuple(Index(field, field) for field in fields)


def _method_words(record: Payment | Refund | Dispute) -> tuple[str, ...]:
    """`payment_method` as a filter matches the category or the type (ours: decisions, Lists)."""
    category, type_ = record.payment_method, record.payment_method_type
    if category and type_:
        return (category, type_)
    return (category or type_ or "",) if category or type_ else ()


_CREATED: Final = attrgetter("created_at")
_MONEY: Final = (
    *_by(
        "status", "currency", "customer_id", "payment_method_type", "profile_id", "connector", "merchant_connector_id"
    ),
    Index("payment_method", _method_words),
)
"""What payments, refunds and disputes are all filtered by."""

PAYMENTS: Final[RecordKind[Payment]] = RecordKind(
    "payment",
    Payment,
    attrgetter("payment_id"),
    _CREATED,
    (
        *_MONEY,
        *_by("merchant_order_reference_id", "payment_id", "amount", "card_discovery"),
        Index("authentication_type", "authentication_shown"),
        Index("card_network", lambda payment: payment.card.brand if payment.card else None),
        Index("customer_email", "email"),
    ),
)

REFUNDS: Final[RecordKind[Refund]] = RecordKind(
    "refund", Refund, attrgetter("refund_id"), _CREATED, (*_MONEY, *_by("refund_id", "payment_id", "amount"))
)

DISPUTES: Final[RecordKind[Dispute]] = RecordKind(
    "dispute",
    Dispute,
    attrgetter("dispute_id"),
    _CREATED,
    (*_MONEY, *_by("dispute_id", "payment_id", "stage", "reason")),
)

EVENTS: Final[RecordKind[Event]] = RecordKind(
    "event",
    Event,
    attrgetter("event_id"),
    _CREATED,
    (
        *_by("object_id", "payment_id", "profile_id"),
        Index("event_type", "type"),
        Index("event_class", lambda event: EVENT_TABLE[event.type].about),
        Index("is_delivered", "delivered"),
        Index("waits", lambda event: f"{event.group} {event.waits}" if event.waits else None),
    ),
    sort=INBOX,
)

ATTEMPTS: Final[RecordKind[DeliveryAttempt]] = RecordKind(
    "attempt",
    DeliveryAttempt,
    attrgetter("attempt_id"),
    attrgetter("made_at"),
    _by("event_id", "payment_id"),
    sort=INBOX,
)

PROFILES: Final[RecordKind[Profile]] = RecordKind(
    "profile", Profile, attrgetter("profile_id"), _CREATED, _by("profile_name")
)

CUSTOMERS: Final[RecordKind[Customer]] = RecordKind(
    "customer", Customer, attrgetter("customer_id"), _CREATED, _by("customer_id", "email")
)

PAYMENT_METHODS: Final[RecordKind[PaymentMethod]] = RecordKind(
    "payment_method",
    PaymentMethod,
    attrgetter("payment_method_id"),
    _CREATED,
    (*_by("customer_id", "identity"), Index("status", "status.value")),
)

PAYMENT_TOKENS: Final[RecordKind[PaymentToken]] = RecordKind(
    "payment_token", PaymentToken, attrgetter("token"), attrgetter("issued_at")
)

MANDATES: Final[RecordKind[Mandate]] = RecordKind(
    "mandate",
    Mandate,
    attrgetter("mandate_id"),
    _CREATED,
    (*_by("customer_id", "payment_method_id"), Index("status", "status.value")),
)

CONNECTORS: Final[RecordKind[Connector]] = RecordKind(
    "connector",
    Connector,
    attrgetter("connector_id"),
    _CREATED,
    _by("connector_name", "connector_label", "profile_id"),
)

EPHEMERAL_KEYS: Final[RecordKind[EphemeralKey]] = RecordKind(
    "ephemeral_key", EphemeralKey, attrgetter("key_id"), _CREATED, _by("digest")
)

REPORTS: Final[RecordKind[Report]] = RecordKind("report", Report, attrgetter("report_id"), _CREATED)

FILES: Final[RecordKind[EvidenceFile]] = RecordKind(
    "file", EvidenceFile, attrgetter("file_id"), _CREATED, sort=EVIDENCE
)

BLOCKS: Final[RecordKind[BlocklistEntry]] = RecordKind(
    "block", BlocklistEntry, attrgetter("key"), _CREATED, _by("kind")
)

# The registry's records are of the server's own space and outlive the workspaces.

ACCOUNTS: Final[RecordKind[MerchantAccount]] = RecordKind(
    "merchant_account", MerchantAccount, attrgetter("merchant_id"), _CREATED
)

API_KEYS: Final[RecordKind[IssuedKey]] = RecordKind(
    "api_key", IssuedKey, attrgetter("key_id"), _CREATED, _by("merchant_id")
)
