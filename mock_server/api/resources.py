"""Every resource of the mocked API: one file each, each view a few lines."""

from __future__ import annotations

from mock_server.api import (
    accounts,
    analytics,
    api_keys,
    blocklist,
    client_tokens,
    connectors,
    customers,
    disputes,
    events,
    files,
    health,
    mandates,
    payment_methods,
    payments,
    profiles,
    refunds,
)
from mock_server.http.binding import Resource

RESOURCES: tuple[Resource, ...] = (
    health.views,
    payments.views,
    refunds.views,
    disputes.views,
    files.views,
    blocklist.views,
    customers.views,
    payment_methods.views,
    mandates.views,
    profiles.views,
    accounts.views,
    api_keys.views,
    connectors.views,
    events.views,
    analytics.views,
    client_tokens.views,
)
"""Every resource that is served."""
