"""Every part of the control API: one file each."""

from __future__ import annotations

from mock_server.control import (
    clock,
    export,
    health,
    journal,
    scenarios,
    tables,
    triggers,
    webhooks,
    why,
    workspaces,
)
from mock_server.control.binding import Control

PARTS: tuple[Control, ...] = (
    health.views,
    workspaces.views,
    clock.views,
    tables.views,
    journal.views,
    why.views,
    export.views,
    triggers.views,
    scenarios.views,
    webhooks.views,
)
"""Every part that is served."""
