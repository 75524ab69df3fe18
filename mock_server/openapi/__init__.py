"""The API as one OpenAPI document at `/_sandbox/openapi.json`, and a page that shows it at `/_sandbox/docs`.

The document is made from the server's own tables and schemas when it is first requested; nothing of it is imported
before. Neither has data of a workspace, so both need no key; the document is in the dialect of the caller's workspace,
or in the requested one (`?dialect=`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from mock_server.control import DOCS, DOCUMENT
from mock_server.http.express import PageRow, PageView
from mock_server.sandbox import Sandbox


def _views(sandbox: Sandbox) -> Mapping[str, PageView]:
    from mock_server.openapi.serving import served

    view = partial(served, sandbox)
    return {"document": partial(view, name="openapi.json"), "docs": partial(view, name="page.html"), "viewer": view}


PAGES: Final = (
    PageRow("document", DOCUMENT, _views),
    PageRow("docs", DOCS, _views),
    PageRow("viewer", f"{DOCS}/<name>", _views),
)
"""Document and page, and what the page loads."""
