"""What one workspace's deliveries are doing: what waits for its turn, who is at work, what is on its way."""

from __future__ import annotations

from collections import deque
from operator import attrgetter
from threading import Lock
from typing import Final, NamedTuple

from mock_server.store.protocol import Due
from mock_server.webhooks.delivery_context import DeliveryContext
from mock_server.webhooks.sending import Sending

WIDTH: Final = 4
"""So many attempts of one workspace wait for one address at one moment (ours)."""
STAGGER_S: Final = 0.1
"""How long a slow receiver holds up its workspace's next event for it (ours): up to then each waits for the one
before.
"""
FOR_EVER: Final = float("inf")
_order = attrgetter("entry.at", "entry.sequence")


class WaitingDelivery(NamedTuple):
    """A delivery that is due and whose address has not come to it: its entry, and the queue that it keeps busy."""

    entry: Due
    queue: str


class Queue:
    """One address's deliveries, in their order, and the workers at them."""

    __slots__ = ("newest_s", "waiting", "workers")

    def __init__(self) -> None:
        self.waiting: deque[WaitingDelivery] = deque()
        self.workers = 0
        self.newest_s = 0.0

    def wait_s(self, now_s: float) -> float:
        """How long until one more worker may begin: 0, a moment, or for ever (there is no work, or one has to end)."""
        if not self.waiting or self.workers >= WIDTH:
            return FOR_EVER
        return max(0.0, self.newest_s + STAGGER_S - now_s) if self.workers else 0.0


class WorkspaceQueues:
    """One workspace's queues. Its lock is held for a look and for taking on, never while something is on the wire."""

    def __init__(self, context: DeliveryContext) -> None:
        self.context = context
        self.lock = Lock()
        self.by_address: dict[str, Queue] = {}
        self.sendings: dict[int, Sending] = {}

    @property
    def is_idle(self) -> bool:
        """Whether nothing is going on."""
        return not self.sendings and not any(queue.workers for queue in tuple(self.by_address.values()))

    # workers

    def wait_s(self, now_s: float) -> float:
        """How long until one more worker may begin anywhere."""
        with self.lock:
            return min((queue.wait_s(now_s) for queue in self.by_address.values()), default=FOR_EVER)

    def begin(self, now_s: float) -> list[str]:
        """Books one more worker for each address that may have one."""
        with self.lock:
            found = [address for address, queue in self.by_address.items() if queue.wait_s(now_s) <= 0]
            for address in found:
                self.by_address[address].workers += 1
                self.by_address[address].newest_s = now_s
        return found

    def end(self, address: str) -> None:
        """A worker has gone."""
        with self.lock:
            queue = self.by_address[address]
            queue.workers -= 1
            if not queue.workers and not queue.waiting:
                del self.by_address[address]

    # what waits; with the lock held

    def queue_up(self, address: str, waiting: WaitingDelivery) -> None:
        """One more for an address."""
        self.by_address.setdefault(address, Queue()).waiting.append(waiting)

    def take_out(self, event_id: str) -> WaitingDelivery | None:
        """Takes an event's delivery past all others."""
        for queue in self.by_address.values():
            for waiting in queue.waiting:
                if waiting.entry.subject == event_id:
                    queue.waiting.remove(waiting)
                    return waiting
        return None

    def empty(self) -> list[WaitingDelivery]:
        """Takes everything that waits, in its order."""
        found = sorted((waiting for queue in self.by_address.values() for waiting in queue.waiting), key=_order)
        for queue in self.by_address.values():
            queue.waiting.clear()
        return found

    # what is on its way

    def put(self, sending: Sending) -> None:
        """Something is on its way; with the lock held."""
        self.sendings[id(sending)] = sending
        queue = self.by_address.get(sending.job.target.url)
        if queue is not None:
            queue.newest_s = sending.began_s

    def drop(self, sending: Sending) -> None:
        """It is in the books."""
        with self.lock:
            self.sendings.pop(id(sending), None)

    def on_its_way(self) -> list[Sending]:
        """Everything that is."""
        with self.lock:
            return list(self.sendings.values())

    def of_event(self, event_id: str) -> Sending | None:
        """What is on its way of an event."""
        return next((sending for sending in self.on_its_way() if sending.job.event.event_id == event_id), None)
