"""How a request reaches its receiver: over the network, or as a WSGI or ASGI app in this process, without a socket."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from itertools import accumulate
from threading import Lock, current_thread, main_thread
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol
from urllib.parse import unquote

from msgspec import Struct
from werkzeug import test

from mock_server.addresses import split, timed_out
from mock_server.clock import SystemClock
from mock_server.webhooks.planning import host_of, is_allowed
from mock_server.webhooks.signing import Headers

if TYPE_CHECKING:
    import asyncio

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


class Wire:
    """One outgoing request, shared by two threads: one sends, the other may cancel it."""

    __slots__ = ("_cut", "_lock", "is_cut", "sent")

    def __init__(self, sent: Callable[[], object] = lambda: None) -> None:
        self.sent = sent
        """Notes that the whole request was sent."""
        self._cut: Callable[[], object] | None = None
        self.is_cut = False
        self._lock = Lock()

    def cut_by(self, cut: Callable[[], object]) -> None:
        """Sets how the connection can be cut from now on."""
        with self._lock:
            self._cut = cut
            is_cut = self.is_cut
        if is_cut:
            cut()

    def cut(self) -> None:
        """Cuts the connection, which ends the wait for its answer."""
        with self._lock:
            self.is_cut, cut = True, self._cut
        if cut is not None:
            cut()


class Transport(Protocol):
    """A way to reach receivers."""

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Response:
        """Sends a POST and waits for its answer, with a total time limit. Raises Unanswered."""


def excerpt(pairs: Headers) -> Headers:
    """The stored headers of an answer: as many as fit."""
    lengths = accumulate(len(name) + len(value) for name, value in pairs)
    return tuple(pair for pair, length in zip(pairs, lengths, strict=True) if length <= LONGEST_HEAD)


class Routing(Struct, eq=False):
    """Combines transports; the one for the network is created on first use, and reaches only these hosts."""

    _make: Callable[[], Transport]
    _hosts: tuple[str, ...] = ()
    _network: Transport | None = None
    _inside: dict[str, Transport] = {}

    def connect(self, origin: str, transport: Transport) -> Callable[[], None]:
        """Sends all for an origin (`http://app.test`) there; gives the undo. ValueError: another workspace's app."""
        key = origin_of(origin)
        if getattr(self._inside.get(key), "made", None) not in (None, getattr(transport, "made", None)):
            raise ValueError(f"an app of another workspace is connected at {key}; give each its own url")
        self._inside[key] = transport

        def disconnect() -> None:
            if self._inside.get(key) is transport:
                del self._inside[key]

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
    parts = split(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class WsgiTransport(Struct, eq=False):
    """Calls the app on the thread that delivers."""

    _app: WsgiApp

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Response:
        started: list[tuple[Any, Any]] = []

        def start_response(status: Any, fields: Any, _: Any = None) -> Callable[[bytes], object]:
            started.append((status, fields))
            return lambda data: None

        wire.sent()
        with _of_the_app():
            excerpted = _beginning(self._app(environ_of(url, body, headers), start_response))
        if not started:
            raise Unanswered("the app did not start its answer")
        status, fields = started[-1]
        number = re.match("[0-9]{3}(?= |$)", status) if isinstance(status, str) else None
        return _answer(int(number[0]) if number else None, fields, excerpted)


@contextmanager
def _of_the_app() -> Iterator[None]:
    """Raises Unanswered for anything that an app raises; but what ends the main thread's work is not only the app's."""
    kinds = Exception if current_thread() is main_thread() else BaseException
    try:
        yield
    except kinds as problem:
        raise Unanswered(f"the app raised {type(problem).__name__}") from problem


def _answer(status: object, fields: Any, body: bytes) -> Response:
    """What an app answered. Raises Unanswered if no server could send that."""
    with suppress(TypeError, ValueError):
        pairs = tuple((name + "", value + "") for name, value in fields)
        if isinstance(status, int) and 100 <= status <= 999:
            return Response(int(status), pairs, body)
    raise Unanswered("the app's answer is not HTTP")


def _beginning(answer: Iterable[bytes]) -> bytes:
    """The first bytes of an answer; the rest is not requested."""
    kept = b""
    try:
        for piece in answer:
            kept += piece[: LONGEST_EXCERPT - len(kept)]
            if len(kept) >= LONGEST_EXCERPT:
                break
    finally:
        getattr(answer, "close", lambda: None)()
    return kept


def environ_of(url: str, body: bytes, headers: Headers) -> dict[str, Any]:
    """The request as WSGI puts it (PEP 3333)."""
    parts = split(url)
    made = test.EnvironBuilder(
        parts.path or "/",
        f"{parts.scheme}://{parts.netloc}",
        query_string=parts.query,
        method="POST",
        data=body,
        headers=list(headers),
        multithread=True,
        environ_overrides={"REMOTE_ADDR": "127.0.0.1"},
    )
    return made.get_environ()


Message = MutableMapping[str, Any]
AsgiApp = Callable[[Any, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]


class AsgiTransport(Struct, eq=False):
    """Runs the app until its answer is complete, with one event loop per request, so nothing remains afterwards."""

    _app: AsgiApp

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Response:
        import asyncio  # late: only apps of this sort need it

        exchange = _Exchange(body, asyncio.Event())

        async def run() -> list[None]:
            asyncio.get_running_loop().time = SystemClock.monotonic  # type: ignore[method-assign]  # none stops it
            app = asyncio.ensure_future(self._app(scope_of(url, headers), exchange.receive, exchange.send))
            app.add_done_callback(lambda it: it.cancelled() or it.exception())  # or it is logged what stopped it
            return [ended.result() for ended in (await asyncio.wait((app,), timeout=timeout_s))[0]]

        wire.sent()
        with _of_the_app():
            ended = asyncio.run(run())
        if not ended:
            raise Unanswered(timed_out(timeout_s))
        if exchange.status is None or not exchange.is_whole:
            raise Unanswered(f"the app did not {'start' if exchange.status is None else 'end'} its answer")
        return _answer(exchange.status, exchange.headers, exchange.body)


class _Exchange(Struct, eq=False):
    """What an app receives and sends."""

    _body: bytes | None
    _ended: asyncio.Event
    status: object = None
    headers: Headers = ()
    body: bytes = b""
    is_whole: bool = False

    async def receive(self) -> Message:
        if self._body is None:
            await self._ended.wait()  # who waits for an answer does not hang up before: some apps look out for that
            return {"type": "http.disconnect"}
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            pairs = message.get("headers", ())
            self.headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in pairs)
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")[: LONGEST_EXCERPT - len(self.body)]
            self.is_whole = not message.get("more_body", False)
            if self.is_whole:
                self._ended.set()


def scope_of(url: str, headers: Headers) -> dict[str, Any]:
    """The request as ASGI puts it (ASGI 3.0, HTTP connection scope)."""
    parts = split(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    pairs = [("host", parts.netloc), *headers]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": parts.scheme,
        "path": unquote(parts.path or "/"),
        "raw_path": (parts.path or "/").encode("ascii", "replace"),
        "query_string": parts.query.encode("ascii", "replace"),
        "root_path": "",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in pairs],
        "client": ("127.0.0.1", 0),
        "server": (parts.hostname or "", port),
    }
