"""A server for the workspaces of many clients, what each client leaves there, and a sandbox to probe a client in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from mock_server.testing import Sandbox, SandboxServer
from mock_server.verdict.evidence import gathered
from tests.verdict.clients_by_kind import Client

SETTINGS = {"advance_delivery_timeout": "100ms", "workspaces": 10_000}
Left = Callable[[Client], dict[str, Any]]
"""What a client leaves: the calls and the events, as the control API shows them."""


@pytest.fixture(scope="module")
def server() -> Iterator[SandboxServer]:
    with SandboxServer(SETTINGS) as found:
        yield found


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One sandbox a file, whose client is probed."""
    with Sandbox() as found:
        yield found


@pytest.fixture(scope="session")
def left() -> Iterator[Left]:
    """A copy of its own of what a client leaves; each client calls once, for all tests of a worker."""
    with SandboxServer(SETTINGS) as server:

        @cache
        def text(client: Client) -> str:
            sandbox = Sandbox(server=server, name=client.__name__, seed="tests")
            client(sandbox)
            evidence = gathered(lambda path: sandbox.control.get(f"/{path}"))
            sandbox.close()
            return json.dumps(evidence)

        yield lambda client: json.loads(text(client))
