"""The sockets that a server listens on, and how they accept clients."""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Callable
from typing import Any, Final

from mock_server.server.loop import READ, Loop
from mock_server.server.service import Log
from mock_server.server.wsgi import base_environ

BACKLOG: Final = 4096
ATTEMPTS: Final = 20
ACCEPTED_AT_ONCE: Final = 64
RETRY_S: Final = 0.1
OUT_OF_ROOM: Final = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
LOOPBACKS: Final = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))


def listen(host: str, port: int) -> list[socket.socket]:
    """Listen on every address of the host, on one port; 0 takes a free one.

    `localhost` means both loopback addresses if the machine has both, as clients try either first; `::` includes IPv4.
    Raises OSError if the port is in use.
    """
    if host != "localhost":
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return [_listen(family, host, port)]
    for _ in range(ATTEMPTS if port == 0 else 1):
        listeners = _listen_on_loopbacks(port)
        if listeners:
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


Wrap = Callable[[socket.socket], socket.socket]
"""Adds TLS to a client's socket."""


class ListeningSocket:
    """One listening socket; `welcome` gets each client's socket and the shared part of its requests' environs."""

    def __init__(
        self,
        sock: socket.socket,
        loop: Loop,
        log: Log,
        welcome: Callable[[socket.socket, dict[str, Any]], object],
        wrap: Wrap | None = None,
    ) -> None:
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
        """Accept clients."""
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
        self._loop.later(RETRY_S, self._reopen)

    def _reopen(self) -> None:
        if self._sock.fileno() >= 0:
            self.open()
