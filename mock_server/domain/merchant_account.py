"""Merchant accounts, and the accounts that a merchant has at connectors (facts §1.5)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from msgspec import field

from mock_server.domain.commands import JsonText
from mock_server.domain.profile import Profile, ProfileFields
from mock_server.domain.records import Record


class MerchantAccount(Record, frozen=True, kw_only=True):
    """The registry's row of a merchant; `echo` has what is only returned, as JSON text; `place` is its workspace's."""

    merchant_id: str
    place: str
    created_at: int
    modified_at: int
    merchant_name: str | None = None
    organization_id: str | None = None
    publishable_key: str | None = None
    metadata: JsonText | None = None
    echo: Mapping[str, JsonText] = field(default_factory=dict)


class AccountFields(NamedTuple):
    """The body of create and update; `carried` is what the record stores, by its attributes.

    `profile` is for the merchant's default profile.
    """

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
    created_at: int
    modified_at: int
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
