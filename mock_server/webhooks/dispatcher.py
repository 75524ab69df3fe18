"""Sends what is due, of every workspace, on a few threads; nothing is sent twice, and nobody is made to wait for it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from functools import partial
from threading import Lock
from typing import Final, NamedTuple

from mock_server.domain.delivery import Attempt
from mock_server.store.protocol import NEVER, Due, Space, Transaction
from mock_server.webhooks import delivery_log
from mock_server.webhooks.body import body
from mock_server.webhooks.delivery_context import DeliveryContext
from mock_server.webhooks.jobs import Job, Outcome
from mock_server.webhooks.problems import timed_out
from mock_server.webhooks.sending import Monotonic, Sending
from mock_server.webhooks.transport import Transport
from mock_server.webhooks.worker_pool import WorkerPool
from mock_server.webhooks.workspace_queues import Queue, Waiting, WorkspaceQueues

TURN: Final = 16
"""After so many deliveries a worker lets the next workspace come first (ours)."""
_LOG: Final = logging.getLogger("mock_server.webhooks")


def _nobody(job: Job, outcomes: Sequence[Outcome]) -> None:
    """Nobody wants to know."""


class Timing(NamedTuple):
    """How long a receiver is waited for, and what tells the real time."""

    timeout_s: float
    monotonic: Monotonic


class Dispatcher:
    """The deliverer of one server.

    `wake` is told of a workspace where there is more to do, `told` what came of each attempt.
    """

    def __init__(
        self,
        transport: Transport,
        timing: Timing,
        hands: WorkerPool,
        wake: Callable[[DeliveryContext], object] = lambda place: None,
        told: Callable[[Job, Sequence[Outcome]], object] = _nobody,
    ) -> None:
        self._transport = transport
        self._timing = timing
        self._hands = hands
        self._wake = wake
        self._told = told
        self._lanes: dict[Space, WorkspaceQueues] = {}
        self._lock = Lock()

    # by the clock

    def run_once(self, places: Iterable[DeliveryContext], real_now: int) -> int:
        """Begins what is due in these workspaces; gives the real instant (ms) at which there is more to do, or
        `NEVER`.
        """
        return min((self.attend(place, real_now) for place in places), default=NEVER)

    def attend(self, place: DeliveryContext, real_now: int) -> int:
        """The same for one workspace; also gives up on whatever is over its time."""
        lane = self._lanes.get(place.space)
        if lane is not None:
            self._give_up_overdue(place, lane)
        elif place.space.due_at() == NEVER:
            return NEVER
        head = place.space.transact(lambda tx: None if place.is_led(tx) else delivery_log.head(tx))
        if place.space.closed:
            return self._next_look(lane, real_now)
        if head is not None and head.at <= place.now():
            lane = lane or self._lane(place)
            head = self._line_up(place, lane)
        following = NEVER if head is None else place.real(head.at)
        if lane is None:
            return following
        for address in lane.begin(self._timing.monotonic()):
            self._hands.take(partial(self._drain, place, lane, address), address)
        wait_s = lane.wait_s(self._timing.monotonic())
        return min(following, _instant(real_now, wait_s), self._next_look(lane, real_now))

    def _line_up(self, place: DeliveryContext, lane: WorkspaceQueues) -> Due | None:
        """Puts what is due behind its address; gives what comes next. No transaction of it is long."""

        def line_up(tx: Transaction) -> tuple[Due | None, list[tuple[str, Waiting]]]:
            return (None, []) if place.is_led(tx) else delivery_log.line_up(tx, place, TURN)

        while True:
            with lane.lock:
                head, found = place.space.transact(line_up)
                for address, waiting in found:
                    lane.line_up(address, waiting)
            if head is None or head.at > place.now() or place.space.closed:
                return head

    def _next_look(self, lane: WorkspaceQueues | None, real_now: int) -> int:
        """When what is on its way would be over its time."""
        if lane is None:
            return NEVER
        return min((_instant(real_now, -sending.overdue_s) for sending in lane.on_its_way()), default=NEVER)

    def _give_up_overdue(self, place: DeliveryContext, lane: WorkspaceQueues) -> None:
        for sending in lane.on_its_way():
            if sending.overdue_s >= 0:
                self._give_up(place, lane, sending, sending.timeout_s)

    def _drain(self, place: DeliveryContext, lane: WorkspaceQueues, address: str) -> None:
        """Sends an address one after another until nothing waits for it, or it is somebody else's turn."""
        try:
            for _ in range(TURN):
                sending = self._take_up(place, lane, lane.queues[address])
                if sending is None:
                    break
                self._carry_out(place, lane, sending)
        finally:
            lane.end(address)
            # What came since the last look would have nobody to begin it.
            self._wake(place)

    def _take_up(self, place: DeliveryContext, lane: WorkspaceQueues, queue: Queue) -> Sending | None:
        def take_up(tx: Transaction) -> tuple[bool, Job | None]:
            return (False, None) if place.is_led(tx) else (True, delivery_log.take_up(tx, place, queue.waiting[0]))

        with lane.lock:
            while queue.waiting and not place.space.closed:
                taken, job = place.space.transact(take_up)
                if not taken:
                    break
                queue.waiting.popleft()
                if job is not None:
                    return self._put(lane, job, self._timing.timeout_s)
        return None

    def _put_back(self, lane: WorkspaceQueues) -> None:
        """Makes due again what waits for its turn."""
        with lane.lock:
            for waiting in lane.empty():
                lane.place.space.transact(lambda tx, one=waiting: delivery_log.put_back(tx, one))  # type: ignore[misc]  # a default cannot be inferred

    # while somebody waits

    def settle(self, place: DeliveryContext, timeout_s: float) -> None:
        """Waits for what is on its way, at most so long; the rest counts as timed out, and what waits is due again."""
        lane = self._lane(place)
        self._put_back(lane)
        until = self._timing.monotonic() + timeout_s
        for sending in lane.on_its_way():
            self._wait(place, lane, sending, max(0.0, until - self._timing.monotonic()), timeout_s)

    def run_due(self, place: DeliveryContext, until: int, timeout_s: float) -> int:
        """Makes the earliest attempt that is due by an instant and waits for its end; gives how many came off."""
        lane = self._lane(place)
        with lane.lock:
            more, job = place.space.transact(lambda tx: delivery_log.take(tx, place, until))
            sending = None if job is None else self._put(lane, job, timeout_s)
        if sending is not None:
            self._begin(place, lane, sending)
            self._wait(place, lane, sending, timeout_s * sending.job.orders.copies, timeout_s)
        return int(more)

    def _wait(
        self, place: DeliveryContext, lane: WorkspaceQueues, sending: Sending, wait_s: float, said_s: float
    ) -> None:
        try:
            sending.done.result(wait_s)
        except TimeoutError:
            self._give_up(place, lane, sending, said_s)

    # at once

    def send_now(self, place: DeliveryContext, event_ids: Sequence[str]) -> list[Sending]:
        """Begins the deliveries of these events past all others; gives what is on its way of them."""
        lane = self._lane(place)
        found = []
        for event_id in event_ids:
            with lane.lock:
                job = place.space.transact(partial(self._take_event, place, lane, event_id))
                sending = None if job is None else self._put(lane, job, self._timing.timeout_s)
            if sending is not None:
                self._begin(place, lane, sending)
            # Else a worker was there first.
            sending = sending or lane.of_event(event_id)
            if sending is not None:
                found.append(sending)
        return found

    def _take_event(self, place: DeliveryContext, lane: WorkspaceQueues, event_id: str, tx: Transaction) -> Job | None:
        waiting = lane.take_out(event_id)
        if waiting is None:
            return delivery_log.take_event(tx, place, event_id)
        return delivery_log.take_up(tx, place, waiting)

    def redirecting(self, place: DeliveryContext, payment_id: str) -> list[Sending]:
        """Begins what waited for a payment's customer to be sent back."""
        return self.send_now(
            place, place.space.transact(lambda tx: delivery_log.release_redirect(tx, place, payment_id))
        )

    def resend(self, place: DeliveryContext, event_id: str) -> Future[tuple[Attempt, ...]] | None:
        """Makes one more attempt of an event, at once; None where nobody listens or a scenario drops it."""
        lane = self._lane(place)
        with lane.lock:
            job = place.space.transact(lambda tx: delivery_log.take_by_hand(tx, place, event_id))
            sending = None if job is None else self._put(lane, job, self._timing.timeout_s)
        if sending is None:
            return None
        self._begin(place, lane, sending)
        return sending.done

    # one attempt

    def _begin(self, place: DeliveryContext, lane: WorkspaceQueues, sending: Sending) -> None:
        self._hands.take(lambda: self._carry_out_now(place, lane, sending), urgent=True)

    def _put(self, lane: WorkspaceQueues, job: Job, timeout_s: float) -> Sending:
        sending = Sending(job, timeout_s, self._timing.monotonic)
        lane.put(sending)
        return sending

    def _carry_out(self, place: DeliveryContext, lane: WorkspaceQueues, sending: Sending) -> None:
        try:
            made = body(sending.job.event, place.dialect, stale=sending.job.orders.stale)
            outcomes = sending.carry_out(self._transport, made)
        except Exception as defect:
            _LOG.exception("a delivery failed in the sandbox itself")
            outcomes = sending.so_far(_broken(defect)) or [Outcome(copy=1, headers="[]", error=_broken(defect))]
        self._keep(place, lane, sending, outcomes)

    def _carry_out_now(self, place: DeliveryContext, lane: WorkspaceQueues, sending: Sending) -> None:
        """The same outside of a worker's round: who waited behind it would have nobody to begin it."""
        try:
            self._carry_out(place, lane, sending)
        finally:
            self._wake(place)

    def _give_up(self, place: DeliveryContext, lane: WorkspaceQueues, sending: Sending, said_s: float) -> None:
        """Counts an attempt as timed out now; its thread learns of it whenever it wakes up."""
        error = timed_out(said_s)
        self._keep(place, lane, sending, sending.so_far(error) or [Outcome(copy=1, headers="[]", error=error)])
        sending.give_up()
        self._wake(place)

    def _keep(
        self, place: DeliveryContext, lane: WorkspaceQueues, sending: Sending, outcomes: Sequence[Outcome]
    ) -> None:
        if not sending.finish():
            return
        self._told(sending.job, outcomes)
        attempts: tuple[Attempt, ...] = ()
        try:
            attempts = place.space.transact(lambda tx: delivery_log.record(tx, place, sending.job, outcomes))
        finally:
            lane.drop(sending)
            sending.settle(attempts)

    # lanes

    def _lane(self, place: DeliveryContext) -> WorkspaceQueues:
        with self._lock:
            lane = self._lanes.get(place.space)
            if lane is None:
                self._lanes = {space: old for space, old in self._lanes.items() if not (space.closed and old.is_idle)}
                lane = self._lanes[place.space] = WorkspaceQueues(place)
        return lane

    def close(self) -> None:
        """Begins nothing any more, and waits for nothing."""
        self._hands.close()
        for lane in tuple(self._lanes.values()):
            self._put_back(lane)
            for sending in lane.on_its_way():
                sending.give_up()


def _instant(real_now: int, seconds: float) -> int:
    return NEVER if seconds == float("inf") else real_now + max(1, int(seconds * 1000) + 1)


def _broken(defect: BaseException) -> str:
    return f"the sandbox itself failed: {type(defect).__name__}"
