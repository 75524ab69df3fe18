"""The control API, under `/_sandbox/`: what steers the sandbox and looks into it (decisions "Control API").

Its views come in with the first call of any of them, those of `health` excepted: they are what a start waits for.
"""

from __future__ import annotations

from collections.abc import Mapping

from mock_server.control import health
from mock_server.control.operations import CONTROL_OPERATIONS
from mock_server.http.context import Endpoint
from mock_server.http.express import Endpoints


def _endpoints() -> Mapping[str, Endpoint]:
    from mock_server.control.parts import PARTS

    return {name: endpoint for part in PARTS for name, endpoint in part.views.items()}


OPERATIONS = tuple(row.operation for row in CONTROL_OPERATIONS)
"""Every call, as `Call`s carry it."""

ENDPOINTS = Endpoints(_endpoints, health.views.views)
"""What answers each call, by its operation's name."""
