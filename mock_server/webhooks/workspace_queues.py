"""The deliveries of one workspace: those that wait, those in progress, and the threads that work on them."""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future
from operator import attrgetter
from threading import Condition, Lock, Thread
from typing import Final, NamedTuple

from msgspec import Struct, field

from mock_server.store.protocol import Due
from mock_server.webhooks.planning import DeliveryContext
from mock_server.webhooks.sending import Promise, Sending

WIDTH: Final = 4
"""Maximum number of simultaneous attempts of one workspace for one address (ours)."""
STAGGER_S: Final = 0.1
"""How long a slow receiver delays its workspace's next event (ours)."""
FOR_EVER: Final = float("inf")
_order = attrgetter("entry.at", "entry.sequence")


class WaitingDelivery(NamedTuple):
    """A due delivery that waits for its address: its entry, and the queue that waits for it."""

    entry: Due
    queue: str


class Queue(Struct, eq=False):
    """The deliveries to one address, in order, and their workers."""

    waiting: deque[WaitingDelivery] = field(default_factory=deque)
    workers: int = 0
    newest_s: float = 0.0

    def wait_s(self, now_s: float) -> float:
        """How long until another worker may start: 0, a moment, or for ever (no work, or one has to end first)."""
        if not self.waiting or self.workers >= WIDTH:
            return FOR_EVER
        return max(0.0, self.newest_s + STAGGER_S - now_s) if self.workers else 0.0


class WorkspaceQueues(Struct, eq=False):
    """The queues of one workspace. The lock is held only to inspect or change them, never during a request."""

    context: DeliveryContext
    lock: Lock = field(default_factory=Lock)
    by_address: dict[str, Queue] = {}
    sendings: dict[int, Sending] = {}
    awaited: dict[str, Promise] = {}
    """What is to be sent before all others, and was not started yet, by event."""

    @property
    def is_idle(self) -> bool:
        """Whether nothing is going on."""
        return not self.sendings and not any(queue.workers for queue in tuple(self.by_address.values()))

    # workers

    def wait_s(self, now_s: float) -> float:
        """How long until another worker may start for any address."""
        with self.lock:
            return min((queue.wait_s(now_s) for queue in self.by_address.values()), default=FOR_EVER)

    def begin(self, now_s: float) -> list[str]:
        """Reserves another worker for each address that may have one."""
        with self.lock:
            found = [address for address, queue in self.by_address.items() if queue.wait_s(now_s) <= 0]
            for address in found:
                self.by_address[address].workers += 1
                self.by_address[address].newest_s = now_s
        return found

    def end(self, address: str) -> None:
        """Notes that a worker has ended."""
        with self.lock:
            queue = self.by_address[address]
            queue.workers -= 1
            if not queue.workers and not queue.waiting:
                del self.by_address[address]

    # what waits; with the lock held

    def take_out(self, event_id: str) -> WaitingDelivery | None:
        """Takes an event's delivery before all others."""
        for queue in self.by_address.values():
            for waiting in queue.waiting:
                if waiting.entry.subject == event_id:
                    queue.waiting.remove(waiting)
                    return waiting
        return None

    def empty(self) -> list[WaitingDelivery]:
        """Takes everything that waits, in order."""
        found = sorted((waiting for queue in self.by_address.values() for waiting in queue.waiting), key=_order)
        for queue in self.by_address.values():
            queue.waiting.clear()
        return found

    # what is on its way

    def put(self, sending: Sending) -> None:
        """Adds an attempt in progress; with the lock held."""
        self.sendings[id(sending)] = sending
        queue = self.by_address.get(sending.job.target.url)
        if queue is not None:
            queue.newest_s = sending.began_s

    def drop(self, sending: Sending) -> None:
        """Removes an attempt whose result is saved."""
        with self.lock:
            self.sendings.pop(id(sending), None)

    def on_its_way(self) -> list[Sending]:
        with self.lock:
            return list(self.sendings.values())

    def promise(self, event_id: str) -> Promise:
        """What a caller waits for: the attempt in progress of an event, or the one to come."""
        with self.lock:
            found = (one.promise for one in self.sendings.values() if one.job.entry.subject == event_id)
            return next(found, None) or self.awaited.setdefault(event_id, Promise(Future(), Future()))


MOST: Final = 512
"""Maximum number of simultaneous deliveries in all workspaces (ours), without urgent ones."""
SHARE: Final = 64
"""Maximum number of them for one address (ours), while half of all are free; otherwise one."""
IDLE_S: Final = 5.0
Work = Callable[[], object]

_LOG: Final = logging.getLogger("mock_server.webhooks")


class WorkerPool:
    """Runs work on daemon threads: in order for each address, and the addresses take turns."""

    def __init__(self, most: int = MOST, idle_s: float = IDLE_S, share: int = SHARE) -> None:
        self._most = most
        self._idle_s = idle_s
        self._share = share
        self._waiting: dict[str, deque[Work]] = {}
        self._granted: deque[tuple[Work, str | None]] = deque()
        self._at_work: Counter[str] = Counter()
        """The number of threads of each address, including granted work that has not started."""
        self._changed = Condition()
        self._threads = 0
        self._idle = 0
        self._closed = False

    @property
    def is_idle(self) -> bool:
        """Whether nothing is in progress and nothing waits."""
        with self._changed:
            return not self._waiting and not self._granted and self._idle == self._threads

    def take(self, work: Work, address: str = "", *, urgent: bool = False) -> None:
        """Runs it as soon as its address may use another thread; at once if somebody waits for it."""
        with self._changed:
            if self._closed:
                return
            if urgent:
                self._granted.appendleft((work, None))
            else:
                self._waiting.setdefault(address, deque()).append(work)
            grows = self._grant(self._idle)
        self._start(grows)

    def close(self) -> None:
        """Starts nothing more; work in progress continues."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._granted.clear()
            self._changed.notify_all()

    def _grant(self, free: int) -> int:
        """Grants work that may start, and reserves threads if there are not enough free ones; with the lock held."""
        while (address := self._next_address()) is not None:
            works = self._waiting.pop(address)
            self._granted.append((works.popleft(), address))
            self._at_work[address] += 1
            if works:
                self._waiting[address] = works
        grows = max(0, len(self._granted) - free)
        self._threads += grows
        self._changed.notify(len(self._granted))
        return grows

    def _next_address(self) -> str | None:
        """The address that is next; with the lock held."""
        at_work = self._at_work.total()
        if at_work >= self._most:
            return None
        share = self._share if 2 * at_work < self._most else 1
        return next((address for address in self._waiting if self._at_work[address] < share), None)

    def _start(self, count: int) -> None:
        for at in range(count):
            try:
                Thread(target=self._run, name="sandbox-delivery", daemon=True).start()
            except RuntimeError:  # the system starts no more threads; the existing ones continue
                with self._changed:
                    self._threads -= count - at
                _LOG.warning("no more threads can be started, so deliveries wait for the existing ones")
                return

    def _run(self) -> None:
        while (granted := self._next()) is not None:
            work, address = granted
            try:
                work()
            except Exception:
                _LOG.exception("a delivery failed with an internal error")
            del work, granted
            self._end(address)

    def _end(self, address: str | None) -> None:
        with self._changed:
            if address is not None:
                self._at_work[address] -= 1
                if not self._at_work[address]:
                    del self._at_work[address]
            grows = self._grant(self._idle + 1)
        self._start(grows)

    def _next(self) -> tuple[Work, str | None] | None:
        with self._changed:
            self._idle += 1
            try:
                self._changed.wait_for(lambda: self._granted or self._closed, self._idle_s)
            finally:
                self._idle -= 1
            if self._granted and not self._closed:
                return self._granted.popleft()
            self._threads -= 1
            return None
