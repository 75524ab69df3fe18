"""The sandbox: workspaces by their keys, and the only place that connects its parts."""

from __future__ import annotations

from mock_server.sandbox.sandbox import Sandbox, build
from mock_server.sandbox.workspace import Workspace
from mock_server.store.protocol import StateRefused

__all__ = ["Sandbox", "StateRefused", "Workspace", "build"]
