"""Sending the answer to one request: its head, its body whole or as it is generated, and what follows.

No thread waits for a slow client: the loop sends the next part of a lazy body when the client has received the last
one; once enough parts are ready, the pool's thread ends, and another one continues later.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Final

from mock_server.server.answer import LAST_CHUNK, Composed, End, chunk, compose, never_has_body, said_length
from mock_server.server.connection import Connection
from mock_server.server.parser import Request
from mock_server.server.service import UNSAVED, Service
from mock_server.server.wsgi import GATHERED_BODY, TAKEN_AHEAD, AppReply, LazyBody

NO_THREAD: Final = "no thread is free to make the answer's body"


class Exchange:
    """The state between a whole request and the end of its answer."""

    __slots__ = ("_began", "_has_failed", "_is_head", "_keep_alive", "connection", "environ", "service")

    def __init__(self, connection: Connection, request: Request) -> None:
        self.connection = connection
        self.environ = environ = request.environ
        environ.update(connection.base)
        self.service = connection.service
        self._began = self.service.loop.now
        self._is_head = environ["REQUEST_METHOD"] == "HEAD"
        self._keep_alive = request.keep_alive
        self._has_failed = False

    def deliver(self, reply: AppReply) -> None:
        if reply.source is not None:
            self.connection.work()
            Stream(self, reply, reply.source)
            return
        try:
            head, body = self.composed(reply)
        except Exception as error:
            self.fail(reply, error)
            return
        if len(body) <= GATHERED_BODY:
            self.connection.send(head + body, self.done)
        else:
            self.connection.send(head, partial(self.connection.send, body, self.done))

    def composed(self, reply: AppReply) -> tuple[bytes, bytes]:
        """Return head and body as they are sent; raises the error of an invalid answer."""
        is_head = self._is_head
        if not self.may_leave():
            reply = self.service.refused(503, UNSAVED)
        length = said_length(reply.fields) if is_head else None
        head = self.open(reply, len(reply.body) if length is None else length).head
        return head, b"" if is_head or never_has_body(reply.status) else reply.body

    def may_leave(self) -> bool:
        """Return whether the answer may be sent right now."""
        saves = self.service.saves
        return saves is None or saves.may_leave(self.environ, self._began)

    def open(self, reply: AppReply, length: int | None) -> Composed:
        """Return the head of an answer, and how its body ends."""
        service = self.service
        composed = compose(
            reply.status,
            reply.fields,
            length,
            service.date.line(service.loop.now),
            is_modern=self.environ["SERVER_PROTOCOL"] == "HTTP/1.1",
            keep_alive=self._keep_alive and not service.is_stopping,
        )
        self._keep_alive = composed.keep_alive
        reply.is_begun = True
        return composed

    def done(self) -> None:
        """Continue with the next request after the answer was sent."""
        self.connection.answered(self._keep_alive)

    def fail(self, reply: AppReply, error: Exception) -> None:
        """Answer with an internal error, or break the connection if it is too late for that."""
        service = self.service
        service.log("an answer could not be sent", error)
        if self._has_failed or reply.is_begun:
            self.connection.reset()
        else:
            self._has_failed = True
            self.deliver(service.refused(500, "the server failed"))

    def let_go(self, reply: AppReply) -> None:
        """Discard an answer that will not be sent."""
        if reply.source is not None:
            discard(self.service, reply.source)


class Stream:
    """One lazy body being sent, on the loop's thread; at the end the exchange is done, or the connection is reset."""

    def __init__(self, exchange: Exchange, reply: AppReply, source: LazyBody) -> None:
        self._exchange = exchange
        self._connection = exchange.connection
        self._reply = reply
        self._source = source
        self._is_still = False  # bytes are on their way, or all is done
        self._end = End.LENGTH
        self._room = 0
        self._connection.on_close = lambda: discard(self._connection.service, self._source)
        self._have_more_made()

    def _have_more_made(self) -> None:
        if not _have_made(self._connection.service, self._source, self._go_on, TAKEN_AHEAD):
            self._fail(RuntimeError(NO_THREAD))

    def _go_on(self) -> None:
        if self._is_still or self._connection.is_closed:
            return
        data, is_idle, is_finished = self._source.look()
        if self._source.error is not None:
            self._fail(self._source.error)
        elif is_finished and not self._reply.is_begun:
            self._send_whole(data)
        elif data:
            self._send(data)
        elif is_finished:
            self._send_end()
        elif is_idle:
            self._have_more_made()

    def _fail(self, error: Exception) -> None:
        self._is_still = True
        self._connection.on_close = None
        discard(self._connection.service, self._source)
        self._exchange.fail(self._reply, error)

    def _send_whole(self, data: bytes) -> None:
        """Send a body that was complete before anything was sent, like one that is not lazy."""
        self._is_still = True
        self._connection.on_close = None
        self._reply.body += data
        self._reply.source = None
        self._exchange.deliver(self._reply)

    def _send(self, data: bytes) -> None:
        self._is_still = True
        saves = self._connection.service.saves
        if saves is None:
            self._send_saved(data, True)
        else:
            saves.all_of(self._exchange.environ, partial(self._send_saved, data))

    def _send_saved(self, data: bytes, is_saved: bool) -> None:
        if self._connection.is_closed:
            return
        if not (is_saved and self._exchange.may_leave()):
            self._fail(OSError(UNSAVED))
            return
        head = b""
        if not self._reply.is_begun:
            try:
                composed = self._exchange.open(self._reply, said_length(self._reply.fields))
                self._end = composed.end
                self._room = composed.length
                head = composed.head
            except Exception as error:
                self._fail(error)
                return
            data = self._reply.body + data
        if self._end is End.CHUNKS:
            data = chunk(data)
        elif self._end is End.LENGTH:
            data = data[: self._room]
            self._room -= len(data)
        self._connection.send(head + data, self._sent)

    def _sent(self) -> None:
        self._is_still = False
        self._connection.service.loop.soon(self._go_on)

    def _send_end(self) -> None:
        self._is_still = True
        self._connection.on_close = None
        if self._room:
            self._fail(ValueError(f"the body is {self._room} bytes shorter than its Content-Length"))
        elif self._end is End.CHUNKS:
            self._connection.send(LAST_CHUNK, self._exchange.done)
        else:
            self._exchange.done()


def gather(exchange: Exchange, reply: AppReply, source: LazyBody, then: Callable[[], object]) -> None:
    """Read a whole lazy body into the reply, and call `then`."""
    connection = exchange.connection

    def look() -> None:
        if not source.is_finished or connection.is_closed or reply.source is None:
            return
        connection.on_close = None
        reply.source = None
        reply.body += source.look()[0]
        if source.error is not None:
            exchange.fail(reply, source.error)
        else:
            then()

    connection.on_close = lambda: discard(connection.service, source)
    connection.work()
    if not _have_made(connection.service, source, look, math.inf):
        connection.on_close = None
        exchange.fail(reply, RuntimeError(NO_THREAD))


def discard(service: Service, source: LazyBody) -> None:
    """Discard a lazy body that is no longer needed."""
    if source.abandon() and not service.pool.submit(source.close):
        source.close()


def _have_made(service: Service, source: LazyBody, then: Callable[[], object], ahead: float) -> bool:
    """Have a pool thread generate the body, and call `then` on the loop when there is a part."""
    source.begin()
    is_on_its_way = service.pool.submit(partial(source.work, partial(service.loop.soon, then), ahead))
    if not is_on_its_way:
        source.close()
    return is_on_its_way
