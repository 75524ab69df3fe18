"""A receiver that is an ASGI app in this process: no socket, the same request, an event loop of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import unquote, urlsplit

from mock_server.webhooks.problems import timed_out
from mock_server.webhooks.signing import Headers
from mock_server.webhooks.transport import LONGEST_EXCERPT, Response, Unanswered, Wire

Message = MutableMapping[str, Any]
App = Callable[[Any, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]


class AsgiTransport:
    """Runs the app to the end of its answer; one event loop a request, so nothing of it outlives the request."""

    def __init__(self, app: App) -> None:
        self._app = app

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Response:
        import asyncio  # late: only apps of this sort need it

        exchange = _Exchange(body)
        wire.sent()
        try:
            asyncio.run(asyncio.wait_for(self._run(scope_of(url, headers), exchange), timeout_s))
        except TimeoutError:
            raise Unanswered(timed_out(timeout_s)) from None
        except Exception as problem:
            raise Unanswered(f"the app raised {type(problem).__name__}") from problem
        if exchange.status is None:
            raise Unanswered("the app did not start its answer")
        return Response(exchange.status, exchange.headers, exchange.body)

    async def _run(self, scope: dict[str, Any], exchange: _Exchange) -> None:
        await self._app(scope, exchange.receive, exchange.send)


class _Exchange:
    """What an app receives and sends."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self.status: int | None = None
        self.headers: Headers = ()
        self.body = b""

    async def receive(self) -> Message:
        if self._body is None:
            return {"type": "http.disconnect"}
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            pairs = message.get("headers", ())
            self.headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in pairs)
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")[: LONGEST_EXCERPT - len(self.body)]


def scope_of(url: str, headers: Headers) -> dict[str, Any]:
    """The request as ASGI puts it (ASGI 3.0, HTTP connection scope)."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    pairs = [("host", parts.netloc), *headers]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": parts.scheme,
        "path": unquote(parts.path or "/"),
        "raw_path": (parts.path or "/").encode("ascii", "replace"),
        "query_string": parts.query.encode("ascii", "replace"),
        "root_path": "",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in pairs],
        "client": ("127.0.0.1", 0),
        "server": (parts.hostname or "", port),
    }
