"""HTTP and HTTPS over the network, with reused connections; imported with the first delivery.

Errors have texts that are the same on every machine.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import local
from typing import Any, Final

import urllib3
from urllib3 import connectionpool, exceptions
from urllib3.response import BaseHTTPResponse
from urllib3.util import Retry, Timeout

from mock_server.addresses import NO_ADDRESS, is_address, sentence_for, wrapped_by
from mock_server.connections import FinalAnswer, own_copy
from mock_server.webhooks.signing import Headers
from mock_server.webhooks.transport import LONGEST_EXCERPT, Response, Unanswered, Wire

IDLE_S: Final = 1.0
"""A connection that was idle longer is not reused (ours): its receiver may be about to close it."""
BODY_S: Final = 1.0
"""Time limit for the body once the head has arrived (ours): only the status matters."""
QUICK_ACK: Final[int | None] = getattr(socket, "TCP_QUICKACK", None)
MOST_KEPT: Final = 8
CLOSED: Final = (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError)

_present = local()
"""What this thread is sending: the request, and since when (monotonic seconds)."""


class _Watched:
    """What both kinds of connection add: they report when a request was sent, and can be cut."""

    sock: Any
    response_class: Any = FinalAnswer
    open_sock: Any = None
    """The socket, even after http.client has passed it to its answer."""
    rested_at: float = 0.0

    def connect(self) -> None:
        self.rested_at, _present.is_reused = 0.0, False
        super().connect()  # type: ignore[misc]  # the connection class that this is mixed into
        self.open_sock = self.sock

    def request(self, *args: Any, **kwargs: Any) -> None:
        wire: Wire = _present.wire
        _present.is_reused = self.rested_at > 0
        if self.sock is not None:
            wire.cut_by(self.cut)
        super().request(*args, **kwargs)  # type: ignore[misc]  # as above
        wire.cut_by(self.cut)
        wire.sent()

    @property
    def is_connected(self) -> bool:
        """Whether it can be reused."""
        rested_s = _present.since - self.rested_at
        return rested_s < IDLE_S and not _present.is_reused and super().is_connected  # type: ignore[misc]  # as above

    def cut(self) -> None:
        """Ends it from another thread, whose reader sees the end of the stream."""
        if self.open_sock is not None:
            with suppress(OSError):
                self.open_sock.shutdown(socket.SHUT_RDWR)


def _pool(name: str) -> Any:
    """A kind of pool with watched connections."""
    kind = type(f"HTTP{name}Connection", (_Watched, vars(connectionpool)[f"HTTP{name}Connection"]), {})
    return type(f"HTTP{name}ConnectionPool", (vars(_OWN)[f"HTTP{name}ConnectionPool"],), {"ConnectionCls": kind})


_OWN: Final = own_copy("urllib3.connectionpool")
_POOLS: Final = {"http": _pool(""), "https": _pool("S")}


class _OnceMore(Retry):
    """Over a new connection, if the kept one was closed without an answer: its receiver has not seen the request."""

    def increment(self, *args: Any, error: Any = None, **more: Any) -> _OnceMore:
        is_closed = any(isinstance(one, CLOSED) for one in wrapped_by(error))
        if not (is_closed and _present.is_reused) or _present.wire.is_cut:
            raise error
        return self


class Network:
    """Sends over the network; follows no redirects, and reads only a little of an answer."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._pools = urllib3.PoolManager(num_pools=64, maxsize=MOST_KEPT, retries=False)
        self._pools.pool_classes_by_scheme = _POOLS

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Response:
        if not is_address(url):
            raise Unanswered(NO_ADDRESS)
        _present.wire, _present.since, _present.is_reused = wire, self._monotonic(), False
        try:
            answer = self._pools.urlopen(
                "POST",
                url,
                body=body,
                headers=dict(headers),
                redirect=False,
                retries=_OnceMore(),
                timeout=Timeout(total=timeout_s),
                preload_content=False,
                decode_content=False,
            )
        except (exceptions.HTTPError, OSError, ValueError) as problem:
            for one in wrapped_by(problem):  # urllib3's frames hold it: a cycle with the whole workspace
                one.__traceback__ = None
            raise Unanswered(sentence_for(problem, timeout_s)) from None
        finally:
            del _present.wire  # this thread may rest now, and the wire leads to the workspace
        left_s = timeout_s - (self._monotonic() - _present.since)
        return self._read(answer, min(BODY_S, max(left_s, 0.0)))

    def _read(self, answer: BaseHTTPResponse, wait_s: float) -> Response:
        """The head, and the beginning of the body; the connection is kept if that was all of it."""
        connection: Any = answer.connection
        body = b""
        try:
            for piece in self._pieces(answer, connection, self._monotonic() + wait_s):
                body += piece
        except (exceptions.HTTPError, OSError):
            answer.close()
        is_whole = answer.length_remaining in (0, None) and answer.closed
        if connection is not None and connection.sock is not None and is_whole:
            connection.rested_at = self._monotonic()
            answer.release_conn()
        else:
            answer.close()
        return Response(answer.status, tuple(answer.headers.items()), body[:LONGEST_EXCERPT])

    def _pieces(self, answer: BaseHTTPResponse, connection: Any, until: float) -> Iterator[bytes]:
        """The body as it arrives, up to one byte more than is stored."""
        room = LONGEST_EXCERPT + 1
        while room > 0 and (left_s := until - self._monotonic()) > 0:
            with suppress(OSError):
                connection.open_sock.settimeout(left_s)
                # A receiver that writes head and body apart may wait for the head's acknowledgement.
                if QUICK_ACK is not None:
                    connection.open_sock.setsockopt(socket.IPPROTO_TCP, QUICK_ACK, 1)
            piece = answer.read1(room)
            if not piece:
                return
            room -= len(piece)
            yield piece
