"""Apps in the test's process that receive events: WSGI or ASGI, called by the thread that delivers."""

from __future__ import annotations

import inspect
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec import Struct
from werkzeug import Request, Response

from mock_server.addresses import is_address, path_of, with_scheme
from mock_server.clock import SystemClock
from mock_server.connections import Http
from mock_server.testing.control import HANDLING, Answer
from mock_server.webhooks.signing import Headers
from mock_server.webhooks.transport import AsgiTransport, Transport, Unanswered, Wire, WsgiApp, WsgiTransport
from mock_server.webhooks.transport import Response as Answered

__tracebackhide__ = True
DELIVER_S: Final = 30.0
OF_TESTS: Final = "testserver"  # the host of Django's and Starlette's test clients, which apps under test allow
_OF_THE_LINE: Final = frozenset({"Host", "Connection", "Transfer-Encoding", "Content-Length"})
"""Headers of one connection, not of the request."""


def _address(text: str) -> str:
    """The address that a text is, with its scheme. ValueError if it is none."""
    if not is_address(address := with_scheme(text)):
        raise ValueError(f"expected an app or an http or https address, not {text!r}; a path in an app is `path`")
    return address


def path_in(app: Any, path: str | None) -> str:
    """The path in an app or client, `/webhooks` by default. TypeError for one beside an address, which has its own."""
    if isinstance(app, str) and path is not None:
        raise TypeError(f"path is for an app or a client: write it into the address {app}")
    return f"/{('webhooks' if path is None else path).removeprefix('/')}"


def transport_to(app: Any) -> Transport:
    """The transport to an address or into an app; an ASGI app is a coroutine function."""
    if isinstance(app, str):
        _address(app)
        from mock_server.webhooks.transport_http import Network

        return Network(SystemClock().monotonic)
    if inspect.iscoroutinefunction(app) or inspect.iscoroutinefunction(getattr(app, "__call__", None)):  # noqa: B004 - the method itself is looked at
        return AsgiTransport(app)
    if not callable(app):
        raise TypeError(f"expected a WSGI or ASGI app, not {type(app).__name__}; of any other server, give the address")
    return WsgiTransport(app)


class Witness(Struct, eq=False):
    """A transport that keeps the app's exceptions, and calls the app under the name of tests, not the `made` one."""

    _inner: Transport
    _raised: list[BaseException]
    made: str

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Answered:
        handling = HANDLING.set(True)
        try:
            return self._inner.send(url.replace(self.made, OF_TESTS, 1), body, headers, timeout_s, wire)
        except Unanswered as problem:
            if problem.__cause__ is not None:
                self._raised.append(problem.__cause__)
            raise
        finally:
            HANDLING.reset(handling)


def as_wsgi(transport: Transport, origin: str) -> WsgiApp:
    """A transport as a WSGI app behind a port, for a server in another process."""

    @Request.application
    def app(request: Request) -> Response:
        asked = f"?{request.query_string.decode('latin-1')}" if request.query_string else ""
        sent = tuple((name, value) for name, value in request.headers.items() if name not in _OF_THE_LINE)
        try:
            answer = transport.send(f"{origin}{request.path}{asked}", request.get_data(), sent, DELIVER_S, Wire())
        except Unanswered as problem:
            return Response(str(problem), 500)
        kept = [(name, value) for name, value in answer.headers if name.title() not in _OF_THE_LINE]
        return Response(answer.body, answer.status, kept)

    return app


CLIENTS: Final = frozenset({"werkzeug", "flask", "django", "httpx", "httpx2", "starlette"})


def post_into(client: Any, path: str, body: bytes, headers: Headers) -> Any:
    """Posts into a test client, an app, or an address; returns its answer, to be awaited if the client is async."""
    if isinstance(client, str):
        parts = urlsplit(client := _address(client))
        http = Http(f"{parts.scheme}://{parts.netloc}", keeps=False)
        return Answer(*http.call("POST", path_of(client), body, dict(headers), DELIVER_S))
    kind = CLIENTS & {base.__module__.split(".")[0] for base in type(client).__mro__}
    post = getattr(client, "post", None)
    if callable(client) or post is None or not kind:  # an app can have a `post` too, for its routes
        return transport_to(client).send(f"http://{OF_TESTS}{path}", body, headers, DELIVER_S, Wire())
    if kind & {"werkzeug", "flask"}:
        return client.open(path, method="POST", data=body, headers=list(headers))
    if "django" in kind:
        more = {name: value for name, value in headers if name != "Content-Type"}
        if not inspect.iscoroutinefunction(post):
            more = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in more.items()}
        return post(path, data=body, content_type="application/json", **more)
    return post(path, content=body, headers=dict(headers))
