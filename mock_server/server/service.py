"""What all connections of one server share."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from mock_server.server.answer import DateField, status_line
from mock_server.server.loop import Loop
from mock_server.server.parser import Limits
from mock_server.server.pool import Pool
from mock_server.server.room import Room
from mock_server.server.wsgi import Reply

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

    from mock_server.server.connection import Connection

Refusal = tuple[int, Sequence[tuple[str, str]], bytes]
Refuse = Callable[[int, str], Refusal]
Log = Callable[[str, Exception | None], object]


class Patience(Struct, frozen=True):
    """How long clients are waited for, in seconds of real time.

    `head_s` is for a whole head, and for each next piece of a body; `body_s` for a whole body; `idle_s` for the next
    request; `write_s` for a client that does not read; `linger_s` for one that goes on sending after the last answer,
    `leave_s` in all.
    """

    head_s: float = 30.0
    body_s: float = 60.0
    idle_s: float = 75.0
    write_s: float = 30.0
    linger_s: float = 2.0
    leave_s: float = 30.0


class Service(Struct, eq=False):
    """The app, what it wants the server to do around it, and the machinery."""

    app: WSGIApplication
    slow: Callable[[str], bool]
    refuse: Refuse
    log: Log
    limits: Limits
    patience: Patience
    loop: Loop
    pool: Pool
    date: DateField
    room: Room
    connections: set[Connection] = field(default_factory=set)
    is_stopping: bool = False

    def forget(self, connection: Connection) -> None:
        """Drop a connection that has closed; a server that is to stop ends with the last one."""
        self.connections.discard(connection)
        if self.is_stopping and not self.connections:
            self.loop.stop()

    def refused(self, status: int, reason: str) -> Reply:
        """Return the answer to what the server itself refuses."""
        reply = Reply()
        try:
            code, fields, body = self.refuse(status, reason)
            body = bytes(body)
        except Exception as error:
            self.log("a refusal could not be worded", error)
            code, fields, body = plain_refusal(status, reason)
        reply.status, reply.fields, reply.body = status_line(code), fields, body
        return reply


def plain_refusal(status: int, reason: str) -> Refusal:
    """Return the least that a refusal says, as JSON."""
    body = json.dumps({"error": {"type": "invalid_request", "message": reason}}).encode()
    return status, [("Content-Type", "application/json")], body


def log_plainly(text: str, error: Exception | None) -> None:
    """Write to the package's log."""
    logging.getLogger("mock_server.server").error(text, exc_info=error)
