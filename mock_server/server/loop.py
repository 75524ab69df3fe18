"""The event loop: one thread that waits for sockets, instants and other threads, and calls what they woke.

What is called here must be short: every connection waits for it.
"""

from __future__ import annotations

import selectors
import socket
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from mock_server.clock import Clock
from mock_server.server.timers import Timer, Timers

READ: Final = selectors.EVENT_READ
WRITE: Final = selectors.EVENT_WRITE


class Loop:
    """Watches sockets and runs callbacks on the thread that called `run`.

    Only `soon` and `wake` may be called from other threads; a signal handler calls both, since it may have
    interrupted the loop's own waiting. `on_error` gets what a callback raised, and the loop goes on.
    """

    def __init__(self, clock: Clock, on_error: Callable[[Exception], object]) -> None:
        self._clock = clock
        self._on_error = on_error
        self._selector = selectors.DefaultSelector()
        self._timers = Timers()
        self._soon: deque[Callable[[], object]] = deque()
        self._awake, self._waker = socket.socketpair()
        self._awake.setblocking(False)
        self._waker.setblocking(False)
        self._woken = False
        self._thread: int | None = None
        self._running = False
        self.now = clock.monotonic()
        self._selector.register(self._awake, READ, self._rest)

    def watch(self, sock: socket.socket, interest: int, handler: Callable[[int], None]) -> None:
        """Call `handler` with what the socket is ready for, while that is of `interest`."""
        self._selector.register(sock, interest, handler)

    def change(self, sock: socket.socket, interest: int, handler: Callable[[int], None]) -> None:
        """Change a watched socket's interest."""
        self._selector.modify(sock, interest, handler)

    def forget(self, sock: socket.socket) -> None:
        """Watch the socket no more."""
        self._selector.unregister(sock)

    def later(self, seconds: float, then: Callable[[], object]) -> Timer:
        """Call `then` after so many seconds of real time."""
        return self._timers.add(self._clock.monotonic() + seconds, then)

    def soon(self, then: Callable[[], object]) -> None:
        """Call `then` on the loop's thread, after what it is doing now."""
        self._soon.append(then)
        if threading.get_ident() != self._thread:
            self.wake()

    def wake(self) -> None:
        """Make the loop look at its clock and callbacks again."""
        if not self._woken:
            self._woken = True
            with suppress(OSError):  # its buffer is full, so the loop wakes anyway; or it is closed
                self._waker.send(b"\0")

    @property
    def is_own_thread(self) -> bool:
        """Whether the caller is on the loop's thread."""
        return threading.get_ident() == self._thread

    def run(self) -> None:
        """Serve until `stop` is called."""
        self._thread = threading.get_ident()
        self._running = True
        try:
            while self._running:
                self._turn()
        finally:
            self._thread = None

    def stop(self) -> None:
        """End `run` after this turn; on the loop's thread."""
        self._running = False

    def close(self) -> None:
        """Give the loop's own sockets back."""
        self._selector.close()
        self._awake.close()
        self._waker.close()

    def _turn(self) -> None:
        ready = self._selector.select(self._patience())
        self.now = self._clock.monotonic()
        for key, mask in ready:
            try:
                key.data(mask)
            except Exception as error:
                self._on_error(error)
        for due in self._timers.take_due(self.now):
            self._call(due)
        for _ in range(len(self._soon)):
            self._call(self._soon.popleft())

    def _patience(self) -> float | None:
        if self._soon:
            return 0.0
        at = self._timers.next_at()
        return None if at is None else max(0.0, at - self._clock.monotonic())

    def _call(self, then: Callable[[], object]) -> None:
        try:
            then()
        except Exception as error:
            self._on_error(error)

    def _rest(self, mask: int) -> None:
        self._awake.recv(4096)
        self._woken = False
