"""The call of the app as PEP 3333 has it, on whichever thread it runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import Context, copy_context
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from mock_server.domain.faults import CARRIED_OUT, Deliverable
from mock_server.server.answer import Fields, never_has_body, said_length, status_line
from mock_server.server.source import Source, close_iterable

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

    ExcInfo = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]

GATHERED_BODY: Final = 262_144
"""Up to this Content-Length in bytes a lazy body is put together at once, and not sent piece by piece."""


class Reply:
    """The app's answer to one request, and the `start_response` that the app tells it to."""

    __slots__ = ("body", "fields", "is_begun", "source", "status")

    def __init__(self) -> None:
        self.status = ""
        self.fields: Fields = ()
        self.body = b""
        self.source: Source | None = None
        self.is_begun = False
        """Whether its head has been sent."""

    def __call__(
        self, status: str, headers: list[tuple[str, str]], exc_info: ExcInfo | None = None
    ) -> Callable[[bytes], object]:
        if exc_info is not None:
            if self.is_begun and exc_info[1] is not None:
                raise exc_info[1].with_traceback(exc_info[2])
        elif self.status:
            raise AssertionError("start_response was called twice")
        self.status = status
        self.fields = headers
        return self._write

    def _write(self, data: bytes) -> None:
        """Take body bytes in the old way (PEP 3333, "The write() Callable")."""
        self.body += data


def delivered(answer: Deliverable) -> Reply:
    """Return an answer that no WSGI app made."""
    reply = Reply()
    reply.status = status_line(answer.status)
    reply.fields = answer.headers
    reply.body = bytes(answer.body)  # the same object, or an error here and not on the wire
    return reply


def base_environ(name: str, port: int) -> dict[str, Any]:
    """Return what is the same for all requests of one listener."""
    return {
        "SCRIPT_NAME": "",
        "SERVER_NAME": name,
        "SERVER_PORT": str(port),
        "SERVER_SOFTWARE": "payment-sandbox",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.input_terminated": True,
        CARRIED_OUT: True,
    }


def call(app: WSGIApplication, environ: dict[str, Any]) -> Reply:
    """Call the app and gather its answer; a body of unknown or great length stays a stream.

    Each call has a context of its own, in which its stream is carried on wherever it runs.
    """
    environ["wsgi.errors"] = sys.stderr  # as it is now; a server can outlive what a test run puts there
    reply = Reply()
    context = copy_context()
    context.run(_run, app, environ, reply, context)
    return reply


def _run(app: WSGIApplication, environ: dict[str, Any], reply: Reply, context: Context) -> None:
    iterable = app(environ, reply)
    if type(iterable) is not list and type(iterable) is not tuple and not _is_short(environ, reply):
        reply.source = Source(iterable, context)
        return
    try:
        reply.body += b"".join(iterable)
    finally:
        close_iterable(iterable)
    if not reply.status:
        raise AssertionError("the app did not call start_response")


def _is_short(environ: dict[str, Any], reply: Reply) -> bool:
    if environ["REQUEST_METHOD"] == "HEAD" or never_has_body(reply.status):
        return True
    length = said_length(reply.fields)
    return length is not None and length <= GATHERED_BODY
