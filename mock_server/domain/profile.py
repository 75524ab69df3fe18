"""A business profile: how one shop of a merchant takes payments (facts §2.7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mock_server.domain.commands import JsonText

WALLET_IDENTITIES = ("apple_pay", "google_pay")
"""The wallets that need an identity on the profile; both are there by default (ours: decisions, Wallets)."""


@dataclass(frozen=True, slots=True)
class WebhookDetails:
    """Where and of what a profile is told; None filters nothing (facts §2.7)."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One business profile; `echo` holds the fields that are only given back, as JSON text."""

    profile_id: str
    merchant_id: str
    profile_name: str
    created_at: int
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
    is_default: bool = False
    echo: Mapping[str, JsonText] = field(default_factory=dict)
