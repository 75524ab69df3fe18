"""Apps of the test's own process that receive events: WSGI or ASGI, called from the thread that delivers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from mock_server.addresses import path_of
from mock_server.testing.control import Http
from mock_server.webhooks.transport import Response, Transport, Unanswered, Wire
from mock_server.webhooks.transport_in_process import AsgiTransport, WsgiTransport

if TYPE_CHECKING:
    from mock_server.webhooks.signing import Headers

DELIVER_S: Final = 30.0
_WSGI_ONLY: Final = frozenset({"connection", "transfer-encoding"})


def transport_to(app: Any) -> Transport:
    """The way into an app; whether it is ASGI shows in its being a coroutine function."""
    if inspect.iscoroutinefunction(app) or inspect.iscoroutinefunction(getattr(app, "__call__", None)):  # noqa: B004 - the method itself is looked at
        return AsgiTransport(app)
    if not callable(app):
        raise TypeError(f"expected a WSGI or ASGI app, not {type(app).__name__}")
    return WsgiTransport(app)


class Witness:
    """A transport that remembers what the app raised: the inbox tells only that it did."""

    def __init__(self, inner: Transport, raised: list[BaseException]) -> None:
        self._inner = inner
        self._raised = raised

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Response:
        try:
            return self._inner.send(url, body, headers, timeout_s, wire)
        except Unanswered as problem:
            if problem.__cause__ is not None:
                self._raised.append(problem.__cause__)
            raise


def as_wsgi(transport: Transport, origin: str) -> Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]:
    """A transport as an app behind a port, for a server that cannot reach into this process."""

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        asked = f"?{environ['QUERY_STRING']}" if environ.get("QUERY_STRING") else ""
        url = origin + environ.get("PATH_INFO", "/") + asked
        try:
            answer = transport.send(url, body, _headers(environ), DELIVER_S, Wire())
        except Unanswered as problem:
            answer = Response(500, (("Content-Type", "text/plain"),), str(problem).encode())
        kept = [(name, value) for name, value in answer.headers if name.lower() not in {*_WSGI_ONLY, "content-length"}]
        kept.append(("Content-Length", str(len(answer.body))))
        start_response(f"{answer.status} {_reason(answer.status)}", kept)
        return [answer.body]

    return app


def _headers(environ: dict[str, Any]) -> Headers:
    own = [("Content-Type", environ["CONTENT_TYPE"])] if environ.get("CONTENT_TYPE") else []
    sent = [
        (name.removeprefix("HTTP_").replace("_", "-").title(), value)
        for name, value in environ.items()
        if name.startswith("HTTP_") and name != "HTTP_HOST"
    ]
    return tuple(own + sent)


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def post_into(client: Any, path: str, body: bytes, headers: Headers) -> Any:
    """Posts into a test client of Flask, Django, Starlette or httpx, an app, or an address; gives what it answers."""
    if isinstance(client, str):
        return _over_the_wire(client, body, headers)
    kind = {base.__module__.split(".")[0] for base in type(client).__mro__}
    post = getattr(client, "post", None)
    if kind & {"werkzeug", "flask"} and hasattr(client, "open"):
        return client.open(path, method="POST", data=body, headers=list(headers))
    if "django" in kind and post is not None:
        cgi = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers if name != "Content-Type"}
        return post(path, data=body, content_type="application/json", **cgi)
    if post is not None and kind & {"httpx", "starlette"}:
        return post(path, content=body, headers=dict(headers))
    return transport_to(client).send(f"http://testserver{path}", body, headers, DELIVER_S, Wire())


def _over_the_wire(url: str, body: bytes, headers: Headers) -> Any:
    parts = urlsplit(url)
    http = Http(f"{parts.scheme}://{parts.netloc}", keeps=False)
    return http.call("POST", path_of(url), body, dict(headers), DELIVER_S)
