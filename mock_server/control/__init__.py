"""The control API, under `/_sandbox/`: what steers the sandbox and looks into it (decisions "Control API").

Its views come in with the first call of any of them, those of `health` excepted: they are what a start waits for.
"""

from __future__ import annotations

from mock_server.control import health as health
from mock_server.control.binding import ENDPOINTS as ENDPOINTS


def _load() -> None:
    from mock_server.control import (  # noqa: F401  # each registers its views
        clock,
        export,
        journal,
        metrics,
        money,
        scenarios,
        snapshots,
        tables,
        triggers,
        webhooks,
        why,
        workspaces,
    )


ENDPOINTS.load = _load
