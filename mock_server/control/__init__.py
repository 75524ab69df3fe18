"""The control API, under `/_sandbox/`: what steers the sandbox and looks into it (decisions "Control API").

Its views come in with the first call of any of them, those of `health` excepted: they are what a start waits for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.control import health
from mock_server.http.late import Endpoints
from mock_server.http.pipeline import Endpoint

FRONT: Final = "/_sandbox"
DASHBOARD: Final = "/_sandbox/ui"
DOCS: Final = "/_sandbox/docs"
LIVEZ: Final = "/_sandbox/livez"
DOCUMENT: Final = "/_sandbox/openapi.json"
"""Where the pages and the document for people and tools are, which everything that points at them takes from here."""


def _endpoints() -> Mapping[str, Endpoint]:
    from mock_server.control.parts import PARTS

    return {name: endpoint for part in PARTS for name, endpoint in part.views.items()}


OPERATIONS = tuple(row.operation for row in CONTROL_OPERATIONS)
"""Every call, as `Call`s carry it."""

ENDPOINTS = Endpoints(_endpoints, health.views.views)
"""What answers each call, by its operation's name."""
