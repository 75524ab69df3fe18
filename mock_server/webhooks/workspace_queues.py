"""The deliveries of one workspace: those that wait, and those in progress."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future
from operator import attrgetter
from threading import Lock
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
