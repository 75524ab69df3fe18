"""The event loop: one thread that waits for sockets, instants and other threads, and calls what they woke.

What is called here must be short: every connection waits for it.
"""

from __future__ import annotations

import socket
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from mock_server.clock import Clock
from mock_server.server.poller import READ, Poller, Ready, poller
from mock_server.server.timers import Timer, Timers

AT_ONCE: Final = 16
"""So many sockets are read, then answered, then written to: a processor that turns from the system's code to ours and
back with every call is slower at both (measured: a tenth of a create), and no client waits long for the others."""


class Loop:
    """Watches sockets and runs callbacks on the thread that called `run`.

    Only `soon` and `wake` may be called from other threads; a signal handler calls both, since it may have
    interrupted the loop's own waiting. `on_error` gets what a callback raised, and the loop goes on.
    """

    def __init__(
        self, clock: Clock, on_error: Callable[[Exception], object], make: Callable[[], Poller] = poller
    ) -> None:
        self._clock = clock
        self._on_error = on_error
        self._poller = make()
        self._timers = Timers()
        self._soon: deque[Callable[[], object]] = deque()
        self._read: list[Callable[[], object]] = []
        self._to_write: list[Callable[[], object]] = []
        self._is_alone = False
        self.is_answering = False
        """Whether what is written now should wait until the other sockets' calls are answered: see `when_answered`."""
        self._awake, self._waker = socket.socketpair()
        self._awake.setblocking(False)
        self._waker.setblocking(False)
        self._woken = False
        self._thread: int | None = None
        self._running = False
        self.now = clock.monotonic()
        self._poller.watch(self._awake, READ, self._rest)

    def watch(self, sock: socket.socket, interest: int, handler: Callable[[int], None]) -> None:
        """Call `handler` with what the socket is ready for, while that is of `interest`."""
        self._poller.watch(sock, interest, handler)

    def forget(self, sock: socket.socket) -> None:
        """Watch the socket no more."""
        self._poller.forget(sock)

    def later(self, seconds: float, then: Callable[[], object]) -> Timer:
        """Call `then` after so many seconds of real time."""
        return self._timers.add(self._clock.monotonic() + seconds, then)

    def soon(self, then: Callable[[], object]) -> None:
        """Call `then` on the loop's thread, after what it is doing now."""
        self._soon.append(then)
        if threading.get_ident() != self._thread:
            self.wake()

    def when_read(self, then: Callable[[], object]) -> None:
        """Call `then` when the sockets that are ready beside this one have been read too; from a handler."""
        if self._is_alone:
            then()
        else:
            self._read.append(then)

    def when_answered(self, then: Callable[[], object]) -> None:
        """Call `then` when the others have been answered too; while `is_answering`."""
        self._to_write.append(then)

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
        self._poller.close()
        self._awake.close()
        self._waker.close()

    def _turn(self) -> None:
        ready = self._poller.poll(self._patience(), AT_ONCE)
        self.now = self._clock.monotonic()
        self._serve(ready)
        for due in self._timers.take_due(self.now):
            self._call(due)
        for _ in range(len(self._soon)):
            self._call(self._soon.popleft())

    def _serve(self, ready: Ready) -> None:
        self._is_alone = len(ready) == 1
        for handler, mask in ready:
            try:
                handler(mask)
            except Exception as error:
                self._on_error(error)
        if self._read:
            read, self._read = self._read, []
            self.is_answering = True
            for then in read:
                self._call(then)
            self.is_answering = False
            to_write, self._to_write = self._to_write, []
            for then in to_write:
                self._call(then)

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
