"""Merchant accounts, their business profiles, and their accounts at connectors (facts §1.5, §2.7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from msgspec import field, structs

from mock_server.domain.commands import JsonText
from mock_server.domain.instants import Instant
from mock_server.domain.records import Record
from mock_server.domain.refund import REFUND_MACHINE
from mock_server.domain.statuses import PaymentStatus, RefundStatus
from mock_server.domain.transitions import PAYMENT_MACHINE

WALLET_IDENTITIES = ("apple_pay", "google_pay")
"""The wallets that need an identity in the profile, which has both by default (ours: decisions, Wallets)."""


class WebhookDetails(Record, frozen=True):
    """A profile's endpoint, and which events it gets; None filters nothing (facts §2.7)."""

    webhook_url: str | None = None
    webhook_version: str | None = None
    webhook_username: str | None = None
    webhook_password: str | None = None
    payment_created_enabled: bool | None = None
    payment_succeeded_enabled: bool | None = None
    payment_failed_enabled: bool | None = None
    payment_statuses_enabled: tuple[str, ...] | None = None
    refund_statuses_enabled: tuple[str, ...] | None = None
    payout_statuses_enabled: tuple[str, ...] | None = None


class Profile(Record, frozen=True, kw_only=True):
    """One business profile; `echo` has the fields that are only returned, as JSON text."""

    profile_id: str
    merchant_id: str
    profile_name: str
    created_at: Instant
    return_url: str | None = None
    enable_payment_response_hash: bool = True
    payment_response_hash_key: str
    redirect_to_merchant_with_http_post: bool = False
    webhook_details: WebhookDetails | None = None
    metadata: JsonText | None = None
    session_expiry_s: int | None = None
    outgoing_webhook_custom_http_headers: Mapping[str, str] = field(default_factory=dict)
    is_manual_retry_enabled: bool = False
    is_auto_retries_enabled: bool = False
    max_auto_retries_enabled: int | None = None
    always_enable_overcapture: bool = False
    always_request_extended_authorization: bool = False
    wallet_identities: tuple[str, ...] = WALLET_IDENTITIES
    intent_fulfillment_time: int | None = None
    is_connector_agnostic_mit_enabled: bool = False
    is_default: bool = False
    echo: Mapping[str, JsonText] = field(default_factory=dict)

    def shown_headers(self, stars: Callable[[int], str] = lambda count: "***") -> dict[str, str] | None:
        """The headers, with `stars` instead of most characters: they can be secrets of the receiver."""
        return {name: masked(one, stars) for name, one in self.outgoing_webhook_custom_http_headers.items()} or None

    def unmasked(self, new: Profile) -> Profile:
        """A profile with these headers where it has their exact masks: a client sends back what it has read."""
        own, sent = self.outgoing_webhook_custom_http_headers, new.outgoing_webhook_custom_http_headers
        masks = {(name, masked(it, stars)): it for name, it in own.items() for stars in (lambda _: "***", "*".__mul__)}
        headers = {name: masks.get((name, it), it) for name, it in sent.items()}
        return structs.replace(new, outgoing_webhook_custom_http_headers=headers)


_SHORT: Final = 4
"""Of headers that are longer, the first and the last two characters are shown."""


def masked(value: str, stars: Callable[[int], str] = lambda count: "***") -> str:
    """The value of a custom header, with `stars` instead of most characters."""
    return f"{value[:2]}{stars(len(value) - _SHORT)}{value[-2:]}" if len(value) > _SHORT else stars(len(value))


class ProfileFields(NamedTuple):
    """The body of create, update and replace (facts §2.7).

    `carried` overwrites the record's attributes; the two others are merged.
    """

    carried: Mapping[str, Any] = MappingProxyType({})
    webhook_details: WebhookDetails | None = None
    echo: Mapping[str, JsonText] = MappingProxyType({})


DEFAULT_NAME: Final = "default"
OWN_IDS: Final = frozenset(("pro_tests", "pro_story", "pro_shop", "pro_first_steps", "pro_conformance"))
"""The profiles with which fixture, stories, commands and dashboard pay; they are always created on first use (ours)."""
OWN_AGENT: Final = "payment-sandbox"
"""How the `User-Agent` of our own stories, commands and dashboard begins; any profile that they name is created too."""

FILTERED: Final[Mapping[str, type[PaymentStatus | RefundStatus]]] = {
    "payment_statuses_enabled": PaymentStatus,
    "refund_statuses_enabled": RefundStatus,
}
SENT_STATUSES: Final[Mapping[str, frozenset[str]]] = {
    "payment_statuses_enabled": frozenset(row.target for row in PAYMENT_MACHINE.rows if row.event is not None),
    "refund_statuses_enabled": frozenset(row.target for row in REFUND_MACHINE.rows if row.event is not None),
}
"""The statuses of each filter that raise an event (facts §6.1)."""


def merged(before: WebhookDetails | None, new: WebhookDetails | None) -> WebhookDetails | None:
    """Webhook details with the subfields that were sent (facts §2.7)."""
    if new is None:
        return before
    given = {name: value for name in new.__struct_fields__ if (value := getattr(new, name)) is not None}
    return structs.replace(before or WebhookDetails(), **given)


class MerchantAccount(Record, frozen=True, kw_only=True):
    """The registry's row of a merchant; `echo` has what is only returned, as JSON text; `place` is its workspace's."""

    merchant_id: str
    place: str
    created_at: Instant
    modified_at: Instant
    merchant_name: str | None = None
    organization_id: str | None = None
    publishable_key: str | None = None
    metadata: JsonText | None = None
    echo: Mapping[str, JsonText] = field(default_factory=dict)


class AccountFields(NamedTuple):
    """The body of create and update; `carried` has the record's attributes, `profile` is for the default profile."""

    merchant_id: str | None = None
    default_profile: str | None = None
    carried: Mapping[str, Any] = MappingProxyType({})
    echo: Mapping[str, JsonText] = MappingProxyType({})
    profile: ProfileFields = ProfileFields()


class ShownAccount(NamedTuple):
    """An account with the profile that has its settings, and the id of that for payments without one."""

    account: MerchantAccount
    profile: Profile
    default_profile: str | None


PROCESSOR: Final = "payment_processor"
ACTIVE, INACTIVE = "active", "inactive"
PROCESSORS: Final = frozenset(
    (PROCESSOR, "fin_operations", "fiz_operations", "networks", "banking_entities", "non_banking_finance")
)
"""The types of account that a charge can go to (ours)."""


class Connector(Record, frozen=True, kw_only=True):
    """One connector account; `echo` has what is only returned, as JSON text, with its credentials masked."""

    connector_id: str
    merchant_id: str
    profile_id: str
    connector_type: str
    connector_name: str
    connector_label: str
    created_at: Instant
    modified_at: Instant
    status: str = ACTIVE
    disabled: bool = False
    test_mode: bool = True
    metadata: JsonText | None = None
    echo: Mapping[str, JsonText] = field(default_factory=dict)


class ConnectorFields(NamedTuple):
    """The body of create and update; `carried` is what the record stores, by its attributes."""

    connector_type: str | None = None
    connector_name: str | None = None
    connector_id: str | None = None
    profile_id: str | None = None
    carried: Mapping[str, Any] = MappingProxyType({})
    echo: Mapping[str, JsonText] = MappingProxyType({})
