"""Where the pages and the document for people and tools are, which everything that points at them takes from here."""

from __future__ import annotations

from typing import Final

FRONT: Final = "/_sandbox"
DASHBOARD: Final = "/_sandbox/ui"
DOCS: Final = "/_sandbox/docs"
LIVEZ: Final = "/_sandbox/livez"
DOCUMENT: Final = "/_sandbox/openapi.json"
