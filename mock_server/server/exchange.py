"""One request and its answer: the call of the app, what the line does to the answer, and its way out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from mock_server.domain.faults import HAS_LEFT, LEFT_FIRST, LINE, PARKED
from mock_server.server import line
from mock_server.server.answer import Composed, compose, never_has_body, said_length
from mock_server.server.parser import Request
from mock_server.server.stream import Stream, discard
from mock_server.server.wsgi import Reply, call

if TYPE_CHECKING:
    from mock_server.server.connection import Connection


class Exchange:
    """What happens between a whole request and the end of its answer."""

    __slots__ = ("_has_failed", "_is_head", "_keep_alive", "_service", "connection", "environ")

    def __init__(self, connection: Connection, request: Request) -> None:
        self.connection = connection
        self.environ = environ = request.environ
        environ.update(connection.base)
        self._service = connection.service
        self._is_head = environ["REQUEST_METHOD"] == "HEAD"
        self._keep_alive = request.keep_alive
        self._has_failed = False

    def begin(self) -> None:
        """Call the app and answer."""
        self.make(self._call)

    def make(self, make: Callable[[], Reply]) -> None:
        """Have the answer made here and now, or on a thread of the pool if this path may block; and answer."""
        service = self._service
        if not service.slow(self.environ["PATH_INFO"]):
            self.answer(self._guarded(make))
            return
        self.environ[HAS_LEFT] = self.connection.has_left
        self.connection.work()
        if not service.pool.submit(partial(self._make_elsewhere, make)):
            self.deliver(service.refused(503, "too many calls are being worked on"))

    def answer(self, reply: Reply) -> None:
        """Send an answer as the plans that the app left want it."""
        environ = self.environ
        if LEFT_FIRST in environ:  # an answer that was parked comes here twice
            self.connection.on_left = environ.pop(LEFT_FIRST)
        if self.connection.is_closed:
            self.let_go(reply)
        elif PARKED in environ:
            self.let_go(reply)
            line.park(self, environ.pop(PARKED))
        elif LINE in environ:
            line.carry_out(self, reply, environ.pop(LINE))
        else:
            self.deliver(reply)

    def deliver(self, reply: Reply) -> None:
        """Send an answer as it is."""
        if reply.source is not None:
            self.connection.work()
            Stream(self, reply, reply.source).start()
            return
        try:
            head, body = self.composed(reply)
        except Exception as error:
            self.fail(reply, error)
            return
        self.connection.send(head + body, self.done)

    def composed(self, reply: Reply) -> tuple[bytes, bytes]:
        """Return head and body as they go over the wire; raise what an unsound answer brings about."""
        is_head = self._is_head
        length = said_length(reply.fields) if is_head else None
        head = self.open(reply, len(reply.body) if length is None else length).head
        return head, b"" if is_head or never_has_body(reply.status) else reply.body

    def open(self, reply: Reply, length: int | None) -> Composed:
        """Return the head of an answer, and what it says about its end."""
        service = self._service
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
        """Go on to the next request: the answer has been sent."""
        self.connection.answered(self._keep_alive)

    def fail(self, reply: Reply, error: Exception) -> None:
        """Answer that the server failed, or break the line if that cannot be said any more."""
        service = self._service
        service.log("an answer could not be sent", error)
        if self._has_failed or reply.is_begun:
            self.connection.reset()
        else:
            self._has_failed = True
            self.deliver(service.refused(500, "the server failed"))

    def let_go(self, reply: Reply) -> None:
        """Forget an answer that will not be sent."""
        if reply.source is not None:
            discard(self._service, reply.source)

    def _call(self) -> Reply:
        return call(self._service.app, self.environ)

    def _guarded(self, make: Callable[[], Reply]) -> Reply:
        try:
            return make()
        except Exception as error:
            service = self._service
            service.log("the app failed", error)
            return service.refused(500, "the server failed")

    def _make_elsewhere(self, make: Callable[[], Reply]) -> None:
        """Make the answer on this thread of the pool, and have it sent by the loop."""
        self._service.loop.soon(partial(self.answer, self._guarded(make)))
