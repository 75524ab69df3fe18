"""Faults of connections: plans as values, and how bodies are cut.

The app leaves a plan in the WSGI environ; our server carries it out, or `server/emulate.py` with another server, both
by the table in `server/faults.py`. The names are those of the scenario language (ours).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from enum import StrEnum
from typing import Any, Protocol, Self

from msgspec import Struct

LINE = "mock_server.line"
"""The environ key of a `LinePlan`."""
PARKED = "mock_server.parked"
"""The environ key of a `Parked`."""
HAS_LEFT = "mock_server.has_left"
"""The environ key of what says to a call that may take long whether its client has left."""
LEFT_FIRST = "mock_server.left_first"
"""The environ key of what is called once if the connection ends before its answer, with whether the server stops."""
CONNECTION = "mock_server.connection"
"""The environ key of the connection's number, from 1 in each server."""
CARRIED_OUT = "mock_server.server"
"""The environ key that says, when true, that the server itself carries plans out."""

SHOWN = "mock_server.shown"
"""The environ key of the space that a call is about, if data is stored on disk."""


class ComeAgain(BaseException):
    """Raised on the server's loop if something must be read first: the call is made again after that.

    Not an `Exception`, so that nothing handles it as a failure; raised before the call has changed anything.
    """

    def __init__(self, ready: Waitable) -> None:
        super().__init__()
        self.ready = ready


class PassOn(BaseException):
    """Raised if another replica, at `url`, owns what a call is about; the server's loop passes the call on.

    Not an `Exception`, and raised before the call has changed anything. `forget` has the owner looked for again.
    """

    def __init__(self, url: str, forget: Callable[[], object] = lambda: None) -> None:
        super().__init__(url)
        self.url = url
        self.forget = forget


class TakesLong(BaseException):
    """Raised on the server's loop if a call may take long, as the first of a page does: it is made again on a thread.

    Not an `Exception`, and raised before the call has changed anything.
    """


def leave_loop(environ: Mapping[str, Any]) -> None:
    """Has a call that may take long made on a thread, so that no other waits for it; nothing with another server."""
    if CARRIED_OUT in environ and HAS_LEFT not in environ:
        raise TakesLong


class LineFault(StrEnum):
    """How the connection fails: what the client takes it for, in a story's word; None if it gets the whole answer."""

    taken_for: str | None
    has_status: bool
    """Whether the client receives a status line."""

    def __new__(cls, name: str, taken_for: str | None = None, has_status: bool = True) -> Self:
        made = str.__new__(cls, name)
        made._value_, made.taken_for, made.has_status = name, taken_for, has_status
        return made

    CONNECTION_RESET = "connection_reset", "reset", False
    EMPTY_RESPONSE = "empty_response", "empty", False
    TRUNCATED_BODY = "truncated_body", "truncated"
    MALFORMED_JSON = "malformed_json", "malformed"
    SLOW_BODY = "slow_body"
    HANG = "hang", "timeout", False


class Waitable(Protocol):
    """Something that ends later; a `concurrent.futures.Future` is one."""

    def add_done_callback(self, fn: Callable[[Any], object], /) -> object:
        """Call `fn` once when it has ended, from any thread; immediately if it has ended already."""


class Deliverable(Protocol):
    """A whole answer: status, headers, body."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Sequence[tuple[str, str]]: ...

    @property
    def body(self) -> bytes: ...


class LinePlan(Struct, frozen=True):
    """What happens to one finished answer; every time is real time in seconds.

    The first byte is sent after `delay_s`. `keep` is the share of the body that `truncated_body` and `malformed_json`
    send; `slow_body` sends `pieces` parts, `pause_s` apart.
    """

    delay_s: float = 0.0
    fault: LineFault | None = None
    keep: float = 0.5
    pieces: int = 20
    pause_s: float = 0.2


class Parked(Struct, frozen=True):
    """An answer that comes later, as a long poll's does.

    `come` makes the answer of what `ready` has, off the thread that set it: many may wait for that one. After
    `timeout_s` (real time) `ready` is cancelled, and what `late` makes is sent; if the client has left, it is cancelled
    too, and nothing is sent. A line plan beside it applies to the answer that is sent.
    """

    ready: Future[Any]
    timeout_s: float
    late: Callable[[], Deliverable]
    come: Callable[[Any], Deliverable] = lambda answer: answer

    def changed(self, change: Callable[[Deliverable], Deliverable]) -> Parked:
        """The same, with what `change` makes of the answer when it is sent."""
        return Parked(self.ready, self.timeout_s, lambda: change(self.late()), lambda found: change(self.come(found)))


def cut(body: bytes, keep: float) -> bytes:
    """Return the first part of a body: the share `keep` of it, and never all."""
    return body[: min(int(len(body) * keep), len(body) - 1)]


def malformed(body: bytes, keep: float) -> bytes:
    """Return the body as invalid JSON, with an open bracket: objects and arrays are cut, others get a `{` before."""
    start = body.lstrip()
    return (cut(start, keep) or start[:1]) if start.startswith((b"{", b"[")) else b"{" + body


def pieces(body: bytes, count: int) -> list[bytes]:
    """Return the body in at most `count` pieces of nearly the same length, none of them empty."""
    length = max(1, -(-len(body) // max(1, count)))
    return [body[at : at + length] for at in range(0, len(body), length)]
