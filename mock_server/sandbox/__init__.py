"""The sandbox: worlds by their keys, and the one place where its parts meet."""

from __future__ import annotations

from mock_server.sandbox.sandbox import Sandbox, build
from mock_server.sandbox.world import World

__all__ = ["Sandbox", "World", "build"]
