"""A server for the workspaces of many clients."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mock_server.testing import SandboxServer


@pytest.fixture(scope="module")
def server() -> Iterator[SandboxServer]:
    with SandboxServer({"advance_delivery_timeout": "100ms", "workspaces": 10_000}) as found:
        yield found
