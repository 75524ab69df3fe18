"""One client's connection: receives bytes, passes on whole requests, sends bytes.

Neither the loop nor any thread waits for it. Its state says what it does next; if a client could make that last for
ever, a deadline ends it, which the server checks regularly. Everything runs on the loop's thread.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

from mock_server.server.answer import CONTINUE, compose
from mock_server.server.loop import READ, WRITE
from mock_server.server.parser import Request, RequestRefused
from mock_server.server.reader import RequestReader
from mock_server.server.service import FULL, NEVER, NO_FAREWELL, ConnectionState, OwnerLine, Service

RECEIVED_AT_ONCE: Final = 65_536
"""How many bytes of later requests are received while an answer is being prepared."""
READ_AWAY: Final = 256 << 20
"""How many bytes from a client are read and discarded after the last answer, so that it receives the answer."""
NOTHING: Final = memoryview(b"")
Begin = Callable[["Connection", Request], object]


class Connection:
    """The connection to one client; each whole request is passed to `begin`."""

    __slots__ = (
        "_begin", "_client_is_done", "_interest", "_latest_end", "_out", "_reader", "_sock", "_state", "_then",
        "_to_drop", "base", "deadline", "is_partial", "on_close", "on_left", "owner", "service",
    )  # fmt: skip

    def __init__(self, service: Service, sock: socket.socket, base: dict[str, Any], begin: Begin) -> None:
        self.service, self.base = service, base
        self.deadline = service.loop.now + service.patience.idle_s
        self.on_close: Callable[[], object] | None = None
        self.on_left: Callable[[bool], object] | None = None
        """Called if the connection ends before its answer, with whether that is because the server stops."""
        self.owner: OwnerLine | None = None
        self._sock, self._begin = sock, begin
        self._reader = RequestReader(service.limits)
        self._state = ConnectionState.READING
        self.is_partial = False  # whether a request has begun to come and is not whole
        self._client_is_done = False
        self._out = NOTHING
        self._then: Callable[[], object] | None = None
        self._latest_end = NEVER
        self._to_drop = READ_AWAY
        self._interest = READ
        service.loop.watch(sock, READ, self._on_ready)
        service.connections.add(self)

    @property
    def is_closed(self) -> bool:
        """Whether nothing can be sent any more."""
        return self._state is ConnectionState.CLOSED

    def has_left(self) -> bool:
        """Whether the client has disconnected, or has closed its side; can be called from any thread."""
        return self._client_is_done or self.is_closed

    def send(self, data: bytes, then: Callable[[], object]) -> None:
        """Send the bytes, and call `then` once the client has received them."""
        loop = self.service.loop
        if loop.is_answering:
            loop.when_answered(partial(self._send, data, then))
        else:
            self._send(data, then)

    def _send(self, data: bytes, then: Callable[[], object]) -> None:
        try:
            sent = self._sock.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            self.close()
            return
        if sent == len(data):
            then()
            return
        self._out, self._then = memoryview(data)[sent:], then
        self._enter(ConnectionState.WRITING, self.service.patience.write_s)
        self._want(WRITE)
        self.service.room.keep(self, len(data))

    @property
    def is_slow(self) -> bool:
        return self.is_partial or self._state is ConnectionState.WRITING

    def make_room(self) -> None:
        if self.is_partial:
            self.refuse(RequestRefused(503, FULL))
        else:
            self.service.log("answers that their clients do not receive use all their memory: the largest ends", None)
            self.reset()

    def work(self) -> None:
        """Wait until the app has generated the answer, or more of it."""
        self._enter(ConnectionState.WORKING)

    def hold(self, state: ConnectionState = ConnectionState.HELD) -> None:
        """Wait until the answer can be sent, but not for a client that has disconnected.

        A shutdown does not wait for it in the state HANGING.
        """
        self._enter(state)
        has_left = self._client_is_done and state is not ConnectionState.WORKING
        if has_left or (state is ConnectionState.HANGING and self.service.is_stopping):
            self.close()

    def answered(self, keep_alive: bool) -> None:
        """After an answer was sent: continue with the next request, or close."""
        self.on_close = self.on_left = None
        self.service.room.leave(self)
        if not keep_alive or self.service.is_stopping:
            self.finish()
            return
        self._state = ConnectionState.READING
        self.deadline = self.service.loop.now + self.service.patience.idle_s
        if self._interest != READ:
            self._want(READ)
        if self._reader.buffer or self._client_is_done:
            self.service.loop.soon(self._next)

    def finish(self) -> None:
        """Close our side in an orderly way, and the connection when the client has closed its side.

        A socket that is closed with bytes unread sends a reset, which can overtake the answer.
        """
        self.on_left = None
        try:
            self._sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._client_is_done = True
        if self._client_is_done or self.service.is_stopping:
            self.close()
            return
        self._let_go()
        self._latest_end = self.service.loop.now + self.service.patience.leave_s
        self._enter(ConnectionState.LINGERING, self.service.patience.linger_s)
        self._want(READ)

    def reset(self) -> None:
        """Break the connection, with a TCP reset."""
        self.on_left = None
        with suppress(OSError):  # the client was first
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_FAREWELL)
        self.close()

    def close(self) -> None:
        """Close it, and everything that depends on it."""
        if self.is_closed:
            return
        self._want(0)
        self._sock.close()
        self._state = ConnectionState.CLOSED
        self._let_go()
        ends = self.on_close, None if self.owner is None else self.owner.close
        on_left, self.on_close, self.on_left = self.on_left, None, None
        for end in filter(None, ends):
            end()
        if on_left is not None:
            on_left(self.service.is_stopping)
        self.service.forget(self)

    def expire(self) -> None:
        """Handle a deadline that has passed."""
        if self._state is ConnectionState.READING and self.is_partial:
            self.refuse(RequestRefused(408, "the request was not complete in time"))
        elif self._state is ConnectionState.WRITING:
            self.reset()
        else:
            self.close()

    def stop(self) -> None:
        """Close now, unless an answer is still being prepared."""
        if self._state in (ConnectionState.READING, ConnectionState.HANGING, ConnectionState.LINGERING):
            self.close()

    def _on_ready(self, mask: int) -> None:
        if mask & WRITE:
            self._flush()
            return
        try:
            data = self._sock.recv(RECEIVED_AT_ONCE)
        except BlockingIOError:
            return
        except OSError:
            self.close()
            return
        if self._state is ConnectionState.LINGERING:
            self._to_drop -= len(data)
            if data and self._to_drop > 0:
                self.deadline = min(self._latest_end, self.service.loop.now + self.service.patience.linger_s)
            else:
                self.close()
        elif not data:
            self._client_left()
        else:
            try:
                self._reader.buffer += data
            except MemoryError:
                self.close()
                raise
            if self._state is ConnectionState.READING:
                self.service.loop.when_read(self._next)
            elif len(self._reader.buffer) > RECEIVED_AT_ONCE:
                self._want(0)

    def _flush(self) -> None:
        try:
            sent = self._sock.send(self._out)
        except BlockingIOError:
            return
        except OSError:
            self.close()
            return
        self._out = self._out[sent:]
        self.deadline = self.service.loop.now + self.service.patience.write_s
        if not self._out:
            self._enter(ConnectionState.WORKING)
            self._want(READ)
            then, self._then = self._then, None
            if then is not None:
                then()

    def _client_left(self) -> None:
        """Note that no more data will come: the client has disconnected, or has only closed its side."""
        self._client_is_done = True
        if self._state in (ConnectionState.HELD, ConnectionState.HANGING):
            self.close()
        else:
            self._want(0)
            if self.owner is not None:
                self.owner.say_all()
            self._next()

    def _next(self) -> None:
        """Begin the next request, if it has arrived and the previous one is finished."""
        if self._state is not ConnectionState.READING:
            return
        try:
            request = self._reader.next()
        except RequestRefused as refused:
            self.refuse(refused)
            return
        if request is not None:
            self.is_partial = False
            self.deadline = self._latest_end = NEVER
            self._begin(self, request)
        elif self._client_is_done:
            self.close()
        else:
            self._await_rest()

    def _await_rest(self) -> None:
        reader, service = self._reader, self.service
        if reader.request:
            if self._latest_end == NEVER:
                self._latest_end = service.loop.now + service.patience.body_s
            self._await_piece()
        elif reader.buffer and not self.is_partial:
            self.deadline = service.loop.now + service.patience.head_s
        self.is_partial = bool(reader.request or reader.buffer)
        if self.is_partial:
            service.room.keep(self, reader.size)
        if reader.is_to_continue() and self._state is ConnectionState.READING:
            self.send(CONTINUE, self._await_piece)

    def _await_piece(self) -> None:
        """Wait for the next piece of a body, but not longer than for the whole body."""
        self._enter(ConnectionState.READING, self.service.patience.head_s)
        self.deadline = min(self.deadline, self._latest_end)

    def refuse(self, refused: RequestRefused) -> None:
        """Answer with an error, read no more of this request, and close."""
        self.is_partial, request = False, self._reader.request
        method = request.environ["REQUEST_METHOD"] if request else self._reader.buffer[:5].decode("latin-1")
        self._let_go()
        self.work()
        reply = self.service.refused(refused.status, refused.reason, refused.limit)
        date = self.service.date.line(self.service.loop.now)
        head = compose(reply.status, reply.fields, len(reply.body), date, is_modern=True, keep_alive=False).head
        self.send(head if method.rstrip() == "HEAD" else head + reply.body, self.finish)

    def _let_go(self) -> None:
        """Free the data of requests and answers now, without waiting for the garbage collector."""
        self._reader.clear()
        self.service.room.leave(self)
        self._out, self._then = NOTHING, None

    def _enter(self, state: ConnectionState, patience_s: float = NEVER) -> None:
        self._state = state
        self.deadline = self.service.loop.now + patience_s

    def _want(self, interest: int) -> None:
        """Have the loop report when the socket is ready for this."""
        if self._client_is_done:
            interest &= WRITE
        if interest == self._interest:
            return
        if interest:
            self.service.loop.watch(self._sock, interest, self._on_ready)
        else:
            self.service.loop.forget(self._sock)
        self._interest = interest
