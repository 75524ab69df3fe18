"""The sandbox in a container, for Testcontainers (extra `testcontainers`)."""

from __future__ import annotations

from mock_server.testing.container import SandboxContainer

__all__ = ["SandboxContainer"]
