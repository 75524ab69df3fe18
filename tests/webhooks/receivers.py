"""Receivers behind real sockets, each with its own way to be a nuisance."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

PATIENCE_S = None  # the suite's own limit for a test is the only one
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

Behave = Callable[["Line"], object]


@dataclass
class Line:
    """One connection that was accepted."""

    sock: socket.socket
    receiver: Receiver
    number: int

    def request(self) -> bytes:
        """The next whole request; empty when the other side has closed."""
        data = b""
        while b"\r\n\r\n" not in data:
            piece = self.sock.recv(65_536)
            if not piece:
                return b""
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        length = int(fields[b"content-length"])
        while len(body) < length:
            body += self.sock.recv(65_536)
        self.receiver.note(head + b"\r\n\r\n" + body, self.number)
        return head + b"\r\n\r\n" + body

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def reset(self) -> None:
        """Ends the connection with a TCP reset."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()


def answers(data: bytes = OK) -> Behave:
    """Answers every request of a connection with these bytes."""

    def behave(line: Line) -> None:
        while line.request():
            line.send(data)

    return behave


@dataclass
class Receiver:
    """Listens on a free port; `behave` has each connection in a thread of its own."""

    behave: Behave = field(default_factory=answers)
    requests: list[bytes] = field(default_factory=list)
    connections: list[int] = field(default_factory=list)
    """Which connection each request came by."""
    came: threading.Condition = field(default_factory=threading.Condition)
    release: threading.Event = field(default_factory=threading.Event)
    """What those wait for that hang."""

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release.set()
        for sock in (self._listener, *self._open):
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    def note(self, request: bytes, connection: int) -> None:
        with self.came:
            self.requests.append(request)
            self.connections.append(connection)
            self.came.notify_all()

    def wait_for(self, count: int) -> None:
        """Blocks until so many requests have come."""
        with self.came:
            assert self.came.wait_for(lambda: len(self.requests) >= count, PATIENCE_S), len(self.requests)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                sock, _ = self._listener.accept()
                sock.settimeout(PATIENCE_S)
                self._open.append(sock)
                line = Line(sock, self, len(self._open))
                threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line: Line) -> None:
        with suppress(OSError):
            self.behave(line)
        line.sock.close()


def receiver_over_tls(certificate: Path | str, behave: Behave | None = None) -> Receiver:
    """A receiver whose connections speak TLS with a certificate, whose file has its key too."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def secured(line: Line) -> None:
        line.sock = context.wrap_socket(line.sock, server_side=True)
        (behave or answers())(line)

    return Receiver(secured)


def hangs(line: Line) -> None:
    """Takes the request and says nothing until it is told to go on."""
    while line.request():
        line.receiver.release.wait()
        line.send(OK)


def resets(line: Line) -> None:
    line.request()
    line.reset()


def leaves(line: Line) -> None:
    """Closes in order, without an answer."""
    line.request()


def babbles(line: Line) -> None:
    """Says something that is no HTTP."""
    line.request()
    line.send(b"220 mail.test ESMTP\r\n")


def cuts_its_head(line: Line) -> None:
    """Closes in order, in the middle of its answer's head."""
    line.request()
    line.send(b"HTTP/1.1 200 OK\r\nContent-Le")


def drips_its_head(line: Line) -> None:
    """One byte of the head now and then, for ever."""
    line.request()
    line.send(b"HTTP/1.1 200 OK\r\nX-Drip: ")
    while not line.receiver.release.wait(0.05):
        line.send(b"x")


def drips_its_body(line: Line) -> None:
    """The head at once, the body for ever."""
    line.request()
    line.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
    while not line.receiver.release.wait(0.05):
        line.send(b"x")


def sends_a_gigabyte(line: Line) -> None:
    line.request()
    line.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
    piece = b"g" * 1_000_000
    for _ in range(1000):
        line.send(piece)


def sends_endless_headers(line: Line) -> None:
    line.request()
    line.send(b"HTTP/1.1 200 OK\r\n")
    for number in range(100_000):
        line.send(b"X-%d: %s\r\n" % (number, b"h" * 1000))


def unused_port() -> int:
    """A port where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port: int = sock.getsockname()[1]
    return port
