"""The event loop: one thread that waits for sockets, timers and other threads, and runs their callbacks.

Callbacks must be short: every connection waits for them. The standard library's selectors return all ready sockets at
once. With many busy clients, the last of such a list have waited for all others, and new data from the first waits for
another whole list. A few at a time take turns as in a queue. Linux can return a few; elsewhere the rest waits here.
"""

from __future__ import annotations

import heapq
import math
import select
import selectors
import socket
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Final

from mock_server.clock import Clock
from mock_server.domain.faults import Waitable

READ: Final = selectors.EVENT_READ
WRITE: Final = selectors.EVENT_WRITE

Handler = Callable[[int], None]
"""Called with the events for which its socket is ready."""
_Ready = list[tuple[Handler, int]]


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

    def poll(self, timeout_s: float | None, most: int) -> _Ready:
        """Return up to a number of ready sockets; waits for the first one, with None for ever."""
        # Rounded up to its milliseconds: what falls due in less would otherwise be looked for again and again.
        wait = -1 if timeout_s is None else math.ceil(timeout_s * 1e3) * 1e-3
        ready: _Ready = []
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

    def poll(self, timeout_s: float | None, most: int) -> _Ready:
        if not self._waiting:
            self._waiting.extend(self._selector.select(timeout_s))
        few = [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]
        known = self._selector.get_map()
        # What waited may have been forgotten, closed, or watched anew for something else.
        return [(key.data, mask) for key, mask in few if known.get(key.fd) == key]

    def close(self) -> None:
        self._selector.close()


Poller = Epoll | Selector
BEST: Final[Callable[[], Poller]] = Epoll if hasattr(select, "epoll") else Selector


AT_ONCE: Final = 16
"""This number of sockets is read, then answered, then written: switching between the kernel's code and ours with every
call is slower (measured: a tenth of a create), and no client waits long for the others."""
KEPT_CANCELLED: Final = 256


class Loop:
    """Watches sockets and runs callbacks on the thread that called `run`.

    Only `soon` and `wake` may be called from other threads; a signal handler calls both, since it may have
    interrupted the loop's own wait. `on_error` gets the exceptions of callbacks, and the loop continues.
    """

    def __init__(
        self, clock: Clock, on_error: Callable[[Exception], object], make: Callable[[], Poller] = BEST
    ) -> None:
        self.monotonic = clock.monotonic
        self._on_error = on_error
        self._poller = make()
        self.watch, self.forget = self._poller.watch, self._poller.forget
        self._timers = Timers()
        self._soon: deque[Callable[[], object]] = deque()
        self._read: list[Callable[[], object]] = []
        self._to_write: list[Callable[[], object]] = []
        self._is_alone = False
        self.is_answering = False
        """Whether writing should wait until the other sockets' calls are answered: see `when_answered`."""
        self._awake, self.waker = socket.socketpair()
        self._awake.setblocking(False)
        self.waker.setblocking(False)
        self._woken = False
        self._thread: int | None = None
        self._running = False
        self.now = self.monotonic()
        self._poller.watch(self._awake, READ, self._rest)

    def later(self, seconds: float, then: Callable[[], object]) -> Timer:
        """Call `then` after a number of seconds of real time."""
        return self._timers.add(self.monotonic() + seconds, then)

    def soon(self, then: Callable[[], object]) -> None:
        """Call `then` on the loop's thread, after its current work."""
        self._soon.append(then)
        if threading.get_ident() != self._thread:
            self.wake()

    def when_read(self, then: Callable[[], object]) -> None:
        """Call `then` when the other ready sockets have been read too; only from a handler."""
        if self._is_alone:
            then()
        else:
            self._read.append(then)

    def when_answered(self, then: Callable[[], object]) -> None:
        """Call `then` when the other calls have been answered too; only while `is_answering`."""
        self._to_write.append(then)

    def wake(self) -> None:
        """Make the loop check its clock and callbacks again."""
        if not self._woken:
            self._woken = True
            with suppress(OSError):  # its buffer is full, so the loop wakes anyway; or it is closed
                self.waker.send(b"\0")

    @property
    def is_own_thread(self) -> bool:
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
        """End `run` after this iteration; only on the loop's thread."""
        self._running = False

    def close(self) -> None:
        self._poller.close()
        self._awake.close()
        self.waker.close()

    def _turn(self) -> None:
        wait_s = 0.0 if self._soon else None
        if wait_s is None and (at := self._timers.next_at()) is not None:
            wait_s = max(0.0, at - self.monotonic())
        ready = self._poller.poll(wait_s, AT_ONCE)
        self.now = self.monotonic()
        self._serve(ready)
        for due in self._timers.take_due(self.now):
            self._call(due)
        for _ in range(len(self._soon)):
            self._call(self._soon.popleft())

    def _serve(self, ready: _Ready) -> None:
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

    def _call(self, then: Callable[[], object]) -> None:
        try:
            then()
        except Exception as error:
            self._on_error(error)

    def _rest(self, mask: int) -> None:
        self._awake.recv(4096)
        self._woken = False


class Timer:
    """One scheduled callback; if it is cancelled, it is not called."""

    __slots__ = ("then",)

    def __init__(self, then: Callable[[], object]) -> None:
        self.then: Callable[[], object] | None = then

    def cancel(self) -> None:
        """Cancel the callback; has no effect if repeated, or after the callback was called."""
        self.then = None


class Timers:
    """The timers of one loop; times are seconds of the loop's clock."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Timer]] = []
        self._numbers = count()
        self._most = KEPT_CANCELLED

    def add(self, at: float, then: Callable[[], object]) -> Timer:
        if len(self._heap) > self._most:  # most of it may be cancelled: that does not accumulate
            self._heap = [entry for entry in self._heap if entry[2].then is not None]
            heapq.heapify(self._heap)
            self._most = 2 * len(self._heap) + KEPT_CANCELLED
        timer = Timer(then)
        heapq.heappush(self._heap, (at, next(self._numbers), timer))
        return timer

    def next_at(self) -> float | None:
        """Return the time of the earliest timer, None without any."""
        heap = self._heap
        while heap and heap[0][2].then is None:
            heapq.heappop(heap)
        return heap[0][0] if heap else None

    def take_due(self, now: float) -> list[Callable[[], object]]:
        """Remove and return the callbacks that are due, earliest first."""
        due: list[Callable[[], object]] = []
        while (at := self.next_at()) is not None and at <= now:
            timer = heapq.heappop(self._heap)[2]
            if timer.then is not None:
                due.append(timer.then)
                timer.then = None
        return due


class Wait:
    """Calls `then` once, on the loop: with true when the future is done, with false on timeout."""

    __slots__ = ("_then", "_timer")

    def __init__(
        self, loop: Loop, seconds: float, then: Callable[[bool], object], future: Waitable | None = None
    ) -> None:
        self._then: Callable[[bool], object] | None = then
        self._timer = loop.later(seconds, partial(self._end, False))
        if future is not None:
            future.add_done_callback(lambda _: loop.soon(partial(self._end, True)))  # on any thread

    def cancel(self) -> None:
        self._then = None
        self._timer.cancel()

    def _end(self, is_done: bool) -> None:
        then = self._then
        if then is not None:
            self.cancel()
            then(is_done)
