"""Sends what is due in all workspaces, on a few threads; nothing is sent twice, and no call waits for it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import Final

from msgspec import Struct, field, structs

from mock_server import jsontext
from mock_server.addresses import timed_out
from mock_server.contract.dialect import Dialect
from mock_server.domain.errors import Refusal
from mock_server.domain.events import DELIVER, AttemptKind, DeliveryAttempt
from mock_server.store.protocol import NEVER, Due
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from mock_server.webhooks import delivery_log, delivery_queue
from mock_server.webhooks.body import body
from mock_server.webhooks.planning import REDIRECT, DeliveryContext
from mock_server.webhooks.sending import LOST, Job, Monotonic, Promise, RequestResult, Sending
from mock_server.webhooks.transport import Transport
from mock_server.webhooks.worker_pool import WorkerPool
from mock_server.webhooks.workspace_queues import Queue, WaitingDelivery, WorkspaceQueues

TURN: Final = 16
"""After this number of deliveries, a worker gives the next workspace a turn (ours)."""


class Dispatcher(Struct, eq=False):
    """The deliverer of one server.

    `timeout_s` is the time limit of receivers, `monotonic` the source of real time. `wake` gets a workspace that has
    more to send, `on_result` the result of each attempt, `on_lost` each attempt that cannot be recorded, and why.
    """

    _transport: Transport
    _timeout_s: float
    _monotonic: Monotonic
    _workers: WorkerPool
    _wake: Callable[[DeliveryContext], object]
    _on_result: Callable[[Job, Sequence[RequestResult]], object]
    _on_lost: Callable[[Job, Exception], object]
    _queues: dict[Space, WorkspaceQueues] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    # by the clock

    def attend(self, context: DeliveryContext, real_now: int) -> int:
        """Starts what is due, and ends what took too long. Gives the real instant (ms) of the next, or `NEVER`."""
        queues = self._queues.get(context.space)
        if queues is not None:
            for sending in queues.on_its_way():
                if sending.overdue_s >= 0:
                    self._give_up(queues, sending, sending.timeout_s)
        elif context.space.due_at() == NEVER:
            return NEVER
        head = context.space.transact(lambda tx: None if context.is_led(tx) else tx.next_due(delivery_queue.SORTS))
        if context.space.closed:
            return NEVER if queues is None else self._next_look(queues, real_now)
        if head is not None and head.at <= context.now():
            queues = queues or self._queues_of(context)
            head = self._queue_up(queues)
        following = NEVER if head is None else context.real(head.at)
        if queues is None:
            return following
        for address in queues.begin(self._monotonic()):
            self._workers.take(partial(self._drain, queues, address), address)
        wait_s = queues.wait_s(self._monotonic())
        return min(following, _instant(real_now, wait_s), self._next_look(queues, real_now))

    def _queue_up(self, queues: WorkspaceQueues) -> Due | None:
        """Queues what is due by address; gives what comes next. No transaction of it is long."""

        def queue_up(tx: Transaction) -> tuple[Due | None, list[tuple[str, WaitingDelivery]]]:
            return (None, []) if context.is_led(tx) else delivery_log.queue_up(tx, context, TURN)

        context = queues.context
        while True:
            with queues.lock:
                head, found = context.space.transact(queue_up)
                for address, waiting in found:
                    queues.by_address.setdefault(address, Queue()).waiting.append(waiting)
            if head is None or head.at > context.now() or context.space.closed:
                return head

    def _next_look(self, queues: WorkspaceQueues, real_now: int) -> int:
        """When the next attempt in progress would exceed its time limit."""
        return min((_instant(real_now, -sending.overdue_s) for sending in queues.on_its_way()), default=NEVER)

    def _drain(self, queues: WorkspaceQueues, address: str) -> None:
        """Sends to an address, one after another, until nothing waits for it or another workspace has its turn."""
        try:
            for _ in range(TURN):
                sending = self._take_up(queues, queues.by_address[address])
                if sending is None:
                    break
                self._carry_out(queues, sending)
        finally:
            queues.end(address)
            # Nothing else would start what was queued since the last check.
            self._ended(queues.context)

    def _take_up(self, queues: WorkspaceQueues, queue: Queue) -> Sending | None:
        def take_up(tx: Transaction) -> tuple[bool, Job | None]:
            return (False, None) if context.is_led(tx) else (True, delivery_log.take_up(tx, context, *queue.waiting[0]))

        context = queues.context
        with queues.lock, suppress(Refusal):  # this server lost the workspace
            while queue.waiting and not context.space.closed:
                taken, job = context.space.transact(take_up)
                if not taken:
                    break
                queue.waiting.popleft()
                if job is not None:
                    return self._put(queues, job, self._timeout_s)
        return None

    def _put_back(self, queues: WorkspaceQueues) -> None:
        with queues.lock:
            for waiting in queues.empty():
                queues.context.space.transact(partial(delivery_log.put_back, waiting=waiting), ends=True)

    # while a caller waits

    def settle(self, context: DeliveryContext, timeout_s: float) -> None:
        """Waits for attempts in progress, up to a limit; later ones time out, and waiting deliveries are due again."""
        queues = self._queues_of(context)
        self._put_back(queues)
        until = self._monotonic() + timeout_s
        for sending in queues.on_its_way():
            self._wait(queues, sending, max(0.0, until - self._monotonic()), timeout_s)

    def run_due(self, context: DeliveryContext, until: int, timeout_s: float) -> int:
        """Makes the earliest attempt that is due by a time and waits for its end; gives the number of attempts."""
        queues = self._queues_of(context)
        with queues.lock:
            more, job = context.space.transact(lambda tx: delivery_log.take(tx, context, until))
            sending = None if job is None else self._put(queues, job, timeout_s)
        if sending is not None:
            self._begin(queues, sending)
            self._wait(queues, sending, timeout_s * sending.job.orders.copies, timeout_s)
        return int(more)

    def _wait(self, queues: WorkspaceQueues, sending: Sending, wait_s: float, said_s: float) -> None:
        try:
            sending.promise.done.result(wait_s)
        except TimeoutError:
            self._give_up(queues, sending, said_s)

    # at once

    def send_now(self, context: DeliveryContext, event_ids: Sequence[str]) -> list[Promise]:
        """Starts the deliveries of these events before all others, in order; gives a promise for each that is due."""
        queues = self._queues_of(context)
        promises = [queues.promise(event_id) for event_id in event_ids]
        self._hurry(queues)
        return [promise for promise in promises if not promise.done.done() or promise.done.result()]

    def _hurry(self, queues: WorkspaceQueues) -> None:
        """Starts what callers wait for, or the earlier event of the same payment."""
        context = queues.context
        for event_id in tuple(queues.awaited):
            with queues.lock:
                take = partial(delivery_log.take_first, context=context, event_id=event_id, take_out=queues.take_out)
                is_due, job = (False, None) if context.space.closed else context.space.transact(take)
                sending = None if job is None else self._put(queues, job, self._timeout_s)
                promise = None if is_due else queues.awaited.pop(event_id, None)
            if promise is not None:
                promise.keep()
            if sending is not None:
                self._begin(queues, sending)

    def redirecting(self, context: DeliveryContext, payment_id: str) -> list[Promise]:
        """Starts the deliveries that waited for the redirect of a payment's customer."""
        waited = f"{payment_id} {REDIRECT}"
        return self.send_now(context, context.space.transact(lambda tx: delivery_log.release(tx, context, waited)))

    def resend(self, context: DeliveryContext, event_id: str) -> Future[tuple[DeliveryAttempt, ...]] | None:
        """Makes one more attempt of an event, at once; None if there is no endpoint or a scenario drops it."""
        queues, by_hand = self._queues_of(context), Due(context.now(), 0, DELIVER, event_id, AttemptKind.MANUAL)
        with queues.lock:
            job = context.space.transact(lambda tx: delivery_log.take_up(tx, context, by_hand, ""))
            sending = None if job is None else self._put(queues, job, self._timeout_s)
        if sending is None:
            return None
        self._begin(queues, sending)
        return sending.promise.done

    # one attempt

    def _begin(self, queues: WorkspaceQueues, sending: Sending) -> None:
        def carry_out() -> None:
            try:
                self._carry_out(queues, sending)
            finally:
                self._ended(queues.context)  # for the deliveries that waited behind it, as no worker starts them

        self._workers.take(carry_out, urgent=True)

    def _put(self, queues: WorkspaceQueues, job: Job, timeout_s: float) -> Sending:
        promise = None if job.kind is AttemptKind.MANUAL else queues.awaited.pop(job.entry.subject, None)
        sending = Sending(job, timeout_s, self._monotonic, promise or Promise(Future(), Future()))
        queues.put(sending)
        return sending

    def _carry_out(self, queues: WorkspaceQueues, sending: Sending) -> None:
        try:
            results = sending.carry_out(self._transport, _body(sending.job, queues.context.dialect))
        except Exception as defect:
            logging.getLogger("mock_server.webhooks").exception("a delivery failed with an internal error")
            results = sending.so_far(f"internal error in the sandbox: {type(defect).__name__}")
        self._keep(queues, sending, results)

    def _give_up(self, queues: WorkspaceQueues, sending: Sending, said_s: float) -> None:
        """Counts an attempt as timed out now; its thread notices this when it wakes up."""
        self._keep(queues, sending, sending.so_far(timed_out(said_s)))
        sending.give_up()
        self._wake(queues.context)

    def _keep(self, queues: WorkspaceQueues, sending: Sending, results: Sequence[RequestResult]) -> None:
        if not sending.finish():
            return
        try:
            self._on_result(sending.job, results)
        except Exception as defect:
            self._on_lost(sending.job, defect)
        for lost in sending.lost:
            self._on_lost(sending.job, lost)
        attempts: tuple[DeliveryAttempt, ...] = ()
        try:
            with suppress(Refusal):  # this server lost the workspace: who has it sends the event again
                attempts = self._recorded(queues.context, sending.job, results)
        finally:
            queues.drop(sending)
            sending.promise.keep(attempts)
            with suppress(Refusal):
                self._hurry(queues)

    def _recorded(
        self, context: DeliveryContext, job: Job, results: Sequence[RequestResult]
    ) -> tuple[DeliveryAttempt, ...]:
        """Saves a result; if what it shows cannot be saved, a marker stands there, and nothing else is different."""

        def save(results: Sequence[RequestResult]) -> tuple[DeliveryAttempt, ...]:
            return context.space.transact(lambda tx: delivery_log.record(tx, context, job, results), ends=True)

        try:
            return save(results)
        except Refusal:
            raise
        except Exception as defect:
            self._on_lost(job, defect)
            return save(
                [structs.replace(result, headers="[]", response_headers="[]", response_body=LOST) for result in results]
            )

    # queues

    def _queues_of(self, context: DeliveryContext) -> WorkspaceQueues:
        with self._lock:
            queues = self._queues.get(context.space)
            if queues is not None:
                return queues
            queues = self._queues[context.space] = WorkspaceQueues(context)
        context.space.on_close(partial(self._forget, context.space))
        return queues

    def _ended(self, context: DeliveryContext) -> None:
        """Starts what waited, or lets go of a workspace that was closed meanwhile."""
        self._wake(context)
        if context.space.closed:
            self._forget(context.space)

    def _forget(self, space: Space) -> None:
        """Lets go of a closed space, unless something is going on there."""
        with self._lock:
            queues = self._queues.get(space)
            if queues is not None and queues.is_idle:
                del self._queues[space]

    def close(self) -> None:
        """Starts nothing more, and waits for nothing."""
        self._workers.close()
        for queues in tuple(self._queues.values()):
            with suppress(Refusal):
                self._put_back(queues)
            for sending in queues.on_its_way():
                sending.give_up()


def _body(job: Job, dialect: Dialect) -> bytes:
    if job.event is None:
        return jsontext.dump(job.notice.body if job.notice else None)
    return body(job.event, dialect, stale=job.orders.stale)


def _instant(real_now: int, seconds: float) -> int:
    return NEVER if seconds == float("inf") else real_now + max(1, int(seconds * 1000) + 1)
