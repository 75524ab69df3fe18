"""Customers, their saved payment methods with the tokens for browsers, and their mandates (facts §2.6, §2.8, §8)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple

from msgspec import structs

from mock_server.domain.commands import JsonText, MethodInput
from mock_server.domain.events import EventType
from mock_server.domain.instants import Instant
from mock_server.domain.machine import Machine
from mock_server.domain.payment import KeptCard, KeptMethod
from mock_server.domain.records import Record
from mock_server.domain.statuses import MandateStatus, MethodStatus

REDACTED: Final = "Redacted"
"""The texts of a deleted customer (ours)."""


class Customer(Record, frozen=True, kw_only=True):
    """Who pays; `redacted` once deleted: the record stays, with its texts replaced."""

    customer_id: str
    created_at: Instant
    name: str | None = None
    email: str | None = None
    phone: str | None = None
    phone_country_code: str | None = None
    description: str | None = None
    tax_registration_id: str | None = None
    address: JsonText | None = None
    metadata: JsonText | None = None
    document_details: JsonText | None = None
    default_payment_method_id: str | None = None
    redacted: bool = False


class CustomerFields(NamedTuple):
    """The body of create, update and replace (facts §2.6); to replace, `carried` has None for what was not sent."""

    customer_id: str | None = None
    carried: Mapping[str, Any] = MappingProxyType({})


_TEXTS: Final = ("name", "email", "phone", "phone_country_code", "description", "tax_registration_id")
_FORGOTTEN: Final = ("address", "metadata", "document_details", "default_payment_method_id")


def redacted(customer: Customer) -> Customer:
    """The record of a deleted customer: its id, and which texts it had (facts §8)."""
    texts = {name: REDACTED for name in _TEXTS if getattr(customer, name) is not None}
    return structs.replace(customer, **texts, **dict.fromkeys(_FORGOTTEN), redacted=True)


OFF_SESSION = "off_session"
SAVEABLE: Final = ("card", "wallet", "bank_redirect", "bank_debit")
"""The categories that can be charged again; others need the customer each time (ours)."""


class MethodTrigger(StrEnum):
    """What happened to a saved method."""

    PREPARED = "prepared"
    SAVED = "saved"
    RESERVED = "reserved"
    FILLED = "filled"
    KNOWN = "known"


_M, _H = MethodStatus, MethodTrigger

METHOD_MACHINE: Final = Machine(
    "payment_methods",
    _M,
    (
        ((None,), _H.SAVED, _M.ACTIVE, None, "facts §8"),
        ((None,), _H.PREPARED, _M.INACTIVE, None, "facts §2.1"),
        ((_M.INACTIVE,), _H.SAVED, _M.ACTIVE, None, "facts §2.1"),
        ((None,), _H.RESERVED, _M.AWAITING_DATA, None, "facts §1.4"),
        ((_M.AWAITING_DATA,), _H.FILLED, _M.ACTIVE, None, "facts §1.4"),
        ((_M.AWAITING_DATA,), _H.KNOWN, _M.INACTIVE, None, "facts §8: the same card is the same method"),
    ),
)


class PaymentMethod(Record, frozen=True, kw_only=True):
    """One method of a customer.

    `usage` says how it may be charged: `on_session` with the customer, `off_session` also without. `set_up`: the bank
    authenticated the customer when it was saved. `identity` is the same for the same card or account.
    """

    MACHINE: ClassVar = METHOD_MACHINE

    payment_method_id: str
    merchant_id: str
    customer_id: str
    status: MethodStatus
    created_at: Instant
    modified_at: Instant
    payment_method: str | None = None
    payment_method_type: str | None = None
    identity: str | None = None
    card: KeptCard | None = None
    method: KeptMethod | None = None
    nick_name: str | None = None
    billing: JsonText | None = None
    metadata: JsonText | None = None
    usage: str = OFF_SESSION
    set_up: bool = False
    customer_acceptance: JsonText | None = None
    network_transaction_id: str | None = None
    connector_mandate_id: str | None = None
    last_used_at: Instant | None = None
    client_secret: str | None = None
    client_secret_expires_at: Instant = 0

    @property
    def is_recurring(self) -> bool:
        """Whether it may be charged without the customer."""
        return self.usage == OFF_SESSION

    @property
    def requires_cvv(self) -> bool:
        """Whether a page asks for the card's code again, if it is saved for on_session use (facts §2.8)."""
        return self.card is not None and not self.is_recurring


class PaymentToken(Record, frozen=True):
    """With it a browser uses a saved method for a quarter of an hour (facts §1.4)."""

    token: str
    payment_method_id: str
    customer_id: str
    issued_at: Instant
    expires_at: Instant


class CreateMethod(NamedTuple):
    """Save a method for a customer; without data one is only reserved (facts §1.4)."""

    customer_id: str | None = None
    payment_method: str | None = None
    payment_method_type: str | None = None
    given: MethodInput | None = None
    metadata: JsonText | None = None
    network_transaction_id: str | None = None
    client_secret: str | None = None
    customer_acceptance: JsonText | None = None
    billing: JsonText | None = None


class MandateTrigger(StrEnum):
    """What happened to a mandate."""

    AGREED = "agreed"
    USED_UP = "used_up"
    REVOKED = "revoked"


_MM, _MH = MandateStatus, MandateTrigger

MANDATE_MACHINE: Final = Machine(
    "mandates",
    _MM,
    (
        ((None,), _MH.AGREED, _MM.ACTIVE, EventType.MANDATE_ACTIVE, "facts §3.7"),
        ((_MM.ACTIVE,), _MH.USED_UP, _MM.INACTIVE, None, "ours: a single use is over"),
        ((_MM.ACTIVE,), _MH.REVOKED, _MM.REVOKED, EventType.MANDATE_REVOKED, "facts §3.7"),
    ),
    final=(_MM.INACTIVE, _MM.REVOKED),
)


class Mandate(Record, frozen=True, kw_only=True):
    """What was agreed and what was charged under it; amounts in minor units of `currency`, instants in ms UTC.

    Without `amount` there is no limit. For several uses it limits their sum; the payment that created the mandate does
    not count.
    """

    MACHINE: ClassVar = MANDATE_MACHINE

    mandate_id: str
    merchant_id: str
    profile_id: str
    customer_id: str
    payment_id: str
    payment_method_id: str
    status: MandateStatus
    created_at: Instant
    modified_at: Instant
    payment_method: str | None = None
    payment_method_type: str | None = None
    card: KeptCard | None = None
    single_use: bool = False
    amount: int | None = None
    currency: str | None = None
    starts_at: Instant | None = None
    ends_at: Instant | None = None
    used_amount: int = 0
    uses: int = 0
    customer_acceptance: JsonText | None = None
    nick_name: str | None = None
    connector: str | None = None

    @property
    def left(self) -> int | None:
        """How much may still be charged; None without a limit."""
        return None if self.amount is None else self.amount - self.used_amount

    def holds_at(self, now: int) -> bool:
        """Whether an instant is between its dates."""
        return (self.starts_at is None or now >= self.starts_at) and (self.ends_at is None or now <= self.ends_at)
