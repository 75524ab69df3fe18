"""The stored state of deliveries: each function is the work of one transaction, and none of them waits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import structs

from mock_server.domain.events import ATTEMPTS as ATTEMPT_LOG
from mock_server.domain.events import DELIVER, TARGET, AttemptKind, DeliveryAttempt, Event, SkipReason
from mock_server.domain.paging import Query
from mock_server.engine.kinds import ATTEMPTS, EVENTS, PROFILES, WAITS
from mock_server.scenario.conditions.paths import WebhookFacts
from mock_server.store.protocol import Due
from mock_server.store.records import decode
from mock_server.store.transaction import Transaction
from mock_server.webhooks import delivery_queue, planning
from mock_server.webhooks.body import object_kind, stale_object
from mock_server.webhooks.planning import DeliveryContext, DeliveryOrders, Target, request_of, target_of
from mock_server.webhooks.retry_table import delay_after
from mock_server.webhooks.sending import Job, RequestResult
from mock_server.webhooks.workspace_queues import WaitingDelivery

MOST_ATTEMPTS: Final = 200
"""Maximum number of stored requests of one event, the last ones (ours): manual repeats are unlimited."""
MOST_NOTES: Final = 20
AUTOMATIC: Final = f"{AttemptKind.AUTOMATIC}:"
"""How the argument of an automatic retry begins; the number of retries before it follows."""


# taking on


def head(tx: Transaction) -> Due | None:
    """The earliest delivery, whenever it is due."""
    return tx.next_due((DELIVER,))


def take(tx: Transaction, context: DeliveryContext, until: int) -> tuple[bool, Job | None]:
    """Takes the earliest delivery that is due by a time: whether there was one, and what is to be sent now."""
    entry = tx.take_due(until, (DELIVER,))
    if entry is None:
        return False, None
    event = tx.get(EVENTS, entry.subject)
    if event is None:  # it fell out of the inbox
        return True, None
    queue = delivery_queue.enter(tx, entry, event)
    return True, None if queue is None else _job(tx, context, entry, event, queue)


def queue_up(
    tx: Transaction, context: DeliveryContext, most: int
) -> tuple[Due | None, list[tuple[str, WaitingDelivery]]]:
    """Takes what is due now, up to a limit: each with its address; also gives the next one, whenever it is due."""
    found: list[tuple[str, WaitingDelivery]] = []
    until = context.now()
    for _ in range(most):
        entry = tx.take_due(until, (DELIVER,))
        if entry is None:
            break
        event = tx.get(EVENTS, entry.subject)
        queue = None if event is None else delivery_queue.enter(tx, entry, event)
        if event is not None and queue is not None:
            target = _target(tx, context, event)
            found.append(("" if target is None else target.url, WaitingDelivery(entry, queue)))
    return head(tx), found


def take_up(tx: Transaction, context: DeliveryContext, waiting: WaitingDelivery) -> Job | None:
    """Starts a queued delivery; None if there is nothing to send any more."""
    event = tx.get(EVENTS, waiting.entry.subject)
    kind, _ = read_argument(waiting.entry.argument)
    if event is None or (event.delivered and kind is not AttemptKind.MANUAL):
        # It was dropped from the inbox, or taken meanwhile; a manual attempt is always taken again.
        delivery_queue.leave(tx, waiting.queue)
        return None
    return _job(tx, context, waiting.entry, event, waiting.queue)


def put_back(tx: Transaction, waiting: WaitingDelivery) -> None:
    """Makes queued deliveries due again."""
    entry = waiting.entry
    tx.schedule(entry.at, DELIVER, entry.subject, entry.argument)
    delivery_queue.leave(tx, waiting.queue)


def take_event(tx: Transaction, context: DeliveryContext, event_id: str) -> Job | None:
    """Takes one event's delivery before all others; None if it is not due, or already taken."""
    event = tx.get(EVENTS, event_id)
    if event is None or not tx.unschedule(DELIVER, event_id):
        return None
    entry = Due(context.now(), 0, DELIVER, event_id)
    return _job(tx, context, entry, event, delivery_queue.cut_in(tx, entry))


def take_by_hand(tx: Transaction, context: DeliveryContext, event_id: str) -> Job | None:
    """Starts one more attempt of an event; None if there is no endpoint, or a scenario drops it."""
    event = tx.get(EVENTS, event_id)
    entry = Due(context.now(), 0, DELIVER, event_id, AttemptKind.MANUAL)
    return None if event is None else _job(tx, context, entry, event, "")


def _job(tx: Transaction, context: DeliveryContext, entry: Due, event: Event, queue: str) -> Job | None:
    target = _target(tx, context, event)
    kind, retries = read_argument(entry.argument)
    how = _orders(tx, context, event, kind)
    if target is None or how is None:
        fate = SkipReason.UNHEARD if target is None else SkipReason.DROPPED
        tx.put(EVENTS, structs.replace(event, fate=fate, waits=None, next_at=None))
        delivery_queue.leave(tx, queue)
        return None
    next_at = event.next_at if kind is AttemptKind.MANUAL else None
    event = tx.put(EVENTS, structs.replace(event, attempts=event.attempts + 1, next_at=next_at))
    return Job(
        event=event,
        kind=kind,
        retries=retries,
        number=event.attempts,
        made_at=context.now(),
        target=target,
        orders=how,
        queue=queue,
    )


def _target(tx: Transaction, context: DeliveryContext, event: Event) -> Target | None:
    profile = tx.get(PROFILES, event.profile_id) if event.profile_id else None
    return target_of(profile, tx.fact(TARGET), context.fallback)


def _orders(tx: Transaction, context: DeliveryContext, event: Event, kind: AttemptKind) -> DeliveryOrders | None:
    """How an attempt is sent; for the first one this was decided when the event was made. None: it is dropped."""
    orders = planning.read_orders(event.orders)
    if kind is AttemptKind.INITIAL:
        return orders
    decision = context.draw(tx, request_of(tx, event, context.now(), event.attempts + 1, orders.scenarios))
    if decision is None:
        return DeliveryOrders(scenarios=orders.scenarios)
    rule = decision.rule
    return None if rule.drop else planning.orders_of_rule(rule, orders.scenarios, decision.because.text)


# results


def record(
    tx: Transaction, context: DeliveryContext, job: Job, results: Sequence[RequestResult]
) -> tuple[DeliveryAttempt, ...]:
    """Saves the result of an attempt: its requests, the event's status, the next retry, deliveries that waited."""
    delivery_queue.leave(tx, job.queue)
    event = tx.get(EVENTS, job.event.event_id)
    if event is None:
        return ()
    made = tuple(_attempt(tx, context, job, result) for result in results)
    for attempt in made:
        tx.put(ATTEMPTS, attempt)
        tx.append(ATTEMPT_LOG, [attempt.event_id, attempt.attempt_id])
    if context.is_counting(tx):
        for attempt in made:
            sent = stale_object(event) if attempt.stale else decode(object_kind(event), event.object)
            facts = WebhookFacts(
                type=event.type,
                delivered=attempt.is_success,
                http=attempt.status,
                attempt=attempt.number,
                copy=attempt.copy,
                event_id=event.event_id,
                payment_id=event.payment_id,
                object=sent,
            )
            context.count(tx, facts)
    taken = any(attempt.is_success for attempt in made)
    delivered = taken or event.delivered is True
    because = job.orders.because
    notes = event.because if because is None or because in event.because else (*event.because, because)
    next_at = None if delivered else _next(tx, job, event)
    # A manual attempt does not end the retries.
    retries = job.kind is AttemptKind.MANUAL and event.fate is not SkipReason.GIVEN_UP
    event = structs.replace(
        event,
        delivered=delivered,
        next_at=next_at,
        fate=None if delivered or next_at is not None or retries else SkipReason.GIVEN_UP,
        waits=None,
        because=notes[-MOST_NOTES:],
    )
    tx.put(EVENTS, event)
    _forget_attempts(tx, event)
    if taken:
        tx.unschedule(DELIVER, event.event_id)
        release(tx, context, f"{event.group} {event.type}")
    return made


def _attempt(tx: Transaction, context: DeliveryContext, job: Job, result: RequestResult) -> DeliveryAttempt:
    event = job.event
    is_first = job.number == 1 and result.copy == 1
    return DeliveryAttempt(
        attempt_id=event.event_id if is_first else context.new_attempt_id(tx),
        event_id=event.event_id,
        payment_id=event.payment_id,
        number=job.number,
        kind=job.kind,
        made_at=job.made_at,
        url=job.target.url,
        stale=job.orders.stale,
        because=job.orders.because,
        **structs.asdict(result),
    )


def _next(tx: Transaction, job: Job, event: Event) -> int | None:
    """Schedules the next automatic retry and gives its time; a manual attempt does not change the schedule."""
    if job.kind is AttemptKind.MANUAL:
        return event.next_at
    delay = delay_after(job.retries)
    if delay is None:
        return None
    tx.schedule(job.made_at + delay, DELIVER, event.event_id, f"{AUTOMATIC}{job.retries + 1}")
    return job.made_at + delay


def _forget_attempts(tx: Transaction, event: Event) -> None:
    filters = {"event_id": (event.event_id,)}
    surplus = tx.count(ATTEMPTS, Query(filters=filters)) - MOST_ATTEMPTS
    if surplus > 0:
        for old in tx.find(ATTEMPTS, Query(filters=filters, limit=surplus, ascending=True)).items:
            tx.remove(ATTEMPTS, old.attempt_id)


# waiting events


def release(tx: Transaction, context: DeliveryContext, what: str) -> list[str]:
    """Schedules the events that waited for this (`<payment> <event type>` or `<payment> redirect`); gives their ids."""
    found = tx.find(EVENTS, Query(filters={WAITS: (what,)}, limit=100, ascending=True)).items
    for event in found:
        tx.unschedule(DELIVER, event.event_id)
        tx.put(EVENTS, structs.replace(event, fate=None, waits=None, next_at=context.now()))
        tx.schedule(context.now(), DELIVER, event.event_id)
    return [event.event_id for event in found]


def read_argument(argument: str) -> tuple[AttemptKind, int]:
    """Which kind of attempt a due entry is, and how many automatic retries there were before it."""
    if argument.startswith(AUTOMATIC):
        return AttemptKind.AUTOMATIC, int(argument.removeprefix(AUTOMATIC))
    return (AttemptKind(argument) if argument else AttemptKind.INITIAL), 0
