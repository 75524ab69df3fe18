"""The Flask application: it shows the pages, which the tree of paths has found. Imported with the first of them."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any, Final

from flask import Flask, Response, request
from flask.templating import Environment
from jinja2 import FileSystemLoader
from werkzeug import exceptions

from mock_server.domain.errors import Cause, Refusal
from mock_server.http.context import Answer, Wsgi
from mock_server.http.express import PAGE, PageRow, PageView, not_allowed, unknown
from mock_server.sandbox import Sandbox

Outside = Callable[[str, Refusal, str], Answer]
"""Gives the answer to a call that belongs to no workspace, from its path, the refusal and the request's ID."""
_LOG: Final = logging.getLogger("mock_server.app")
_TEMPLATES: Final = [Path(__file__).with_name(package) / "templates" for package in ("pages", "dashboard")]


class Templates(Environment):
    """The templates of all pages, without the spaces before their lines, which lists would send for each row."""

    def preprocess(self, source: str, name: str | None = None, filename: str | None = None) -> str:
        return re.sub("\n +", "\n", super().preprocess(source, name, filename))


class App(Flask):
    """Flask within the `whole` application, which is its `wsgi_app`; `shown` answers pages, and routes of Flask."""

    jinja_environment = Templates

    def __init__(self, sandbox: Sandbox, whole: Wsgi, outside: Outside) -> None:
        super().__init__("mock_server", static_folder=None, template_folder=None)
        self.jinja_loader = FileSystemLoader(_TEMPLATES)
        self.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
        self.extensions["payment_sandbox"] = self._sandbox = sandbox
        self.register_error_handler(exceptions.HTTPException, self._refused)
        self.shown = self.wsgi_app
        self.wsgi_app = whole  # type: ignore[method-assign, assignment]  # Flask's way to add a layer
        self._outside = outside
        self._views: dict[Callable[[Sandbox], Mapping[str, PageView]], Mapping[str, PageView]] = {}
        self._importing = Lock()

    def dispatch_request(self) -> Any:
        """What the view of a page returns; without a page, that of a route of Flask."""
        if PAGE not in request.environ:
            return super().dispatch_request()
        page, args = request.environ[PAGE]
        return self._view(page)(**args)

    def make_response(self, rv: Any) -> Response:
        """Flask's response; an answer keeps its headers, and gets no other ones."""
        if not isinstance(rv, Answer):
            return super().make_response(rv)
        made = Response(rv.body, rv.status)
        made.headers.clear()
        made.headers.extend(rv.headers)
        return made

    def _view(self, page: PageRow) -> PageView:
        """The view of a page; those of its package are imported with the first, and made once."""
        with self._importing:
            if page.views not in self._views:
                self._views[page.views] = page.views(self._sandbox)
        return self._views[page.views][page.name]

    def _refused(self, wrong: exceptions.HTTPException) -> Any:
        request_id = self._sandbox.request_id()
        return self._outside(request.path, _refusal(wrong, request_id), request_id)


def _refusal(wrong: exceptions.HTTPException, request_id: str) -> Refusal:
    if isinstance(wrong, exceptions.InternalServerError):
        more = {"request_id": request_id}
        said = "%s %s failed, reference %s"
        _LOG.error(said, request.method, request.path, request_id, exc_info=wrong.original_exception, extra=more)
        return Refusal(Cause.INTERNAL, reference=request_id)
    if isinstance(wrong, exceptions.MethodNotAllowed):
        return not_allowed(request.environ, set(wrong.valid_methods or ()) - {"HEAD", "OPTIONS"})
    if isinstance(wrong, exceptions.NotFound):
        return unknown(request.environ)
    return Refusal(Cause.REQUEST_MALFORMED, reason=wrong.description or wrong.name)
