"""A receiver of webhooks, which stores the raw bytes and the headers of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Final, NamedTuple

from mock_server.conformance.answer import Broken, Phrase, shown

PATIENCE_S: Final = 5.0
"""The longest wait for a webhook, in real time (ours)."""


class Delivery(NamedTuple):
    """One webhook; `headers` have small letters."""

    headers: dict[str, str]
    body: bytes

    @property
    def envelope(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            raise Broken("the webhook's body", Phrase("JSON"), self.body) from None

    @property
    def kind(self) -> str:
        """Its event_type."""
        return str(self.envelope.get("event_type"))

    @property
    def object(self) -> Any:
        """The object in it."""
        return self.envelope["content"]["object"]


Behave = Callable[[Delivery], int]


class WebhookListener:
    """The deliveries in their order; `behave` returns the status with which one is answered."""

    def __init__(self, host: str, port: int, patience_s: float) -> None:
        self.origin = f"http://{host}:{port}"
        self.url = f"{self.origin}/webhooks"
        self._patience_s = patience_s
        self.behave: Behave = lambda delivery: 200
        self._came: SimpleQueue[Delivery] = SimpleQueue()
        self.passed_over: list[str] = []

    def accept(self, delivery: Delivery) -> int:
        """Called by the server's threads."""
        status = self.behave(delivery)
        self._came.put(delivery)
        return status

    def wait_for(self, kind: str) -> Delivery:
        """The next delivery of this event_type; others are skipped. Raises Broken without one."""
        while True:
            try:
                found = self._came.get(timeout=self._patience_s)
            except Empty:
                came = Phrase(f"none of it in {self._patience_s:g} s, only {shown(self.passed_over)}")
                raise Broken("the webhook", Phrase(f"a {kind} to be delivered"), came) from None
            if found.kind == kind:
                return found
            self.passed_over.append(found.kind)

    def came(self) -> list[Delivery]:
        """The deliveries since the last call."""
        found = []
        while not self._came.empty():
            found.append(self._came.get())
        return found


@contextmanager
def listening(host: str, patience_s: float = PATIENCE_S) -> Iterator[WebhookListener]:
    """Listens on a free port: on the loopback interface if that is the host, otherwise on all interfaces."""
    listens = host if host == "127.0.0.1" else "0.0.0.0"
    server = _Receiver((listens, 0), _Handler)
    server.listener = WebhookListener(host, server.server_address[1], patience_s)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server.listener
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Receiver(ThreadingHTTPServer):
    daemon_threads = True
    listener: WebhookListener


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Receiver
    wbufsize = -1

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        status = self.server.listener.accept(Delivery(headers, body))
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: the report is the suite's."""
