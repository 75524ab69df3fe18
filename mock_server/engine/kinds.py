"""The kinds of records that the engine keeps, and what lists can filter them by (interface §8.2, facts §1.1.1)."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, TypeVar

from msgspec import structs

from mock_server.domain.api_keys import EphemeralKey, IssuedKey
from mock_server.domain.blocklist import BlocklistEntry
from mock_server.domain.customer import Customer, Mandate, PaymentMethod, PaymentToken
from mock_server.domain.dispute import EVIDENCE, Dispute, EvidenceFile
from mock_server.domain.events import INBOX, DeliveryAttempt, Event
from mock_server.domain.merchant import Connector, MerchantAccount, Profile
from mock_server.domain.methods import public_words
from mock_server.domain.payment import Payment, added
from mock_server.domain.refund import Refund
from mock_server.domain.report import Report
from mock_server.domain.transitions import TERMINAL, UNCONFIRMED
from mock_server.store.protocol import Index, RecordKind

R = TypeVar("R")


def _by(*fields: str, **others: str | Callable[[Any], object]) -> tuple[Index[Any], ...]:
    """What calls find records by; with what it is, where it is no field of this name."""
    return tuple(Index(name, of) for name, of in (*zip(fields, fields, strict=True), *others.items()))


def _lists_by(*fields: str, **others: str | Callable[[Any], object]) -> tuple[Index[Any], ...]:
    """What only lists, searches and pages filter by."""
    return tuple(structs.replace(index, on_demand=True) for index in _by(*fields, **others))


def _public_words(record: Payment | Refund | Dispute) -> tuple[str, ...]:
    """A method's category and type in the public API's words."""
    return tuple(filter(None, public_words(record.payment_method, record.payment_method_type)))


def _kind(
    name: str, record: type[R], key: str, indexes: tuple[Index[Any], ...] = (), sort: str = "", at: str = "created_at"
) -> RecordKind[R]:
    """A kind whose key is a field, and whose order that of an instant, by default its creation."""
    return RecordKind(name, record, attrgetter(key), attrgetter(at), indexes, sort=sort)


_MONEY: Final = _lists_by(
    "status", "currency", "customer_id", "payment_method_type", "profile_id", "connector", "merchant_connector_id",
    # A filter by `payment_method` matches the category or the type (ours: decisions, Lists).
    payment_method=lambda record: tuple(filter(None, (record.payment_method, record.payment_method_type))),
    public_method=_public_words, public_type=lambda record: _public_words(record)[-1:],
)  # fmt: skip
"""What payments, refunds and disputes are all filtered by."""


MANDATE_IN_FLIGHT: Final = "mandate_in_flight"
_NOT_IN_FLIGHT: Final = TERMINAL | UNCONFIRMED


def _mandate_in_flight(payment: Payment) -> str | None:
    """The mandate that an unfinished charge takes from, as long as more can still be captured."""
    return payment.mandate_id if payment.stored and payment.status not in _NOT_IN_FLIGHT else None


PAYMENTS: Final = _kind(
    "payment",
    Payment,
    "payment_id",
    (
        *_MONEY,
        *_lists_by(
            "merchant_order_reference_id", "payment_id", "amount", "card_discovery",
            authentication_type="authentication_shown",
            card_network=lambda payment: payment.card.brand if payment.card else None,
            customer_email="email",
            # Where it differs from the amount; asked at every write, so the sum is made for those alone.
            net_amount=lambda payment: payment.net_amount if any(added(payment)) else None,
        ),
        Index(MANDATE_IN_FLIGHT, _mandate_in_flight, where="mandate_id"),
    ),
)  # fmt: skip
REFUNDS: Final = _kind("refund", Refund, "refund_id", (*_MONEY, *_by("payment_id"), *_lists_by("refund_id", "amount")))
DISPUTES: Final = _kind(
    "dispute", Dispute, "dispute_id", (*_MONEY, *_by("payment_id"), *_lists_by("dispute_id", "stage", "reason"))
)
WAITS: Final = "waits"
DELIVERED: Final = "delivered"
"""The indexes of what an event waits for, and of what was delivered: `<payment> <event type>`."""
STRETCH: Final = 32
"""So many numbers of events are one value of their index."""
EVENTS: Final = _kind(
    "event",
    Event,
    "event_id",
    (
        *_lists_by("event_id", "object_id", "payment_id", "profile_id", numbers=lambda event: event.number // STRETCH),
        *_lists_by(event_type="type", event_class="type.about", is_delivered="delivered"),
        Index(WAITS, lambda event: f"{event.group} {event.waits}", where="waits"),
        Index(DELIVERED, lambda event: f"{event.group} {event.type}" if event.delivered else None, where="delivered"),
    ),
    sort=INBOX,
)

ATTEMPTS: Final = _kind("attempt", DeliveryAttempt, "attempt_id", _by("event_id", "payment_id"), INBOX, "made_at")
PROFILES: Final = _kind("profile", Profile, "profile_id", _by("profile_name"))
CUSTOMERS: Final = _kind("customer", Customer, "customer_id", _lists_by("customer_id", "email"))
PAYMENT_METHODS: Final = _kind(
    "payment_method", PaymentMethod, "payment_method_id", _by("customer_id", "identity", status="status.value")
)

PAYMENT_TOKENS: Final = _kind("payment_token", PaymentToken, "token", at="issued_at")
MANDATES: Final = _kind(
    "mandate", Mandate, "mandate_id", _by("customer_id", "payment_method_id", "connector", status="status.value")
)
CONNECTORS: Final = _kind(
    "connector", Connector, "connector_id", _by("connector_name", "connector_label", "profile_id")
)
EPHEMERAL_KEYS: Final = _kind("ephemeral_key", EphemeralKey, "key_id", _by("digest"))
REPORTS: Final = _kind("report", Report, "report_id")
FILES: Final = _kind("file", EvidenceFile, "file_id", sort=EVIDENCE)
BLOCKS: Final = _kind("block", BlocklistEntry, "key", _by("kind"))

# The registry's records are of the server's own space and outlive the workspaces.
ACCOUNTS: Final = _kind("merchant_account", MerchantAccount, "merchant_id")
API_KEYS: Final = _kind("api_key", IssuedKey, "key_id", _by("merchant_id"))
