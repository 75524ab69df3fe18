"""The mocked API: one file a resource, each view a few lines."""

from __future__ import annotations

from mock_server.api import health, payments
from mock_server.http.binding import Resource

RESOURCES: tuple[Resource, ...] = (health.views, payments.views)
"""Every resource that is served."""
