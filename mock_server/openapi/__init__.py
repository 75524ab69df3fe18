"""The API as one OpenAPI document at `/_sandbox/openapi.json`, and a page that shows it at `/_sandbox/docs`.

The document is made from the server's own tables and schemas when it is first requested; nothing of it is imported
before. Neither has data of a workspace, so both need no key; the document is in the dialect of the caller's workspace,
or in the requested one (`?dialect=`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint

from mock_server.control import DOCS, DOCUMENT

if TYPE_CHECKING:
    from flask import Response

    from mock_server.sandbox import Sandbox


def blueprint(sandbox: Sandbox) -> Blueprint:
    """Document and page as Flask serves them."""
    made = Blueprint("openapi", __name__)
    made.add_url_rule(DOCUMENT, "document", lambda: _served("openapi.json", sandbox))
    made.add_url_rule(DOCS, "docs", lambda: _served("page.html", sandbox))
    made.add_url_rule(f"{DOCS}/<name>", "viewer", lambda name: _served(name, sandbox))
    return made


def _served(name: str, sandbox: Sandbox) -> Response:
    from mock_server.openapi.serving import served

    return served(name, sandbox)
