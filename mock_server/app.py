"""The application, built once from a sandbox. Flask, which shows the pages, is imported with the first of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Event
from typing import TYPE_CHECKING, Final
from wsgiref.types import WSGIApplication

from mock_server import api, checkout, control, dashboard, openapi, pages
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.control_operations import PREFIX as CONTROL
from mock_server.contract.operations import OPERATIONS
from mock_server.control import DASHBOARD
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.errors import Cause, Refusal
from mock_server.http.browsers import Browsers
from mock_server.http.context import Answer, Environ, StartResponse, Wsgi
from mock_server.http.errors import answer_refusal
from mock_server.http.express import Express, PageRow, sent
from mock_server.http.observe import reason_headers, stray_headers
from mock_server.http.recording import RECORDERS, Recorders
from mock_server.metrics import NOWHERE, REQUESTS
from mock_server.once import once
from mock_server.sandbox import Sandbox, build
from mock_server.server.emulate import carry_out
from mock_server.settings import Settings

if TYPE_CHECKING:
    from mock_server.flask_app import App, Outside

PAGES: Final[tuple[PageRow, ...]] = (*api.PAGES, *pages.PAGES, *checkout.PAGES, *dashboard.PAGES, *openapi.PAGES)
"""Every page, and every file for browsers."""
_NEVER: Final = Event()
"""An event that never comes: to wait for it is to let time pass."""


def make_flask(sandbox: Sandbox, whole: Wsgi, outside: Outside) -> App:
    """Import Flask, and make its application."""
    from mock_server.flask_app import App

    return App(sandbox, whole, outside)


class Application:
    """Every route of the API, the control API and the pages as one WSGI app; all errors have the envelope."""

    def __init__(
        self,
        sandbox: Sandbox,
        *,
        sleep: Callable[[float], object] = _NEVER.wait,
        recorders: Recorders = RECORDERS,
        make_flask: Callable[[Sandbox, Wsgi, Outside], App] = make_flask,
    ) -> None:
        # A rehearsal has a server of its own, in which nobody waits; its stories use the words of the interface.
        sandbox.scratch = lambda: (
            Application(build(Settings(seed="rehearsal", rate_limit=0)), sleep=lambda seconds: None).wsgi
        )
        sandbox.recorders = recorders
        self._sandbox = sandbox
        self._make_flask = make_flask
        express = self.express = Express(sandbox, self._page, self._refuse)
        express.add(OPERATIONS, api.ENDPOINTS)
        express.add(CONTROL_OPERATIONS, control.ENDPOINTS)
        express.add_pages(PAGES)
        layers = Browsers(express, sandbox.settings, express.methods, self._refuse, DASHBOARD)
        self.wsgi: WSGIApplication = carry_out(layers, sleep=sleep, refuse=self._refuse_path)

    @once
    def flask(self) -> App:
        """Flask's application; other threads wait until it is there."""
        return self._make_flask(self._sandbox, self.wsgi, self._outside)

    def _outside(self, path: str, refusal: Refusal, request_id: str) -> Answer:
        """The answer to a call that belongs to no workspace (decisions "Order of checks")."""
        sandbox, is_control = self._sandbox, path.startswith(CONTROL)
        answer = answer_refusal(INTERFACE if is_control else sandbox.dialect, refusal)
        sandbox.counts.add(REQUESTS, NOWHERE, answer.status)
        if is_control:
            return answer.with_headers(("X-Request-Id", request_id))
        reason = reason_headers(sandbox, sandbox.dialect, refusal)
        return answer.with_headers(*stray_headers(sandbox, request_id), *reason)

    def _page(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        return self.flask.shown(environ, start_response)

    def _refuse(self, environ: Environ, start_response: StartResponse, refusal: Refusal) -> Iterable[bytes]:
        answer = self._outside(environ["PATH_INFO"], refusal, self._sandbox.request_id())
        return sent(answer, environ, start_response)

    def _refuse_path(self, environ: Environ, start_response: StartResponse, reason: str) -> Iterable[bytes]:
        return self._refuse(environ, start_response, Refusal(Cause.REQUEST_MALFORMED, reason=reason))


def create_app(
    sandbox: Sandbox, *, sleep: Callable[[float], object] = _NEVER.wait, recorders: Recorders = RECORDERS
) -> App:
    """The same as a Flask application, for its test client and other WSGI servers; it can get further routes."""
    application = Application(sandbox, sleep=sleep, recorders=recorders)
    application.express.nowhere = application.flask.shown
    return application.flask
