"""What all connections of one server share: app, loop, pool, time and memory limits; and the states of a connection."""

from __future__ import annotations

import json
import logging
import struct
import sys
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Final, Protocol
from wsgiref.types import WSGIApplication

from msgspec import Struct, field

from mock_server.keyed import Keyed
from mock_server.server.answer import DateField, status_line
from mock_server.server.loop import Loop
from mock_server.server.parser import Limits
from mock_server.server.pool import Pool, Turns
from mock_server.server.wsgi import AppReply

WordedRefusal = tuple[int, Sequence[tuple[str, str]], bytes]
Refuse = Callable[[int, str, object], WordedRefusal]
Log = Callable[[str, Exception | None], object]

NEVER: Final = float("inf")
NO_FAREWELL: Final = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
"""Socket option: closing the socket resets the connection."""
UNSAVED: Final = "the data of this call is not saved"
"""Why an answer is held back if state is persistent."""
ELSEWHERE: Final = "another replica owns the workspace of this call"
"""Beginning of the reason if a call could not be passed on."""
PASSED_ON: Final = "mock_server.passed_on"
"""The environ key of a call that another replica has passed on."""
FULL: Final = "incoming requests use all the memory that they may use"


class ConnectionState(Enum):
    """The state of a connection."""

    READING = "waiting for a request, or the rest of one"
    WORKING = "the app is generating the answer, or more of it"
    HELD = "the answer waits, and is not sent if the client disconnects before"
    HANGING = "the same, but the answer may never come: a shutdown does not wait for it"
    WRITING = "waiting for the client to receive what was sent"
    LINGERING = "our side is closed, and further data from the client is discarded"
    CLOSED = "closed"


class Patience(Struct, frozen=True):
    """Time limits for clients, in seconds of real time.

    `head_s` is for a whole head, and for each next piece of a body; `body_s` for a whole body; `idle_s` for the next
    request; `write_s` for a client that does not read; `linger_s` for pauses of one that continues to send after the
    last answer, `leave_s` in total.
    """

    head_s: float = 30.0
    body_s: float = 60.0
    idle_s: float = 75.0
    write_s: float = 30.0
    linger_s: float = 2.0
    leave_s: float = 30.0


class Guest(Protocol):
    """A connection, as seen by the code that manages all of them."""

    deadline: float

    @property
    def is_slow(self) -> bool:
        """Whether a request has begun to arrive and is not complete, or an answer is not received."""

    def make_room(self) -> None:
        """End this request, or the connection with its answer."""

    def expire(self) -> None: ...
    def stop(self) -> None: ...
    def close(self) -> None: ...


class OwnerLine(Protocol):
    """A connection to the replica that owns the workspace of a client's calls."""

    def say_all(self) -> None:
        """Let the owner know that the client has closed its own side."""

    def close(self) -> None:
        """End with the client's connection."""


class Room:
    """The memory of requests that arrive or are processed, and of answers on their way: one limit for all together.

    A request that fits into one read of a socket and is answered at once is not counted.
    Everything runs on the loop's thread.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: dict[Guest, int] = {}
        self.taken = 0
        """The total number of bytes."""

    def keep(self, connection: Guest, size: int) -> None:
        """Note the size of an unfinished request or answer; over the limit, the largest of both end."""
        self.taken += size - self._kept.get(connection, 0)
        self._kept[connection] = size
        while self.taken > self.most and connection.is_slow:
            largest = max((one for one in self._kept if one.is_slow), key=self._kept.__getitem__)
            largest.make_room()  # so that small calls can continue

    def leave(self, connection: Guest) -> None:
        """Note that a connection uses no memory any more; can be repeated."""
        self.taken -= self._kept.pop(connection, 0)


class Saves(Protocol):
    """Saves persistent state before anything that shows it is sent."""

    def begin(self, loop: Loop) -> None:
        """Sets the loop that sends answers."""

    def all_of(self, environ: dict[str, Any], then: Callable[[bool], object]) -> bool:
        """Save all changes so far, and return whether everything that this call's answer shows is saved.

        Return false if that is reported later, on the loop.
        """

    def may_leave(self, environ: dict[str, Any], began: float) -> bool:
        """Return whether the answer to a call that began at a time of the loop may be sent right now."""


class Service(Struct, eq=False):
    """The app, its options for the server, and the loop, pool and limits."""

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
    turns: Turns
    between: Keyed
    """Proves to a replica that a call comes from another one."""
    connections: set[Guest] = field(default_factory=set)
    is_stopping: bool = False
    saves: Saves | None = None
    count_passed: Callable[[str], object] = lambda result: None
    elsewhere: int = 0
    """The number of calls that other replicas are answering now."""

    def forget(self, connection: Guest) -> None:
        """Remove a closed connection; a server that is shutting down ends with the last one."""
        self.connections.discard(connection)
        if self.is_stopping and not self.connections:
            self.loop.stop()

    def refused(self, status: int, reason: str, limit: object = None) -> AppReply:
        """Return the answer to a request that the server itself refuses."""
        try:
            code, fields, body = self.refuse(status, reason, limit)
            body = bytes(body)
        except Exception as error:
            self.log("an error could not be rendered", error)
            code, fields, body = plain_refusal(status, reason)
        return AppReply(status_line(code), fields, body)


def plain_refusal(status: int, reason: str, limit: object = None) -> WordedRefusal:
    """Return a minimal error, as JSON; the reason says the limit."""
    body = json.dumps({"error": {"type": "invalid_request", "message": reason}}).encode()
    return status, [("Content-Type", "application/json")], body


def log_plainly(text: str, error: Exception | None) -> None:
    """Write to the package's log."""
    logging.getLogger("mock_server.server").error(text, exc_info=error)
