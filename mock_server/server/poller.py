"""Which sockets are ready: a few at a time, in turn.

The standard library's selectors return all ready sockets at once. With many busy clients, the last of such a list have
waited for all others, and new data from the first waits for another whole list. A few at a time take turns as in a
queue. Linux can return a few; elsewhere the rest waits here.
"""

from __future__ import annotations

import math
import select
import selectors
import socket
from collections import deque
from collections.abc import Callable
from typing import Final

READ: Final = selectors.EVENT_READ
WRITE: Final = selectors.EVENT_WRITE

Handler = Callable[[int], None]
"""Called with the events for which its socket is ready."""
Ready = list[tuple[Handler, int]]


class Epoll:
    """Watches sockets with epoll, which returns ready sockets in turn."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._watched: dict[int, tuple[Handler, int]] = {}

    def watch(self, sock: socket.socket, interest: int, handler: Handler) -> None:
        """Report from now on when the socket is ready for `interest`; can be called again with another interest."""
        fd = sock.fileno()
        events = (select.EPOLLIN if interest & READ else 0) | (select.EPOLLOUT if interest & WRITE else 0)
        if fd in self._watched:
            self._epoll.modify(fd, events)
        else:
            self._epoll.register(fd, events)
        self._watched[fd] = handler, interest

    def forget(self, sock: socket.socket) -> None:
        """Watch the socket no more."""
        fd = sock.fileno()
        del self._watched[fd]
        self._epoll.unregister(fd)

    def poll(self, timeout_s: float | None, most: int) -> Ready:
        """Return up to a number of ready sockets; waits for the first one, with None for ever."""
        # Rounded up to its milliseconds: what falls due in less would otherwise be looked for again and again.
        wait = -1 if timeout_s is None else math.ceil(timeout_s * 1e3) * 1e-3
        ready: Ready = []
        for fd, events in self._epoll.poll(wait, most):
            handler, interest = self._watched[fd]
            # Errors and hang-ups are reported for any interest.
            mask = (READ if events & ~select.EPOLLOUT else 0) | (WRITE if events & ~select.EPOLLIN else 0)
            if mask & interest:
                ready.append((handler, mask & interest))
        return ready

    def close(self) -> None:
        self._epoll.close()


class Selector:
    """The same on any system."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._waiting: deque[tuple[selectors.SelectorKey, int]] = deque()

    def watch(self, sock: socket.socket, interest: int, handler: Handler) -> None:
        known = sock.fileno() in self._selector.get_map()
        (self._selector.modify if known else self._selector.register)(sock, interest, handler)

    def forget(self, sock: socket.socket) -> None:
        self._selector.unregister(sock)

    def poll(self, timeout_s: float | None, most: int) -> Ready:
        if not self._waiting:
            self._waiting.extend(self._selector.select(timeout_s))
        few = [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]
        known = self._selector.get_map()
        # What waited may have been forgotten, closed, or watched anew for something else.
        return [(key.data, mask) for key, mask in few if known.get(key.fd) == key]

    def close(self) -> None:
        self._selector.close()


Poller = Epoll | Selector


def poller() -> Poller:
    """The best one on this system."""
    return Epoll() if hasattr(select, "epoll") else Selector()
