"""The Flask app, built once from a sandbox."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable
from threading import Event
from typing import Final

from flask import Flask, Response, request
from flask.templating import Environment
from werkzeug.exceptions import HTTPException, InternalServerError, MethodNotAllowed, NotFound

from mock_server import checkout, control, dashboard, pages
from mock_server.api import ENDPOINTS
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.control_operations import PREFIX as CONTROL
from mock_server.contract.operations import OPERATIONS
from mock_server.contract.routes import out_of_scope
from mock_server.control import DASHBOARD
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.errors import Cause, Refusal
from mock_server.http.binding import LateMap
from mock_server.http.browsers import Browsers
from mock_server.http.context import Answer, Environ, StartResponse
from mock_server.http.errors import answer_refusal
from mock_server.http.express import Express, sent
from mock_server.http.finish import response
from mock_server.http.observe import reason_headers, stray_headers
from mock_server.http.recording import RECORDERS, Recorders
from mock_server.metrics import NOWHERE, REQUESTS
from mock_server.sandbox import Sandbox, build
from mock_server.server.emulate import carry_out
from mock_server.settings import Settings

_LOG: Final = logging.getLogger("mock_server.app")
_NEVER: Final = Event()
"""An event that never comes: to wait for it is to let time pass."""


class Templates(Environment):
    """The templates of all pages, without the spaces before their lines, which lists would send for each row."""

    def preprocess(self, source: str, name: str | None = None, filename: str | None = None) -> str:
        return re.sub("\n +", "\n", super().preprocess(source, name, filename))


class App(Flask):
    """Flask with the routes of pages, made with its first call; `express` has those of operations."""

    url_map_class = LateMap
    jinja_environment = Templates
    url_map: LateMap
    express: Express


def create_app(
    sandbox: Sandbox, *, sleep: Callable[[float], object] = _NEVER.wait, recorders: Recorders = RECORDERS
) -> App:
    """The app with every route of the API, the control API and the pages; all errors have the envelope."""
    # A rehearsal has a server of its own, in which nobody waits; its stories use the words of the interface.
    sandbox.scratch = lambda: create_app(build(Settings(seed="rehearsal", rate_limit=0)), sleep=lambda seconds: None)
    sandbox.recorders = recorders
    app = App("mock_server", static_folder=None)
    app.url_map.fill = lambda: _register(app, sandbox)
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False

    def refuse_route(wrong: HTTPException) -> Response:
        request_id = sandbox.request_id()
        return response(_outside(sandbox, request.path, _refusal(wrong, request_id), request_id))

    def refuse_early(environ: Environ, start_response: StartResponse, refusal: Refusal) -> Iterable[bytes]:
        return sent(_outside(sandbox, environ["PATH_INFO"], refusal, sandbox.request_id()), start_response)

    def refuse_path(environ: Environ, start_response: StartResponse, reason: str) -> Iterable[bytes]:
        return refuse_early(environ, start_response, Refusal(Cause.REQUEST_MALFORMED, reason=reason))

    app.register_error_handler(HTTPException, refuse_route)
    express = app.express = Express(sandbox, app.wsgi_app, refuse_early)
    express.add(OPERATIONS, ENDPOINTS)
    express.add(CONTROL_OPERATIONS, control.ENDPOINTS)
    layers = Browsers(express, sandbox.settings, express.methods, refuse_early, DASHBOARD)
    whole = carry_out(layers, sleep=sleep, refuse=refuse_path)
    app.wsgi_app = whole  # type: ignore[method-assign, assignment]  # Flask's way to add a layer
    app.extensions["payment_sandbox"] = sandbox
    return app


def _register(app: Flask, sandbox: Sandbox) -> None:
    from mock_server import openapi
    from mock_server.api import downloads, scripts

    # All are made before the first is registered: if one fails, nothing has changed, and the next call tries again.
    made = [
        downloads.blueprint(sandbox),
        scripts.blueprint(sandbox),
        pages.blueprint(sandbox),
        checkout.blueprint(sandbox),
        dashboard.blueprint(sandbox),
        openapi.blueprint(sandbox),
    ]
    for one in made:
        app.register_blueprint(one)


def _outside(sandbox: Sandbox, path: str, refusal: Refusal, request_id: str) -> Answer:
    """The answer to a call that belongs to no workspace (decisions "Order of checks")."""
    is_control = path.startswith(CONTROL)
    answer = answer_refusal(INTERFACE if is_control else sandbox.dialect, refusal)
    sandbox.counts.add(REQUESTS, NOWHERE, answer.status)
    if is_control:
        return answer.with_headers(("X-Request-Id", request_id))
    reason = reason_headers(sandbox, sandbox.dialect, refusal)
    return answer.with_headers(*stray_headers(sandbox, request_id), *reason)


def _refusal(wrong: HTTPException, request_id: str) -> Refusal:
    path, method = request.path, request.method
    if isinstance(wrong, InternalServerError):
        more = {"request_id": request_id}
        _LOG.error(
            "%s %s failed, reference %s", method, path, request_id, exc_info=wrong.original_exception, extra=more
        )
        return Refusal(Cause.INTERNAL, reference=request_id)
    if isinstance(wrong, MethodNotAllowed):
        allowed = sorted(set(wrong.valid_methods or ()) - {"HEAD", "OPTIONS"})
        return Refusal(Cause.METHOD_NOT_ALLOWED, method=method, path=path, allowed=", ".join(allowed))
    if isinstance(wrong, NotFound) and (what := out_of_scope(path)):
        return Refusal(Cause.FEATURE_NOT_OFFERED, feature=what)
    if isinstance(wrong, NotFound):
        return Refusal(Cause.ROUTE_UNKNOWN, method=method, path=path)
    return Refusal(Cause.REQUEST_MALFORMED, reason=wrong.description or wrong.name)
