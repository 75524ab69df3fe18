"""Where events go, what signs them, and which of them a profile wants to hear of."""

from __future__ import annotations

import pytest
from msgspec import structs

from mock_server.domain.events import EventType
from mock_server.domain.merchant import Profile, WebhookDetails
from mock_server.webhooks.planning import Fallback, Target, is_allowed, lets_through, secret_of, target_of

PROFILE = Profile(
    profile_id="pro_1",
    merchant_id="mer_1",
    profile_name="shop",
    created_at=0,
    payment_response_hash_key="profile key",
    outgoing_webhook_custom_http_headers={"X-Tenant": "42"},
)
OWN_ADDRESS = structs.replace(PROFILE, webhook_details=WebhookDetails(webhook_url="http://profile"))
WORKSPACE = {"url": "http://workspace", "secret": "workspace key"}
NO_KEY = {"url": "http://workspace", "secret": None}
SERVER = Fallback("http://server", "server key")
NOWHERE = Fallback(None, "server key")


@pytest.mark.parametrize(
    ("profile", "workspace", "server", "url", "secret"),
    [
        (OWN_ADDRESS, WORKSPACE, SERVER, "http://profile", "profile key"),
        (PROFILE, WORKSPACE, SERVER, "http://workspace", "workspace key"),
        (PROFILE, NO_KEY, SERVER, "http://workspace", "server key"),
        (PROFILE, None, SERVER, "http://server", "server key"),
        (None, None, SERVER, "http://server", "server key"),
        (None, WORKSPACE, NOWHERE, "http://workspace", "workspace key"),
    ],
)
def test_the_nearest_address_wins_with_its_own_key(
    profile: Profile | None, workspace: dict[str, str] | None, server: Fallback, url: str, secret: str
) -> None:
    custom = {"X-Tenant": "42"} if profile else {}
    assert target_of(profile, workspace, server) == Target(url, secret, custom)
    assert secret_of(profile, workspace, server) == secret


@pytest.mark.parametrize("profile", [None, PROFILE, structs.replace(PROFILE, webhook_details=WebhookDetails())])
def test_without_any_address_nobody_listens(profile: Profile | None) -> None:
    assert target_of(profile, None, NOWHERE) is None
    assert secret_of(profile, None, NOWHERE) == "server key"


FILTERED = structs.replace(
    PROFILE,
    webhook_details=WebhookDetails(payment_statuses_enabled=("succeeded",), refund_statuses_enabled=("failed",)),
)


@pytest.mark.parametrize(
    ("profile", "type", "status", "through"),
    [
        (FILTERED, EventType.PAYMENT_SUCCEEDED, "succeeded", True),
        (FILTERED, EventType.PAYMENT_FAILED, "failed", False),
        (FILTERED, EventType.REFUND_FAILED, "failed", True),
        (FILTERED, EventType.REFUND_SUCCEEDED, "succeeded", False),
        (FILTERED, EventType.DISPUTE_OPENED, "dispute_opened", True),
        (FILTERED, EventType.MANDATE_REVOKED, "revoked", True),
        (FILTERED, EventType.PAYMENT_FAILED, None, True),
        (PROFILE, EventType.PAYMENT_FAILED, "failed", True),
        (None, EventType.PAYMENT_FAILED, "failed", True),
    ],
)
def test_filters_are_of_payments_and_refunds(
    profile: Profile | None, type: EventType, status: str | None, through: bool
) -> None:
    assert lets_through(profile, type, status) is through


def test_hosts_can_be_limited() -> None:
    assert is_allowed("http://anywhere:1/x", ())
    assert is_allowed("http://LocalHost:1/x", ("localhost",))
    assert not is_allowed("http://localhost.evil/x", ("localhost",))
    assert not is_allowed("nonsense", ("localhost",))
