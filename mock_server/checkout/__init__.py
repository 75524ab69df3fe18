"""The checkout script that a shop's page loads, and its form in a frame from this server's origin.

The form is JavaScript (`assets/`); this package serves its files. The views are imported with the first call.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from mock_server.http.express import PageRow, PageView
from mock_server.sandbox import Sandbox

BASE: Final = "/checkout"
SCRIPTS: Final = ("/HyperLoader.js", "/v0/HyperLoader.js", "/v1/HyperLoader.js", "/v2/HyperLoader.js")
"""The paths of the script: without a version, and with those of the public scripts."""


def _views(sandbox: Sandbox) -> Mapping[str, PageView]:
    from mock_server.checkout.serving import VIEWS

    return {name: partial(view, sandbox) for name, view in VIEWS.items()}


PAGES: Final = (
    *(PageRow("script", path, _views) for path in SCRIPTS),
    PageRow("frame", f"{BASE}/frame", _views),
    PageRow("cards", f"{BASE}/cards", _views),
    PageRow("part", f"{BASE}/<digest>/<name>", _views),
)
"""The script, the frame, and what the frame loads."""
