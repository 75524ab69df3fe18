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
    """The registry's row of one merchant; `echo` holds what is only given back, as JSON text.

    `place` is where its workspace is.
    """

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
    """What a create or an update says of an account; `carried` is what the record keeps, by its attributes.

    `profile` goes to the merchant's default profile.
    """

    merchant_id: str | None = None
    default_profile: str | None = None
    carried: Mapping[str, Any] = MappingProxyType({})
    echo: Mapping[str, JsonText] = MappingProxyType({})
    profile: ProfileFields = ProfileFields()


class ShownAccount(NamedTuple):
    """An account with the default profile that holds its settings."""

    account: MerchantAccount
    profile: Profile


PROCESSOR: Final = "payment_processor"
ACTIVE, INACTIVE = "active", "inactive"
PROCESSORS: Final = frozenset(
    (PROCESSOR, "fin_operations", "fiz_operations", "networks", "banking_entities", "non_banking_finance")
)
"""The types of account that a charge can go to; the first public name of most was another (ours)."""


class Connector(Record, frozen=True, kw_only=True):
    """One connector account; `echo` holds what is only given back, its credentials blacked out, as JSON text."""

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
    """What a create or an update says of a connector account; `carried` is what the record keeps, by its attributes."""

    connector_type: str | None = None
    connector_name: str | None = None
    connector_id: str | None = None
    profile_id: str | None = None
    carried: Mapping[str, Any] = MappingProxyType({})
    echo: Mapping[str, JsonText] = MappingProxyType({})
