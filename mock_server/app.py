"""The Flask app, built once from a sandbox."""

from __future__ import annotations

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from mock_server.api import RESOURCES
from mock_server.domain.errors import Cause, Refusal
from mock_server.http.errors import answer_refusal
from mock_server.http.finish import response
from mock_server.http.pipeline.observe import stray_headers
from mock_server.sandbox import Sandbox


def create_app(sandbox: Sandbox) -> Flask:
    """Every route of the API, the control API and the pages; errors of any origin in the envelope."""
    app = Flask("mock_server", static_folder=None)
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False
    for resource in RESOURCES:
        app.register_blueprint(resource.blueprint(sandbox))
    app.register_error_handler(HTTPException, lambda wrong: _stray(sandbox, wrong))
    app.extensions["payment_sandbox"] = sandbox
    return app


def _stray(sandbox: Sandbox, wrong: HTTPException) -> Response:
    """What the router says no to: it belongs to no world (decisions "Order of checks")."""
    answer = answer_refusal(sandbox.dialect, _refusal(wrong))
    return response(answer.with_headers(*stray_headers(sandbox)))


def _refusal(wrong: HTTPException) -> Refusal:
    path, method = request.path, request.method
    if isinstance(wrong, MethodNotAllowed):
        allowed = ", ".join(sorted(set(wrong.valid_methods or ()) - {"HEAD", "OPTIONS"}))
        return Refusal(Cause.METHOD_NOT_ALLOWED, method=method, path=path, allowed=allowed)
    if isinstance(wrong, NotFound):
        return Refusal(Cause.ROUTE_UNKNOWN, method=method, path=path)
    return Refusal(Cause.REQUEST_MALFORMED, reason=wrong.description or wrong.name)
