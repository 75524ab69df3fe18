"""The mocked API: one file a resource, each view a few lines."""

from __future__ import annotations

from mock_server.api import customers, health, payments
from mock_server.http.binding import Resource

RESOURCES: tuple[Resource, ...] = (health.views, payments.views, customers.views)
"""Every resource that is served."""
