"""A receiver that is a WSGI or an ASGI app in this process: no socket, the same request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import unquote, urlsplit

from werkzeug import test

from mock_server.webhooks.signing import Headers
from mock_server.webhooks.transport import LONGEST_EXCERPT, Response, Unanswered, Wire, timed_out

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class WsgiTransport:
    """Calls the app on the thread that delivers."""

    def __init__(self, app: WsgiApp) -> None:
        self._app = app

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Response:
        started: list[tuple[Any, ...]] = []

        def start_response(*said: Any) -> Callable[[bytes], object]:
            started.append(said)
            return lambda data: None

        wire.sent()
        try:
            answer = self._app(environ_of(url, body, headers), start_response)
            excerpted = _beginning(answer)
        except Exception as problem:
            raise Unanswered(f"the app raised {type(problem).__name__}") from problem
        if not started:
            raise Unanswered("the app did not start its answer")
        status, fields = started[-1][0], started[-1][1]
        return Response(int(status.split(" ", 1)[0]), tuple(fields), excerpted)


def _beginning(answer: Iterable[bytes]) -> bytes:
    """The first bytes of an answer; the rest is not requested."""
    kept = b""
    try:
        for piece in answer:
            kept += piece[: LONGEST_EXCERPT - len(kept)]
            if len(kept) >= LONGEST_EXCERPT:
                break
    finally:
        close = getattr(answer, "close", None)
        if close is not None:
            close()
    return kept


def environ_of(url: str, body: bytes, headers: Headers) -> dict[str, Any]:
    """The request as WSGI puts it (PEP 3333)."""
    parts = urlsplit(url)
    made = test.EnvironBuilder(
        parts.path or "/",
        f"{parts.scheme}://{parts.netloc}",
        query_string=parts.query,
        method="POST",
        data=body,
        headers=list(headers),
        multithread=True,
        environ_overrides={"REMOTE_ADDR": "127.0.0.1"},
    )
    return made.get_environ()


Message = MutableMapping[str, Any]
AsgiApp = Callable[[Any, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]


class AsgiTransport:
    """Runs the app until its answer is complete, with one event loop per request, so nothing remains afterwards."""

    def __init__(self, app: AsgiApp) -> None:
        self._app = app

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Response:
        import asyncio  # late: only apps of this sort need it

        exchange = _Exchange(body)

        async def run() -> None:
            await self._app(scope_of(url, headers), exchange.receive, exchange.send)

        wire.sent()
        try:
            asyncio.run(asyncio.wait_for(run(), timeout_s))
        except TimeoutError:
            raise Unanswered(timed_out(timeout_s)) from None
        except Exception as problem:
            raise Unanswered(f"the app raised {type(problem).__name__}") from problem
        if exchange.status is None:
            raise Unanswered("the app did not start its answer")
        return Response(exchange.status, exchange.headers, exchange.body)


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
