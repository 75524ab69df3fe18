"""The customer pages: challenges, hosted pages, codes, the redirect to the shop. Views are imported when called."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from mock_server.http.express import PageRow, PageView
from mock_server.pages.links import ROUTES
from mock_server.sandbox import Sandbox


def _views(sandbox: Sandbox) -> Mapping[str, PageView]:
    from mock_server.pages.views import VIEWS, answered

    return {row.name: partial(answered, sandbox, row.method, VIEWS[row.name]) for row in ROUTES}


PAGES: Final = tuple(PageRow(row.name, row.path, _views, (row.method,)) for row in ROUTES)
