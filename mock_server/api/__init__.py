"""The mocked API. Its views are imported with the first call of one: a server listens without them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.api.binding import ENDPOINTS as ENDPOINTS
from mock_server.http.express import PageRow, PageView
from mock_server.sandbox import Sandbox


def _load() -> None:
    from mock_server.api import analytics, customers, events, payments, setup  # noqa: F401  # each registers its views


ENDPOINTS.import_views = _load


def _views(sandbox: Sandbox) -> Mapping[str, PageView]:
    from mock_server.api import downloads

    return downloads.views(sandbox)


PAGES: Final = (
    PageRow("report", "/_sandbox/downloads/<merchant_id>/<name>", _views),
    PageRow("config", "/v1/sdk/configs/<platform>/sdk_config.json", _views),
    PageRow("log", "/logs/sdk", _views, ("POST",)),
)
"""What browsers fetch beside the API: they are no calls of it, and not counted."""
