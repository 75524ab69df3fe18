"""What can happen to an answer on its way out: plans as values, and the cuts that carry them out.

The app leaves a plan in the WSGI environ; our server carries it out, or `server/emulate.py` with another server, both
by the table in `server/faults.py`. Kinds and words: the line channel of the scenario language (ours).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, Protocol

from msgspec import Struct

LINE = "mock_server.line"
"""The environ key of a `LinePlan`."""
PARKED = "mock_server.parked"
"""The environ key of a `Parked`."""
HAS_LEFT = "mock_server.has_left"
"""The environ key of what tells a call that may take long whether its client has left."""
LEFT_FIRST = "mock_server.left_first"
"""The environ key of what is to be told, once, if the client goes before its answer is wholly written."""
CONNECTION = "mock_server.connection"
"""The environ key of the connection's number, from 1 in each server."""
CARRIED_OUT = "mock_server.server"
"""The environ key that says, when true, that the server itself carries plans out."""


SHOWN = "mock_server.shown"
"""The environ key of the space that a call is about, where state outlives the process."""


class ComeAgain(BaseException):
    """Raised on the server's loop where something is still to be read: the call is made again when that is done.

    No `Exception`, so that nobody on the way takes it for a failure; raised before the call has changed anything.
    """

    def __init__(self, ready: Waitable) -> None:
        super().__init__()
        self.ready = ready


class PassOn(BaseException):
    """Raised where another replica owns what a call is about; `url` is the address which that one says it has.

    The server's loop passes the call on. No `Exception`, and raised before the call has changed anything.
    """

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


class LineFault(StrEnum):
    """How the line breaks."""

    CONNECTION_RESET = "connection_reset"
    EMPTY_RESPONSE = "empty_response"
    TRUNCATED_BODY = "truncated_body"
    MALFORMED_JSON = "malformed_json"
    SLOW_BODY = "slow_body"
    HANG = "hang"


class Waitable(Protocol):
    """Something that will be done; `concurrent.futures.Future` is one."""

    def add_done_callback(self, fn: Callable[[Any], object], /) -> object:
        """Call `fn` once when it is done, from any thread; at once if it is done already."""
        ...


class Promised(Waitable, Protocol):
    """A whole answer that will come; a `concurrent.futures.Future` of an answer is one."""

    def result(self, timeout: float | None = None) -> Deliverable:
        """Return the answer; raise TimeoutError when it has not come after `timeout` seconds."""
        ...

    def cancel(self) -> bool:
        """Say that nobody waits for it any more."""
        ...


class Deliverable(Protocol):
    """A whole answer: status, headers, body."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Sequence[tuple[str, str]]: ...

    @property
    def body(self) -> bytes: ...


class LinePlan(Struct, frozen=True):
    """What the line does with one finished answer; every time is real time in seconds.

    The first byte leaves when `delay_s` is over and `hold` is done, which is waited for at most
    `hold_timeout_s`; both run from the moment the answer is finished. `keep` is the share of the body that
    `truncated_body` and `malformed_json` let through; `slow_body` sends `pieces` parts, `pause_s` apart.
    """

    delay_s: float = 0.0
    fault: LineFault | None = None
    hold: Waitable | None = None
    hold_timeout_s: float = 3.0
    keep: float = 0.5
    pieces: int = 20
    pause_s: float = 0.2


class Parked(Struct, frozen=True):
    """An answer that comes later, as a long poll's does.

    Whoever waits cancels `ready` when `timeout_s` (real time) is over, then sending what `late` makes, or when
    the client has left, then sending nothing. A line plan beside it is carried out on the answer that came.
    """

    ready: Promised
    timeout_s: float
    late: Callable[[], Deliverable]


def cut(body: bytes, keep: float) -> bytes:
    """Return the first part of a body: the share `keep` of it, and never all."""
    return body[: min(int(len(body) * keep), len(body) - 1)] if body else body


def malformed(body: bytes, keep: float) -> bytes:
    """Return the body as no JSON parser takes it: an object or array is cut, before anything else one opens.

    A proper beginning of an object or array leaves a bracket open; so does a value behind a single `{`.
    """
    start = body.lstrip()
    if not start.startswith((b"{", b"[")):
        return b"{" + body
    return cut(start, keep) or start[:1]


def pieces(body: bytes, count: int) -> list[bytes]:
    """Return the body in at most `count` pieces of nearly the same length, none of them empty."""
    length = max(1, -(-len(body) // max(1, count)))
    return [body[at : at + length] for at in range(0, len(body), length)]
