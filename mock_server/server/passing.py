"""Passes a call on to the replica that owns its workspace, and returns the answer byte for byte.

The answer is not changed: its bytes are sent as they arrive, and if the owner's connection ends, the client's ends in
the same way, so that faults stay the same. Each client connection has its own connection to the owner, which lasts as
long as both keep it open, because the owner counts connections. No thread waits for either side.
"""

from __future__ import annotations

import hmac
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from mock_server.keyed import Keyed
from mock_server.server.connection import NOTHING, Connection
from mock_server.server.exchange import Exchange
from mock_server.server.loop import READ, WRITE, Timer
from mock_server.server.reader import AnswerBytes
from mock_server.server.service import ELSEWHERE, NO_FAREWELL, PASSED_ON

MARK: Final = "X-Sandbox-Passed-On"
"""The header of a call that was passed on: the client's scheme and address, and a digest that only replicas make."""
MOST: Final = 2_048
"""Maximum number of simultaneous calls at other replicas."""
CONNECT_S: Final = 2.0
"""Time limit to connect to an owner: less than the duration of a lease."""
SILENT_S: Final = 10
"""An owner whose machine acknowledges nothing for this time is gone, even during a long poll."""
AT_ONCE: Final = 65_536
UNTIL: Final = "mock_server.asked_again_until"
HANDED_OVER_S: Final = 1.0
"""A replica that stops listens to nobody for less than this time until others can own its workspaces."""
AGAIN_S: Final = 0.1


def pass_on(exchange: Exchange, url: str, again: Callable[[], object]) -> None:
    """Have the replica at `url` answer; 503 if the call was passed on already, or the replica cannot be reached.

    `again` makes the call again, for a replica that is about to hand its workspaces over.
    """
    service = exchange.service
    if exchange.connection.is_closed:
        return
    if PASSED_ON in exchange.environ:
        _refuse(exchange, "returned", "this call was passed on once already")
    elif service.elsewhere >= MOST:
        _refuse(exchange, "refused", "too many calls are being answered by other replicas")
    else:
        line = exchange.connection.owner
        if not isinstance(line, LineToOwner):
            line = exchange.connection.owner = LineToOwner(exchange.connection)
        line.ask(exchange, url, again)


def _refuse(exchange: Exchange, result: str, why: str) -> None:
    exchange.service.count_passed(result)
    exchange.deliver(exchange.service.refused(503, f"{ELSEWHERE}, and {why}"))


def written(environ: dict[str, Any], between: Keyed) -> bytes:
    """Return a request as it is sent to its owner: target, fields and body as received, with chunks joined.

    `Expect` is already handled. A repeated field is joined with a comma, as the owner would have read it.
    """
    body = environ["wsgi.input"].getvalue()
    lines = [f"{environ['REQUEST_METHOD']} {environ['RAW_URI']} {environ['SERVER_PROTOCOL']}"]
    for key, value in environ.items():
        name = key if key == "CONTENT_TYPE" else key[5:] if key.startswith("HTTP_") and key != "HTTP_EXPECT" else ""
        if key == "CONTENT_LENGTH":
            lines.append(f"Content-Length: {len(body)}")
        elif name:
            lines.append(f"{name.replace('_', '-').title()}: {value}")
    about = f"{environ['wsgi.url_scheme']} {environ['REMOTE_ADDR']}"
    lines.append(f"{MARK}: {about} {digest_of(environ, about, between)}\r\n\r\n")
    return b"%b%b" % ("\r\n".join(lines).encode("latin-1"), body)


def take_over(exchange: Exchange) -> None:
    """Let the app see what it would have seen without the way round, if another replica says so."""
    environ = exchange.environ
    environ[PASSED_ON] = mark = environ.pop("HTTP_X_SANDBOX_PASSED_ON")  # from anybody: at most once on the way round
    about, _, digest = mark.rpartition(" ")
    if hmac.compare_digest(digest.encode("latin-1"), digest_of(environ, about, exchange.service.between).encode()):
        environ["wsgi.url_scheme"], environ["REMOTE_ADDR"] = about.split(" ")


def digest_of(environ: dict[str, Any], about: str, between: Keyed) -> str:
    """Return the digest of what one replica tells another about the client of a call."""
    call = f"{about}\n{environ['REQUEST_METHOD']}\n{environ['RAW_URI']}"
    return between.digest(call.encode("latin-1")).hex()


class LineToOwner:
    """A client's connection to the replica that owns the workspace of its calls; it carries one call at a time."""

    def __init__(self, client: Connection) -> None:
        self._client = client
        self._service = client.service
        self._exchange: Exchange | None = None
        self._again: Callable[[], object] = lambda: None
        self._sock: socket.socket | None = None
        self._interest = 0
        self._is_sending = False
        self._url = ""
        self._timer: Timer | None = None
        self._addresses: list[tuple[Any, ...]] = []
        self._out = NOTHING
        self._answer = AnswerBytes(is_head=False)

    def ask(self, exchange: Exchange, url: str, again: Callable[[], object]) -> None:
        """Send a call over the existing connection, or over a new one."""
        self._service.elsewhere += 1
        self._again = again
        exchange.environ.setdefault(UNTIL, self._service.loop.now + HANDED_OVER_S)
        self._exchange = exchange
        self._out = memoryview(written(exchange.environ, self._service.between))
        self._answer = AnswerBytes(is_head=exchange.environ["REQUEST_METHOD"] == "HEAD")
        self._client.work()
        if self._sock is not None and url == self._url:
            self._begin()
            return
        self._let_go()
        self._url, parts = url, urlsplit(url)
        host, port = parts.hostname or "", parts.port or 80
        try:
            addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        except OSError:  # a name, which somebody else has to be asked for
            if not self._service.pool.submit(partial(self._look_up, exchange, host, port)):
                self._give_up()
        else:
            self._found(exchange, addresses)

    def close(self) -> None:
        """Close together with the client's connection."""
        self._let_go()
        if self._exchange is not None:
            self._end()

    def say_all(self) -> None:
        """The client has closed its side: close ours to the owner once everything is sent; it may still answer."""
        if self._sock is not None and self._timer is None and not self._out:
            with suppress(OSError):
                self._sock.shutdown(socket.SHUT_WR)

    # to the owner

    def _look_up(self, exchange: Exchange, host: str, port: int) -> None:
        found: list[tuple[Any, ...]] = []
        with suppress(OSError, UnicodeError):
            found += socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        self._service.loop.soon(partial(self._found, exchange, found))

    def _found(self, exchange: Exchange, addresses: list[tuple[Any, ...]]) -> None:
        self._addresses = addresses
        if self._exchange is exchange:
            self._connect()

    def _connect(self) -> None:
        """Connect to the next address of the owner's host name, after the previous one refused."""
        self._let_go()
        while self._addresses:
            family, _, _, _, address = self._addresses.pop(0)
            try:
                self._sock = _socket(family)
                with suppress(BlockingIOError):
                    self._sock.connect(address)
            except OSError:
                self._let_go()
                continue
            self._timer = self._service.loop.later(CONNECT_S, self._connect)
            self._want(WRITE)
            return
        self._give_up()

    def _begin(self) -> None:
        self._service.count_passed("sent")
        self._send()

    def _send(self) -> None:
        assert self._sock is not None
        try:
            sent = self._sock.send(self._out)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._break_off()
            return
        self._out = self._out[sent:]
        if self._client.has_left():
            self.say_all()
        self._want(READ | WRITE if self._out else READ)

    # and back

    def _on_ready(self, mask: int) -> None:
        if self._sock is None:  # closed since the loop asked
            return
        if self._exchange is None:  # the owner's end, between two calls
            self._let_go()
        elif self._timer is not None:
            if self._sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                self._connect()
            else:
                self._stop_timer()
                self._begin()
        elif mask & READ:
            self._receive(self._sock)
        else:
            self._send()

    def _receive(self, sock: socket.socket) -> None:
        try:
            data = sock.recv(AT_ONCE)
        except BlockingIOError:
            return
        except OSError:
            self._break_off()
            return
        if data:
            self._is_sending = True
            self._client.send(data[: self._answer.take(data)], self._sent)
            if self._is_sending:
                self._want(0)
        else:
            self._end()
            self._let_go()
            self._client.finish()

    def _sent(self) -> None:
        """The client has received this part: continue, or end if the answer is complete."""
        self._is_sending = False
        if not self._answer.is_whole:
            self._want(READ | WRITE if self._out else READ)
            return
        self._end()
        if not self._answer.keeps_alive or self._out or self._client.has_left():
            self._let_go()
        self._want(READ)
        self._client.answered(self._answer.keeps_alive)

    def _break_off(self) -> None:
        self._end()
        self._client.reset()

    def _give_up(self) -> None:
        exchange, loop = self._end(), self._service.loop
        if exchange is None:
            return
        if loop.now < exchange.environ[UNTIL]:
            loop.later(AGAIN_S, self._again)
        else:
            _refuse(exchange, "unreachable", "it cannot be reached")

    def _end(self) -> Exchange | None:
        """The call is over, or its client has disconnected."""
        exchange, self._exchange = self._exchange, None
        self._service.elsewhere -= 1
        self._out = NOTHING
        return exchange

    def _want(self, interest: int) -> None:
        if self._sock is None or interest == self._interest:
            return
        if interest:
            self._service.loop.watch(self._sock, interest, self._on_ready)
        else:
            self._service.loop.forget(self._sock)
        self._interest = interest

    def _let_go(self) -> None:
        """Reset the connection, so that no port stays in use. Can be repeated."""
        self._stop_timer()
        self._want(0)
        if self._sock is not None:
            with suppress(OSError):  # the owner was first
                self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_FAREWELL)
            self._sock.close()
            self._sock = None

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _socket(family: int) -> socket.socket:
    """Return a non-blocking socket, with a limit for an other side that disappears silently."""
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setblocking(False)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", SILENT_S), ("TCP_USER_TIMEOUT", SILENT_S * 1000)):
        if hasattr(socket, name):  # not every system has them
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return sock
