"""A shop's own pages: the one that customers come back to, and one that shows another page in a frame."""

from __future__ import annotations

import html
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from types import TracebackType
from typing import Final, NamedTuple, Self
from urllib.parse import parse_qsl, urlsplit

HEAD: Final = '<!doctype html><html lang="en"><link rel="icon" href="data:,">'
THANKS: Final = f"{HEAD}<title>Thank you</title><h1>Thank you</h1>"
FRAME: Final = HEAD + '<title>Shop</title><iframe name="pay" src="{of}"></iframe>'


class Arrival(NamedTuple):
    """A customer who came back: how, where, and with what."""

    method: str
    path: str
    pairs: list[tuple[str, str]]

    @property
    def told(self) -> dict[str, str]:
        return dict(self.pairs)


class Shop:
    """A shop on a free port; customers come back to any address below `back`. Where it shows nothing they stay.

    `pages` holds further pages of its own by their paths; who looks at one of them has not come back.
    """

    def __init__(self, *, shows: bool = True) -> None:
        self.arrivals: list[Arrival] = []
        self.pages: dict[str, str] = {}
        handler = _handler(self.arrivals, THANKS if shows else None, self.pages)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def back(self) -> str:
        """A return URL with a query of its own."""
        return f"{self.base}/back?order=42"

    def came_back(self, times: int = 1) -> Arrival:
        """The one arrival, once the browser shows it. A GET whose connection broke may have been repeated by it."""
        repeats = sum(one.method == "GET" and one == before for before, one in pairwise(self.arrivals))
        assert len(self.arrivals) - repeats == times, self.arrivals
        return self.arrivals[-1]


def _handler(arrivals: list[Arrival], thanks: str | None, pages: dict[str, str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            pairs = parse_qsl(parts.query, keep_blank_values=True)
            if parts.path == "/frame":
                self._show(
                    f'{HEAD}<title>Shop</title><iframe name="pay" src="{html.escape(dict(pairs)["of"])}"></iframe>'
                )
                return
            if parts.path in pages:
                self._show(pages[parts.path])
                return
            arrivals.append(Arrival("GET", parts.path, pairs))
            self._show(thanks)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            arrivals.append(Arrival("POST", urlsplit(self.path).path, parse_qsl(body, keep_blank_values=True)))
            self._show(thanks)

        def _show(self, text: str | None) -> None:
            self.send_response(204 if text is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Cache-Control", "no-store")
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write((text or "").encode())

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: a test looks at the arrivals."""

    return Handler
