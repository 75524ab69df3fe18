"""A receiver that is a WSGI app in this process: no socket, the same request."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from mock_server.webhooks.signing import Headers
from mock_server.webhooks.transport import LONGEST_EXCERPT, Response, Unanswered, Wire

App = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class WsgiTransport:
    """Calls the app in the thread that delivers."""

    def __init__(self, app: App) -> None:
        self._app = app

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Response:
        told: list[tuple[Any, ...]] = []

        def start_response(*said: Any) -> Callable[[bytes], object]:
            told.append(said)
            return lambda data: None

        wire.sent()
        try:
            answer = self._app(environ_of(url, body, headers), start_response)
            excerpted = _beginning(answer)
        except Exception as problem:
            raise Unanswered(f"the app raised {type(problem).__name__}") from problem
        if not told:
            raise Unanswered("the app did not start its answer")
        status, fields = told[-1][0], told[-1][1]
        return Response(int(status.split(" ", 1)[0]), tuple(fields), excerpted)


def _beginning(answer: Iterable[bytes]) -> bytes:
    """The first bytes of an answer; whatever else it has is not asked for."""
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
    port = parts.port or (443 if parts.scheme == "https" else 80)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(parts.path or "/").decode("latin-1"),
        "QUERY_STRING": parts.query,
        "SERVER_NAME": parts.hostname or "",
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_HOST": parts.netloc,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": parts.scheme,
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in headers:
        key = name.upper().replace("-", "_")
        environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value
    return environ
