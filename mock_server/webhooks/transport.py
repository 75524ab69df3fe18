"""What carries a request to its receiver, and which way leads to an address: the network, or an app in this process."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Final, NamedTuple, Protocol
from urllib.parse import urlsplit

from mock_server.webhooks.signing import Headers
from mock_server.webhooks.targets import host_of, is_allowed

LONGEST_EXCERPT: Final = 2_048
"""So many bytes of an answer's body are read and kept (ours); the rest is nobody's business."""
LONGEST_HEAD: Final = 4_096
"""So many characters of an answer's headers are kept (ours)."""


class Response(NamedTuple):
    """What a receiver answered; `body` is the beginning of it."""

    status: int
    headers: Headers = ()
    body: bytes = b""


class Unanswered(Exception):
    """No answer came; the text says why in the same words on every machine."""


def timed_out(timeout_s: float) -> str:
    """What is said of a receiver that did not answer in time."""
    return f"no answer within {timeout_s:g} s"


class Wire:
    """One request's way out, in the hands of two threads: one sends, the other may give up on it."""

    __slots__ = ("_cut", "_is_cut", "_lock", "_sent")

    def __init__(self, sent: Callable[[], object] | None = None) -> None:
        self._sent = sent
        self._cut: Callable[[], object] | None = None
        self._is_cut = False
        self._lock = Lock()

    def sent(self) -> None:
        """Says that the whole request has left."""
        if self._sent is not None:
            self._sent()

    def cut_by(self, cut: Callable[[], object]) -> None:
        """Says how the line can be cut from now on."""
        with self._lock:
            self._cut = cut
            is_cut = self._is_cut
        if is_cut:
            cut()

    def cut(self) -> None:
        """Cuts the line: whoever waits for its answer waits no longer."""
        with self._lock:
            self._is_cut, cut = True, self._cut
        if cut is not None:
            cut()


class Transport(Protocol):
    """A way to receivers."""

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Response:
        """Sends a POST and waits for its answer, in all at most so long. Raises Unanswered."""
        ...


def excerpt(pairs: Headers) -> Headers:
    """The headers that are kept of an answer: as many as there is room for."""
    room, kept = LONGEST_HEAD, []
    for name, value in pairs:
        room -= len(name) + len(value)
        if room < 0:
            break
        kept.append((name, value))
    return tuple(kept)


class Routing:
    """A transport made of others; the network's is made when it is first needed, and reaches only these hosts."""

    def __init__(self, network: Callable[[], Transport], hosts: tuple[str, ...] = ()) -> None:
        self._make = network
        self._hosts = hosts
        self._network: Transport | None = None
        self._inside: dict[str, Transport] = {}

    def connect(self, origin: str, transport: Transport) -> Callable[[], None]:
        """Leads everything for an origin (`http://app.test`) there; gives the undo."""
        self._inside[origin_of(origin)] = transport
        return lambda: self._disconnect(origin, transport)

    def _disconnect(self, origin: str, transport: Transport) -> None:
        if self._inside.get(origin_of(origin)) is transport:
            del self._inside[origin_of(origin)]

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
