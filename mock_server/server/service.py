"""What all connections of one server share: the app, the machinery, patience and room; and the states of each."""

from __future__ import annotations

import json
import logging
import struct
import sys
from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import Struct, field

from mock_server.server.answer import DateField, status_line
from mock_server.server.loop import Loop
from mock_server.server.parser import Limits, RequestRefused
from mock_server.server.pool import Pool
from mock_server.server.wsgi import AppReply

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

WordedRefusal = tuple[int, Sequence[tuple[str, str]], bytes]
Refuse = Callable[[int, str], WordedRefusal]
Log = Callable[[str, Exception | None], object]

NEVER: Final = float("inf")
NO_FAREWELL: Final = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
"""What a socket is told that shall break its connection off when it is closed."""
UNSAVED: Final = "the data of this call is not saved"
"""Why an answer is kept back where state outlives the process."""
ELSEWHERE: Final = "another replica owns the workspace of this call"
"""How a refusal's reason begins where that replica was not asked."""
PASSED_ON: Final = "mock_server.passed_on"
"""The environ key of a call that another replica has passed on to this one."""
FULL: Final = "incoming requests use all the memory that they may use"


class ConnectionState(Enum):
    """What a connection is about to do."""

    READING = "a request, or the rest of one, is waited for"
    WORKING = "the app is making the answer, or more of it"
    HELD = "the answer waits for its moment, and is not sent if the client leaves before"
    HANGING = "the same, but the answer may never come: the end of the server does not wait for it"
    WRITING = "the client has yet to take what was sent"
    LINGERING = "our side is closed, and what the client still sends is dropped"
    CLOSED = "nothing any more"


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


class Guest(Protocol):
    """A connection, as those see it who look after all of them."""

    is_partial: bool
    """Whether a request has begun to come and is not whole."""
    deadline: float

    def refuse(self, refused: RequestRefused) -> None: ...
    def expire(self) -> None: ...
    def stop(self) -> None: ...
    def close(self) -> None: ...


class OwnerLine(Protocol):
    """Over which a client's calls are passed on to the replica that owns what they are about."""

    def say_all(self) -> None:
        """Let the owner know that the client has closed its own side."""

    def close(self) -> None:
        """End with the client's connection."""


class Room:
    """The room that requests take while they come and are worked on: one bound for all connections together.

    What fits into one reading of a socket and is answered at once is not counted: it takes no room for longer than
    that. All of it on the loop's thread.
    """

    __slots__ = ("_kept", "most", "taken")

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: dict[Guest, int] = {}
        self.taken = 0
        """How many bytes there are in all."""

    def keep(self, connection: Guest, size: int) -> None:
        """Note how many bytes an unfinished request takes by now; the largest go when that is too much for all."""
        self.taken += size - self._kept.get(connection, 0)
        self._kept[connection] = size
        while self.taken > self.most and connection.is_partial:
            self._largest().refuse(RequestRefused(503, FULL))

    def leave(self, connection: Guest) -> None:
        """Note that a connection keeps nothing any more; again, this does nothing."""
        self.taken -= self._kept.pop(connection, 0)

    def _largest(self) -> Guest:
        """Return whose unfinished request takes most: so small calls go on while large ones fill the room."""
        return max((one for one in self._kept if one.is_partial), key=self._kept.__getitem__)


class Saves(Protocol):
    """What is done about state that outlives the process, before anything leaves that shows it."""

    def begin(self, loop: Loop) -> None:
        """Learn of the loop on which answers leave."""

    def all_of(self, environ: dict[str, Any], then: Callable[[bool], object]) -> bool:
        """Save what changed until now, and tell whether nothing that this call's answer shows is left unsaved.

        Return false where that is told later, on the loop.
        """

    def may_leave(self, environ: dict[str, Any], began: float) -> bool:
        """Return whether the answer to a call that began at an instant of the loop may be sent right now."""


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
    connections: set[Guest] = field(default_factory=set)
    is_stopping: bool = False
    saves: Saves | None = None
    count_passed: Callable[[str], object] = lambda result: None
    elsewhere: int = 0
    """How many calls are with other replicas now."""

    def forget(self, connection: Guest) -> None:
        """Drop a connection that has closed; a server that is to stop ends with the last one."""
        self.connections.discard(connection)
        if self.is_stopping and not self.connections:
            self.loop.stop()

    def refused(self, status: int, reason: str) -> AppReply:
        """Return the answer to what the server itself refuses."""
        reply = AppReply()
        try:
            code, fields, body = self.refuse(status, reason)
            body = bytes(body)
        except Exception as error:
            self.log("an error could not be rendered", error)
            code, fields, body = plain_refusal(status, reason)
        reply.status, reply.fields, reply.body = status_line(code), fields, body
        return reply


def plain_refusal(status: int, reason: str) -> WordedRefusal:
    """Return the least that a refusal says, as JSON."""
    body = json.dumps({"error": {"type": "invalid_request", "message": reason}}).encode()
    return status, [("Content-Type", "application/json")], body


def log_plainly(text: str, error: Exception | None) -> None:
    """Write to the package's log."""
    logging.getLogger("mock_server.server").error(text, exc_info=error)
