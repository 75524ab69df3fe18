"""The sandbox: workspaces by their keys, and the one place where its parts meet."""

from __future__ import annotations

from mock_server.sandbox.sandbox import Sandbox, build
from mock_server.sandbox.workspace import Workspace

__all__ = ["Sandbox", "Workspace", "build"]
