"""Every part of the control API: one file each."""

from __future__ import annotations

from mock_server.control import (
    clock,
    export,
    health,
    journal,
    metrics,
    money,
    scenarios,
    snapshots,
    tables,
    triggers,
    webhooks,
    why,
    workspaces,
)
from mock_server.control.binding import Control

PARTS: tuple[Control, ...] = (
    health.views,
    metrics.views,
    workspaces.views,
    clock.views,
    tables.views,
    journal.views,
    why.views,
    export.views,
    triggers.views,
    money.views,
    scenarios.views,
    webhooks.views,
    snapshots.views,
)
"""Every part that is served."""
