"""The control API, under `/_sandbox/`: what steers the sandbox and looks into it (decisions "Control API")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mock_server.control import (
    binding,
    clock,
    export,
    health,
    journal,
    money,
    scenarios,
    snapshots,
    tables,
    triggers,
    webhooks,
    why,
    worlds,
)
from mock_server.control.binding import Control

if TYPE_CHECKING:
    from flask import Blueprint

    from mock_server.sandbox import Sandbox

PARTS: tuple[Control, ...] = (
    health.views,
    worlds.views,
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


def blueprint(sandbox: Sandbox) -> Blueprint:
    """The control API as Flask serves it."""
    return binding.blueprint(sandbox, PARTS)
