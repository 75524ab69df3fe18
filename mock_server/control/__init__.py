"""The control API, under `/_sandbox/`: what steers the sandbox and looks into it (decisions "Control API").

Its views come in with the first call of any of them, those of `health` excepted: they are what a start waits for.
"""

from __future__ import annotations

from typing import Final

from mock_server.contract.control_operations import DASHBOARD as DASHBOARD
from mock_server.control import health as health
from mock_server.control.stages import ENDPOINTS as ENDPOINTS

FRONT: Final = "/_sandbox"
DOCS: Final = "/_sandbox/docs"
LIVEZ: Final = "/_sandbox/livez"
DOCUMENT: Final = "/_sandbox/openapi.json"
"""Where the pages and the document for people and tools are, which everything that points at them takes from here."""


def _load() -> None:
    from mock_server.control import (  # noqa: F401  # each registers its views
        clock,
        export,
        journal,
        scenarios,
        search,
        tables,
        triggers,
        webhooks,
        why,
        workspaces,
    )


ENDPOINTS.load = _load
