"""The control API, under `/_sandbox/`, with which tests control and inspect the sandbox.

Its views are imported with the first call of any of them, except those of `health`, which a start waits for.
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
"""The addresses of the pages and the document for people and tools."""


def _load() -> None:
    from mock_server.control import export, journal, records, scenarios, search, triggers, webhooks, workspaces  # noqa: F401  # each registers its views


ENDPOINTS.import_views = _load
