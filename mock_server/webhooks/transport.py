"""How a request reaches its receiver: over the network, or to an app in this process."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Final, NamedTuple, Protocol
from urllib.parse import urlsplit

from mock_server.webhooks.signing import Headers
from mock_server.webhooks.targets import host_of, is_allowed

LONGEST_EXCERPT: Final = 2_048
"""Maximum number of bytes of an answer's body that are read and stored (ours)."""
LONGEST_HEAD: Final = 4_096
"""Maximum number of characters of an answer's headers that are stored (ours)."""


class Response(NamedTuple):
    """A receiver's answer; `body` is its beginning."""

    status: int
    headers: Headers = ()
    body: bytes = b""


class Unanswered(Exception):
    """There was no answer; the text with the reason is the same on every machine."""


def timed_out(timeout_s: float) -> str:
    """The text for a receiver that did not answer in time."""
    return f"no answer within {timeout_s:g} s"


class Wire:
    """One outgoing request, shared by two threads: one sends, the other may cancel it."""

    __slots__ = ("_cut", "_is_cut", "_lock", "_sent")

    def __init__(self, sent: Callable[[], object] | None = None) -> None:
        self._sent = sent
        self._cut: Callable[[], object] | None = None
        self._is_cut = False
        self._lock = Lock()

    def sent(self) -> None:
        """Notes that the whole request was sent."""
        if self._sent is not None:
            self._sent()

    def cut_by(self, cut: Callable[[], object]) -> None:
        """Sets how the connection can be cut from now on."""
        with self._lock:
            self._cut = cut
            is_cut = self._is_cut
        if is_cut:
            cut()

    def cut(self) -> None:
        """Cuts the connection, which ends the wait for its answer."""
        with self._lock:
            self._is_cut, cut = True, self._cut
        if cut is not None:
            cut()


class Transport(Protocol):
    """A way to reach receivers."""

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Response:
        """Sends a POST and waits for its answer, with a total time limit. Raises Unanswered."""


def excerpt(pairs: Headers) -> Headers:
    """The stored headers of an answer: as many as fit."""
    room, kept = LONGEST_HEAD, []
    for name, value in pairs:
        room -= len(name) + len(value)
        if room < 0:
            break
        kept.append((name, value))
    return tuple(kept)


class Routing:
    """Combines transports; the one for the network is created on first use, and reaches only these hosts."""

    def __init__(self, network: Callable[[], Transport], hosts: tuple[str, ...] = ()) -> None:
        self._make = network
        self._hosts = hosts
        self._network: Transport | None = None
        self._inside: dict[str, Transport] = {}

    def connect(self, origin: str, transport: Transport) -> Callable[[], None]:
        """Sends everything for an origin (`http://app.test`) there; gives the undo."""
        place = origin_of(origin)
        self._inside[place] = transport

        def disconnect() -> None:
            if self._inside.get(place) is transport:
                del self._inside[place]

        return disconnect

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Response:
        transport = self._inside.get(origin_of(url)) if self._inside else None
        if transport is None:
            if not is_allowed(url, self._hosts):
                raise Unanswered(f"the setting webhook_hosts does not allow events to {host_of(url)}")
            transport = self._network = self._network or self._make()
        return transport.send(url, body, headers, timeout_s, wire)


def origin_of(url: str) -> str:
    """Scheme, host and port of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()
