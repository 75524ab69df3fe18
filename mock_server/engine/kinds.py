"""The kinds of records that the engine keeps, and what lists can filter them by (interface §8.2, facts §1.1.1)."""

from __future__ import annotations

from typing import Final

from mock_server.domain.blocklist import Block
from mock_server.domain.connector import Connector
from mock_server.domain.customer import Customer
from mock_server.domain.delivery import INBOX, Attempt
from mock_server.domain.dispute import Dispute
from mock_server.domain.ephemeral_key import EphemeralKey
from mock_server.domain.events import EVENTS as EVENT_TABLE
from mock_server.domain.events import Event
from mock_server.domain.evidence_file import EVIDENCE, EvidenceFile
from mock_server.domain.mandate import Mandate
from mock_server.domain.payment import Payment
from mock_server.domain.payment_method import PaymentMethod, PaymentToken
from mock_server.domain.profile import Profile
from mock_server.domain.refund import Refund
from mock_server.domain.report import Report
from mock_server.store.protocol import Index, Kind


def _method_words(payment: Payment) -> tuple[str, ...]:
    """`payment_method` as a filter matches the category or the type (ours: decisions, Lists)."""
    return tuple([word for word in (payment.payment_method, payment.payment_method_type) if word])


def _words(*words: str | None) -> tuple[str, ...]:
    return tuple(word for word in words if word)


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
        Index("merchant_connector_id", lambda payment: payment.merchant_connector_id),
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

PAYMENT_METHODS: Final = Kind(
    "payment_method",
    PaymentMethod,
    lambda method: method.payment_method_id,
    lambda method: method.created_at,
    (
        Index("customer_id", lambda method: method.customer_id),
        Index("identity", lambda method: method.identity),
        Index("status", lambda method: method.status.value),
    ),
)

PAYMENT_TOKENS: Final = Kind("payment_token", PaymentToken, lambda token: token.token, lambda token: token.issued_at)

MANDATES: Final = Kind(
    "mandate",
    Mandate,
    lambda mandate: mandate.mandate_id,
    lambda mandate: mandate.created_at,
    (
        Index("status", lambda mandate: mandate.status.value),
        Index("customer_id", lambda mandate: mandate.customer_id),
        Index("payment_method_id", lambda mandate: mandate.payment_method_id),
    ),
)

CONNECTORS: Final = Kind(
    "connector",
    Connector,
    lambda connector: connector.connector_id,
    lambda connector: connector.created_at,
    (
        Index("connector_name", lambda connector: connector.connector_name),
        Index("connector_label", lambda connector: connector.connector_label),
        Index("profile_id", lambda connector: connector.profile_id),
    ),
)

EPHEMERAL_KEYS: Final = Kind(
    "ephemeral_key",
    EphemeralKey,
    lambda key: key.key_id,
    lambda key: key.created_at,
    (Index("digest", lambda key: key.digest),),
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
        Index("waits", lambda event: f"{event.group} {event.waits}" if event.waits else None),
    ),
    sort=INBOX,
)

ATTEMPTS: Final = Kind(
    "attempt",
    Attempt,
    lambda attempt: attempt.attempt_id,
    lambda attempt: attempt.made_at,
    (
        Index("event_id", lambda attempt: attempt.event_id),
        Index("payment_id", lambda attempt: attempt.payment_id),
    ),
    sort=INBOX,
)

REFUNDS: Final = Kind(
    "refund",
    Refund,
    lambda refund: refund.refund_id,
    lambda refund: refund.created_at,
    (
        Index("refund_id", lambda refund: refund.refund_id),
        Index("status", lambda refund: refund.status),
        Index("payment_id", lambda refund: refund.payment_id),
        Index("currency", lambda refund: refund.currency),
        Index("amount", lambda refund: refund.amount),
        Index("customer_id", lambda refund: refund.customer_id),
        Index("payment_method", lambda refund: _words(refund.payment_method, refund.payment_method_type)),
        Index("payment_method_type", lambda refund: refund.payment_method_type),
        Index("profile_id", lambda refund: refund.profile_id),
        Index("connector", lambda refund: refund.connector),
        Index("merchant_connector_id", lambda refund: refund.merchant_connector_id),
    ),
)

DISPUTES: Final = Kind(
    "dispute",
    Dispute,
    lambda dispute: dispute.dispute_id,
    lambda dispute: dispute.created_at,
    (
        Index("dispute_id", lambda dispute: dispute.dispute_id),
        Index("status", lambda dispute: dispute.status),
        Index("stage", lambda dispute: dispute.stage),
        Index("payment_id", lambda dispute: dispute.payment_id),
        Index("currency", lambda dispute: dispute.currency),
        Index("customer_id", lambda dispute: dispute.customer_id),
        Index("payment_method", lambda dispute: _words(dispute.payment_method, dispute.payment_method_type)),
        Index("payment_method_type", lambda dispute: dispute.payment_method_type),
        Index("profile_id", lambda dispute: dispute.profile_id),
        Index("connector", lambda dispute: dispute.connector),
        Index("merchant_connector_id", lambda dispute: dispute.merchant_connector_id),
        Index("reason", lambda dispute: dispute.reason),
    ),
)

REPORTS: Final = Kind("report", Report, lambda report: report.report_id, lambda report: report.created_at)

FILES: Final = Kind("file", EvidenceFile, lambda file: file.file_id, lambda file: file.created_at, sort=EVIDENCE)

BLOCKS: Final = Kind(
    "block",
    Block,
    lambda block: block.key,
    lambda block: block.created_at,
    (Index("kind", lambda block: block.kind),),
)
