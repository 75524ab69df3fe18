"""The application, built once from a sandbox. Flask is imported where somebody asks for a Flask application."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from threading import Event, Lock
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
from mock_server.http.errors import answer_refusal
from mock_server.http.express import Express, PageRow, PageView, Paths, sent
from mock_server.http.observe import defect, reason_headers, stray_headers
from mock_server.http.recording import RECORDERS
from mock_server.http.running import Answer, Environ, StartResponse
from mock_server.metrics import NOWHERE, REQUESTS
from mock_server.sandbox import Sandbox, build
from mock_server.server.emulate import carry_out
from mock_server.settings import Settings

if TYPE_CHECKING:
    from flask import Flask

PAGES: Final[tuple[PageRow, ...]] = (*api.PAGES, *pages.PAGES, *checkout.PAGES, *dashboard.PAGES, *openapi.PAGES)
_NEVER: Final = Event()
"""An event that never comes: to wait for it is to let time pass."""


@cache
def _paths(pages: tuple[PageRow, ...]) -> Paths:
    """Every path; the same for all applications of a process, which tests make by the thousand."""
    return Paths(((OPERATIONS, api.ENDPOINTS), (CONTROL_OPERATIONS, control.ENDPOINTS)), pages)


def _client_rules() -> list[str]:
    from mock_server.verdict.rules import RULES  # late: few calls name one

    return [row.id for row in RULES]


class Application:
    """Every route of the API, the control API and the pages as one WSGI app; all errors have the envelope."""

    def __init__(
        self, sandbox: Sandbox, *, sleep: Callable[[float], object] = _NEVER.wait, pages: tuple[PageRow, ...] = PAGES
    ) -> None:
        # A rehearsal has a server of its own, in which nobody waits; its stories use the words of the interface.
        sandbox.scratch = lambda: (
            Application(build(Settings(seed="rehearsal", rate_limit=0)), sleep=lambda seconds: None).wsgi
        )
        sandbox.recorders = RECORDERS
        sandbox.client_rules = _client_rules
        self._sandbox = sandbox
        self._views: dict[Callable[[Sandbox], Mapping[str, PageView]], Mapping[str, PageView]] = {}
        self._importing = Lock()
        express = self.express = Express(sandbox, _paths(pages), self._show, self.refuse)
        headers = partial(stray_headers, sandbox)
        layers = Browsers(express, sandbox.settings, express.routes, self.refuse, DASHBOARD, headers)
        app = layers if sandbox.lasting is None else sandbox.lasting.used_by(layers, CONTROL)
        self.wsgi: WSGIApplication = carry_out(app, sleep=sleep, refuse=self._refuse_path)

    def refuse(
        self, environ: Environ, start_response: StartResponse, refusal: Refusal, request_id: str = ""
    ) -> Iterable[bytes]:
        """Answer a call that belongs to no workspace (decisions "Order of checks")."""
        sandbox, is_control = self._sandbox, environ["PATH_INFO"].startswith(CONTROL)
        answer = answer_refusal(INTERFACE if is_control else sandbox.dialect, refusal)
        sandbox.counts.add(REQUESTS, NOWHERE, answer.status)
        request_id = request_id or sandbox.request_id()
        if is_control:
            answer = answer.with_headers(("X-Request-Id", request_id))
        else:
            reason = reason_headers(sandbox, sandbox.dialect, refusal)
            answer = answer.with_headers(*stray_headers(sandbox, request_id), *reason)
        return sent(answer, environ, start_response)

    def _show(
        self, environ: Environ, start_response: StartResponse, page: PageRow, args: dict[str, str]
    ) -> Iterable[bytes]:
        try:
            answer = self._view(page)(environ, **args)
        except Refusal as refusal:
            return self.refuse(environ, start_response, refusal)
        except Exception as error:
            request_id = self._sandbox.request_id()
            return self.refuse(environ, start_response, defect(error, request_id, page.name), request_id)
        if isinstance(answer, Answer):
            return sent(answer, environ, start_response)
        start_response("200 OK", [*answer.headers])
        return () if environ["REQUEST_METHOD"] == "HEAD" else answer.body

    def _view(self, page: PageRow) -> PageView:
        """The view of a page; those of its package are imported with the first, while others wait."""
        with self._importing:
            if page.views not in self._views:
                self._views[page.views] = page.views(self._sandbox)
        return self._views[page.views][page.name]

    def _refuse_path(self, environ: Environ, start_response: StartResponse, reason: str) -> Iterable[bytes]:
        return self.refuse(environ, start_response, Refusal(Cause.REQUEST_MALFORMED, reason=reason))


def create_app(sandbox: Sandbox, *, sleep: Callable[[float], object] = _NEVER.wait) -> Flask:
    """The same as a Flask application, for its test client and other WSGI servers; it can get further routes."""
    from mock_server.flask_app import App

    application = Application(sandbox, sleep=sleep)
    app = App(sandbox, application.wsgi, application.refuse)
    application.express.nowhere = app.added
    return app
