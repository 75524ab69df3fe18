"""The server: it listens on its sockets, accepts clients, and ends."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from itertools import count
from operator import itemgetter
from types import FrameType
from typing import Any, Final, Self
from wsgiref.types import WSGIApplication

from mock_server.addresses import reachable
from mock_server.clock import Clock, SystemClock
from mock_server.domain.faults import CONNECTION, TakesLong
from mock_server.keyed import Keyed
from mock_server.randomness import Randomness
from mock_server.server.answer import DateField
from mock_server.server.connection import Connection
from mock_server.server.faults import begin
from mock_server.server.loop import READ, Loop
from mock_server.server.parser import BodyAllowed, Limits
from mock_server.server.pool import Pool, Turns
from mock_server.server.service import Log, Patience, Refuse, Room, Saves, Service, log_plainly, plain_refusal
from mock_server.server.wsgi import base_environ

MAX_GRACE_S: Final = 1.8
WATCH_EVERY_S: Final = 1.0


class Server:
    """Serves a WSGI app: ordinary calls on one thread, calls that may block on a growing pool.

    It listens as soon as it is created. `slow` says which paths may block, and `caller` who calls; `max_body`, in
    bytes, for all calls or by method and path, is not called up to `short_body`; `max_room` limits the bodies and the
    unread answers of all calls together; `refuse` gives status, fields and body of the server's own errors (400, 408,
    413, 414, 431, 500, 503 …) by status, reason and limit; `on_log` gets internal errors, with the exception; `saves`
    saves data before answers are sent; `count_passed` gets the result of each call that is passed on to another
    replica, which has the same `secret`. Raises OSError if it cannot listen.
    """

    def __init__(
        self,
        app: WSGIApplication,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        slow: Callable[[str], bool] = lambda path: False,
        caller: Callable[[Mapping[str, Any]], Hashable] = itemgetter(CONNECTION),
        max_body: int | Callable[[str, str], BodyAllowed] = 1_048_576,
        short_body: int = 0,
        max_room: int = 134_217_728,
        max_working: int = 512,
        refuse: Refuse = plain_refusal,
        on_log: Log = log_plainly,
        patience: Patience = Patience(),  # noqa: B008 - frozen
        clock: Clock = SystemClock(),  # noqa: B008 - one for all
        saves: Saves | None = None,
        count_passed: Callable[[str], object] = lambda result: None,
        secret: bytes | None = None,
    ) -> None:
        sockets = listen(host, port)
        allowed = max_body if callable(max_body) else lambda method, path: BodyAllowed(max_body)
        on_error = partial(on_log, "unexpected error in the server")
        self._loop = Loop(clock, on_error)
        self._service = Service(
            app=app,
            slow=slow,
            refuse=refuse,
            log=on_log,
            limits=Limits(short=short_body, body=allowed),
            patience=patience,
            loop=self._loop,
            pool=Pool(on_error, max_working),
            date=DateField(clock),
            room=Room(max_room),
            turns=Turns(caller),
            saves=saves,
            count_passed=count_passed,
            between=Keyed(secret or Randomness(None, "").root),
        )
        if saves is not None:
            saves.begin(self._loop)
        self._listeners = [ListeningSocket(sock, self._loop, on_log, self._welcome) for sock in sockets]
        self._numbers = count(1)
        self._is_watching = False
        self._grace_s = 0.0
        # A bare lock, held while serving: unlike an Event it can be waited for in a signal handler that has
        # interrupted the same waiting.
        self._serving = threading.Lock()
        self.host = host
        self.port = self._listeners[0].port
        self.tls_port: int | None = None

    @property
    def address(self) -> str:
        """The base URL under which a client on this machine reaches the server."""
        return reachable(self.host, self.port)

    @property
    def tls_address(self) -> str | None:
        """The same over TLS; None without."""
        return None if self.tls_port is None else reachable(self.host, self.tls_port, "https")

    def listen_over_tls(self, port: int, wrap: _Wrap) -> None:
        """Listen on another port with TLS; call this before serving. Raises OSError if it cannot."""
        for sock in listen(self.host, port):
            self._listeners.append(ListeningSocket(sock, self._loop, self._service.log, self._welcome, wrap))
        self.tls_port = self._listeners[-1].port

    def serve_forever(self) -> None:
        """Serve on this thread until `shutdown` is called."""
        if self._serving.acquire(blocking=False):
            self._serve()

    def start(self) -> Self:
        """Serve on a new thread; requests are answered from now on."""
        if self._serving.acquire(blocking=False):
            threading.Thread(target=self._serve, name="payment-sandbox-server", daemon=True).start()
        return self

    def stop_on_signals(self, grace_s: float, numbers: Iterable[signal.Signals]) -> None:
        """Shut down on these signals from now on; call this on the main thread."""

        def stop(signum: int, frame: FrameType | None) -> None:
            signal.set_wakeup_fd(-1)  # the loop will close its end
            self.shutdown(grace_s)

        # Python calls `stop` between two of its steps; this wakes a wait that began just before it could.
        signal.set_wakeup_fd(self._loop.waker.fileno(), warn_on_full_buffer=False)
        for number in numbers:
            signal.signal(number, stop)

    def shutdown(self, grace_s: float = 1.0) -> None:
        """Shut down: waiting connections at once, calls in progress after at most `grace_s` (and 1.8 s).

        Can be called from any thread, and repeatedly. Returns when the server has ended; on the server's own
        thread, in the app or a signal handler, it returns earlier.
        """
        self._grace_s = min(grace_s, MAX_GRACE_S)
        self._loop.soon(self._stop)
        self._loop.wake()
        if self._loop.is_own_thread:
            return
        if self._serving.acquire(timeout=self._grace_s + 0.2):
            self._close()
            self._serving.release()

    def leave_loop(self) -> None:
        """Have the present call made on a thread of the pool, unless it is there already."""
        if self._loop.is_own_thread:
            raise TakesLong

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self.shutdown()

    def _serve(self) -> None:
        try:
            if self._service.is_stopping:  # it was shut down before it started
                return
            for listener in self._listeners:
                listener.open()
            self._service.pool.submit(int)  # its first thread: once the main one has ended, Python 3.12 starts none
            self._loop.run()
        finally:
            self._close()
            self._serving.release()

    def _welcome(self, sock: socket.socket, base: dict[str, Any]) -> None:
        Connection(self._service, sock, {**base, CONNECTION: next(self._numbers)}, begin)
        if not self._is_watching:
            self._is_watching = True
            self._loop.later(WATCH_EVERY_S, self._watch)

    def _watch(self) -> None:
        """Enforce the deadlines of connections, as long as there are any."""
        connections = self._service.connections
        for connection in tuple(connections):
            if connection.deadline <= self._loop.now:
                connection.expire()
        self._is_watching = bool(connections)
        if connections:
            self._loop.later(WATCH_EVERY_S, self._watch)

    def _stop(self) -> None:
        if self._service.is_stopping:
            return
        self._service.is_stopping = True
        for listener in self._listeners:
            listener.close()
        for connection in tuple(self._service.connections):
            connection.stop()
        if self._service.connections:
            self._loop.later(self._grace_s, self._loop.stop)
        else:
            self._loop.stop()

    def _close(self) -> None:
        """Release everything; can be repeated."""
        self._service.is_stopping = True
        for listener in self._listeners:
            listener.close()
        for connection in tuple(self._service.connections):
            connection.close()
        self._service.pool.close()
        self._loop.close()


BACKLOG: Final = 4096
ATTEMPTS: Final = 20
ACCEPTED_AT_ONCE: Final = 64
RETRY_S: Final = 0.1
SPARE: Final = 16
"""How many descriptors clients leave for imports, files and receivers, of few a quarter (ours)."""
OUT_OF_ROOM: Final = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
LOOPBACKS: Final = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))


def listen(host: str, port: int) -> list[socket.socket]:
    """Listen on every address of the host, on one port; 0 takes a free one.

    `localhost` means both loopback addresses if the machine has both, as clients try either first; `::` includes IPv4.
    Raises OSError if the port is in use.
    """
    if host != "localhost":
        return [_listen(socket.AF_INET6 if ":" in host else socket.AF_INET, host, port)]
    for _ in range(ATTEMPTS if port == 0 else 1):
        if listeners := _listen_on_loopbacks(port):
            return listeners
    raise OSError(errno.EADDRINUSE, f"port {port} of localhost is in use")


def _listen_on_loopbacks(port: int) -> list[socket.socket]:
    """Return a listener for each loopback address, none if the port is free on only one of them."""
    listeners: list[socket.socket] = []
    for family, host in LOOPBACKS:
        try:
            listeners.append(_listen(family, host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                for listener in listeners:
                    listener.close()
                return []
        else:
            port = listeners[0].getsockname()[1]
    return listeners


def _listen(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform == "win32":  # there, REUSEADDR would let two servers have one port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, int(host != "::"))
        sock.bind((host, port))
        sock.listen(BACKLOG)
        sock.setblocking(False)
    except BaseException:
        sock.close()
        raise
    return sock


def _leave_spare(sock: socket.socket) -> None:
    """Raises OSError if one more client would take a descriptor that is spare."""
    if sys.platform != "win32":
        next_one, most = socket.dup(sock.fileno()), os.sysconf("SC_OPEN_MAX")  # pyfakefs replaces os.dup and os.close
        socket.close(next_one)
        if 0 < most <= next_one + min(SPARE, most // 4):  # negative without a limit
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


_Welcome = Callable[[socket.socket, dict[str, Any]], object]
_Wrap = Callable[[socket.socket], socket.socket]
"""Adds TLS to a client's socket."""


class ListeningSocket:
    """One listening socket; `welcome` gets each client's socket and the shared part of its requests' environs."""

    def __init__(self, sock: socket.socket, loop: Loop, log: Log, welcome: _Welcome, wrap: _Wrap | None = None) -> None:
        self._sock = sock
        self._loop = loop
        self._log = log
        self._welcome = welcome
        self._wrap = wrap
        self._is_open = False
        self._is_full = False
        host, self.port = sock.getsockname()[:2]
        self._base = base_environ(host, self.port, "https" if wrap else "http")

    def open(self) -> None:
        """Accept clients, unless it is closed."""
        if self._sock.fileno() >= 0:
            self._is_open = True
            self._loop.watch(self._sock, READ, self._accept)

    def close(self) -> None:
        """Accept no more clients; can be repeated."""
        self._shut()
        self._sock.close()

    def _shut(self) -> None:
        if self._is_open:
            self._is_open = False
            self._loop.forget(self._sock)

    def _accept(self, mask: int) -> None:
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                _leave_spare(self._sock)
                sock, peer = self._sock.accept()
            except BlockingIOError:
                return
            except OSError as error:  # there is no room, which can last; or the client has left already
                if error.errno in OUT_OF_ROOM:
                    self._pause()
                return
            self._is_full = False
            try:
                sock.setblocking(False)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self._wrap is not None:
                    sock = self._wrap(sock)
                self._welcome(sock, {**self._base, "REMOTE_ADDR": peer[0], "REMOTE_PORT": str(peer[1])})
            except OSError:  # the client has left, or the system watches no more sockets
                sock.close()

    def _pause(self) -> None:
        """Leave new clients in the queue for a moment, instead of trying to accept them again and again."""
        if not self._is_full:
            self._is_full = True
            self._log("no more connections can be opened for now", None)
        self._shut()
        self._loop.later(RETRY_S, self.open)
