"""A client that sees every byte, and apps to talk to."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from mock_server.server import Server

PATIENCE_S = None  # the suite's own limit for a test is the only one

App = Callable[[dict[str, Any], Any], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class Got:
    """One answer as it came over the wire."""

    status: int
    fields: dict[str, str]
    body: bytes
    head: bytes = field(repr=False, default=b"")


class Wire:
    """One raw connection to a server."""

    def __init__(
        self,
        server: Server,
        sent: bytes = b"",
        *,
        receive_buffer: int | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        host = "::1" if server.host.startswith("::") else "127.0.0.1"
        self.sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        if receive_buffer is not None:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # what is sent is there for `settle` to see
        self.sock.settimeout(PATIENCE_S)
        try:
            self.sock.connect((host, server.tls_port if tls else server.port))
            if tls:
                self.sock = tls.wrap_socket(self.sock, server_hostname="localhost", suppress_ragged_eofs=False)
        except OSError:
            self.sock.close()
            raise
        self._buffer = b""
        if sent:
            self.send(sent)

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self.sock.close()

    def send(self, data: bytes) -> Wire:
        self.sock.sendall(data)
        return self

    def get(self, path: str = "/", *fields: str, method: str = "GET") -> Wire:
        lines = "".join(f"{line}\r\n" for line in fields)
        return self.send(f"{method} {path} HTTP/1.1\r\nHost: x\r\n{lines}\r\n".encode("latin-1"))

    def post(self, body: bytes, path: str = "/", *fields: str) -> Wire:
        self.get(path, f"Content-Length: {len(body)}", *fields, method="POST")
        return self.send(body)

    def close_own_side(self) -> Wire:
        self.sock.shutdown(socket.SHUT_WR)
        return self

    def head(self) -> Got:
        """Read one head, and no body."""
        while b"\r\n\r\n" not in self._buffer:
            self._more()
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in lines)
        return Got(int(first.split(" ")[1]), fields, b"", head)

    def got(self) -> Got:
        """Read one whole answer."""
        got = self.head()
        if got.fields.get("transfer-encoding") == "chunked":
            body = self._chunks()
        elif "content-length" in got.fields:
            body = self.take(int(got.fields["content-length"]))
        else:
            body = b"" if got.status in {100, 204, 304} else self.rest()
        return Got(got.status, got.fields, body, got.head)

    def take(self, count: int) -> bytes:
        while len(self._buffer) < count:
            self._more()
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken

    def rest(self) -> bytes:
        """Read up to the server's orderly close."""
        while data := self.sock.recv(65_536):
            self._buffer += data
        rest, self._buffer = self._buffer, b""
        return rest

    def _chunks(self) -> bytes:
        body = b""
        while True:
            while b"\r\n" not in self._buffer:
                self._more()
            size, _, self._buffer = self._buffer.partition(b"\r\n")
            piece = self.take(int(size, 16) + 2)[:-2]
            if not piece:
                return body
            body += piece

    def _more(self) -> None:
        data = self.sock.recv(65_536)
        if not data:
            raise EOFError(f"the server closed after {self._buffer!r}")
        self._buffer += data


def settle(server: Server) -> None:
    """Return when the server has dealt with all bytes that were sent to it before.

    The answer to a first request can come from the same turn of the loop, before it has looked at the others.
    """
    with Wire(server) as wire:
        for _ in range(2):
            wire.get("/").got()


def echo(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """Answer with method, path and body."""
    body = environ["wsgi.input"].read()
    text = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']} ".encode("latin-1") + body
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [text]


def waiting(go: threading.Event, app: App = echo, begun: Callable[[], object] = bool) -> App:
    """Let calls of /slow, once they have begun, wait until they may go on."""

    def waits(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/slow":
            begun()
            go.wait()
        return app(environ, start_response)

    return waits
