"""The sandbox as a Flask application, for who wants to put it into a Flask or another WSGI server."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from flask import Flask, request
from werkzeug import exceptions

from mock_server.domain.errors import Cause, Refusal
from mock_server.http.express import not_allowed, unknown
from mock_server.http.observe import defect
from mock_server.http.running import Wsgi
from mock_server.sandbox import Sandbox

Refuse = Callable[..., Iterable[bytes]]
"""Answers a call with a refusal, as `Application.refuse`."""


class App(Flask):
    """Flask around a WSGI app; `added` answers what has no route of ours, with the routes that somebody added."""

    def __init__(self, sandbox: Sandbox, whole: Wsgi, refuse: Refuse) -> None:
        super().__init__("mock_server", static_folder=None)
        self.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
        self.extensions["payment_sandbox"] = self._sandbox = sandbox
        self._refuse = refuse
        self.register_error_handler(exceptions.HTTPException, self._refused)
        self.added = self.wsgi_app
        self.wsgi_app = whole  # type: ignore[method-assign, assignment]  # Flask's way to add a layer

    def _refused(self, wrong: exceptions.HTTPException) -> partial[Iterable[bytes]]:
        request_id, refusal = self._sandbox.request_id(), Refusal(Cause.REQUEST_MALFORMED, reason=wrong.name)
        if isinstance(wrong, exceptions.InternalServerError):
            cause = wrong.original_exception
            refusal = defect(cause if isinstance(cause, Exception) else wrong, request_id, request.path)
        elif isinstance(wrong, exceptions.MethodNotAllowed):
            refusal = not_allowed(request.environ, set(wrong.valid_methods or ()) - {"HEAD", "OPTIONS"})
        elif isinstance(wrong, exceptions.NotFound):
            refusal = unknown(request.environ)
        return partial(self._refuse, refusal=refusal, request_id=request_id)
