"""The stored state of deliveries: each function is the work of one transaction, and none of them waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from msgspec import structs

from mock_server.domain.events import ATTEMPTS as ATTEMPT_LOG
from mock_server.domain.events import DELIVER, TARGET, AttemptKind, DeliveryAttempt, Event, SkipReason, is_success
from mock_server.domain.hiding import bare_url
from mock_server.domain.instants import HOUR_MS, MINUTE_MS
from mock_server.domain.paging import Query
from mock_server.domain.report import DELIVER_REPORT
from mock_server.engine import reports
from mock_server.engine.kinds import ATTEMPTS, EVENTS, PROFILES, WAITS
from mock_server.scenario.conditions.paths import WebhookFacts
from mock_server.scenario.deciding.activation import ACTIVE
from mock_server.store.protocol import Due
from mock_server.store.records import decode
from mock_server.store.transaction import Transaction
from mock_server.webhooks import delivery_queue, planning
from mock_server.webhooks.body import object_kind, stale_object
from mock_server.webhooks.planning import DeliveryContext, DeliveryOrders, Target, request_of, secret_of, target_of
from mock_server.webhooks.sending import Job, RequestResult
from mock_server.webhooks.workspace_queues import WaitingDelivery

MOST_ATTEMPTS: Final = 200
"""Maximum number of stored requests of one event, the last ones (ours): manual repeats are unlimited."""
MOST_NOTES: Final = 20
AUTOMATIC: Final = f"{AttemptKind.AUTOMATIC}:"
"""How the argument of an automatic retry begins; the number of retries before it follows."""
STEPS: Final[tuple[tuple[int, int], ...]] = (
    (1, 1 * MINUTE_MS),
    (2, 5 * MINUTE_MS),
    (5, 10 * MINUTE_MS),
    (5, 1 * HOUR_MS),
    (3, 6 * HOUR_MS),
)
"""How often a refused event is retried, and after how much of the workspace's time since the attempt before (§6.2)."""
DELAYS: Final = tuple(delay for times, delay in STEPS for _ in range(times))
"""Those of the retries one by one: sixteen in about a day."""


# taking on


def take(tx: Transaction, context: DeliveryContext, until: int) -> tuple[bool, Job | None]:
    """Takes the earliest delivery that is due by a time: whether there was one, and what is to be sent now."""
    entry = tx.take_due(until, delivery_queue.SORTS)
    if entry is None:
        return False, None
    queue = delivery_queue.enter(tx, entry)
    return True, None if queue is None else take_up(tx, context, entry, queue)


def queue_up(
    tx: Transaction, context: DeliveryContext, most: int
) -> tuple[Due | None, list[tuple[str, WaitingDelivery]]]:
    """Takes what is due now, up to a limit: each with its address; also gives the next one, whenever it is due."""
    found: list[tuple[str, WaitingDelivery]] = []
    until = context.now()
    for _ in range(most):
        entry = tx.take_due(until, delivery_queue.SORTS)
        if entry is None:
            break
        queue = delivery_queue.enter(tx, entry)
        if queue is not None:
            target = _target(tx, context, entry)
            found.append(("" if target is None else target.url, WaitingDelivery(entry, queue)))
    return tx.next_due(delivery_queue.SORTS), found


def put_back(tx: Transaction, waiting: WaitingDelivery) -> None:
    """Makes queued deliveries due again."""
    tx.put_back(waiting.entry)
    delivery_queue.leave(tx, waiting.queue)


def take_first(
    tx: Transaction, context: DeliveryContext, event_id: str, take_out: Callable[[str], WaitingDelivery | None]
) -> tuple[bool, Job | None]:
    """Takes an event's first attempt before all others, or the one that it waits for: whether it is due, and the job.

    `take_out` takes an event out of those that wait for their address.
    """
    event = tx.get(EVENTS, event_id)
    queued = [] if event is None else delivery_queue.members(tx, event.group)
    due = [] if event is None else _first_attempts(tx, event, context.now())
    if event is None or event_id not in (*queued, *(one.subject for one in due)):
        return False, None
    if queued:
        waiting = take_out(queued[0])
        if waiting is None:  # it is on its way
            return True, None
    else:
        tx.unschedule(DELIVER, due[0].subject)
        waiting = WaitingDelivery(due[0], delivery_queue.enter(tx, due[0]) or "")
    job = take_up(tx, context, *waiting)
    return (True, job) if job is not None else take_first(tx, context, event_id, take_out)


def _first_attempts(tx: Transaction, event: Event, now: int) -> list[Due]:
    """The first attempts that are due of an event's group, in order."""
    group = Query(filters={"payment_id": (event.payment_id,)})
    events = [event] if event.payment_id is None else tx.scan(EVENTS, group)
    found = [one for each in events for one in tx.due_of(each.event_id) if one.at <= now and not one.argument]
    return sorted(found, key=lambda one: (one.at, one.sequence))


def take_up(tx: Transaction, context: DeliveryContext, entry: Due, queue: str) -> Job | None:
    """Starts a delivery and its queue, if it has one; None if there is nothing to send any more."""
    kind, retries = read_argument(entry.argument)
    job = partial(Job, entry=entry, kind=kind, retries=retries, made_at=context.now(), queue=queue)
    event, target = tx.get(EVENTS, entry.subject), _target(tx, context, entry)
    if entry.what == DELIVER_REPORT and target is not None:
        return job(notice=reports.notice(tx, entry.subject), target=target)
    if event is None or (event.delivered and kind is not AttemptKind.MANUAL):
        # It was dropped from the inbox, or taken meanwhile; a manual attempt is always taken again.
        delivery_queue.leave(tx, queue)
        return None
    how = None if target is None else _orders(tx, context, event, kind)
    is_planned = kind is AttemptKind.MANUAL and (event.next_at is not None or event.waits is not None)
    if target is None or how is None or not how.copies:
        fate = None if event.delivered else SkipReason.UNHEARD if target is None else SkipReason.DROPPED
        ended = event if is_planned else structs.replace(event, fate=fate, waits=None, next_at=None)
        tx.put(EVENTS, _noted(ended, how))
        delivery_queue.leave(tx, queue)
        return None
    event = structs.replace(event, attempts=event.attempts + 1)
    if kind is not AttemptKind.MANUAL:
        event = structs.replace(event, fate=None, waits=None, next_at=None)
    return job(event=tx.put(EVENTS, event), number=event.attempts, target=target, orders=how)


def _target(tx: Transaction, context: DeliveryContext, entry: Due) -> Target | None:
    if entry.what == DELIVER_REPORT:
        notice = reports.notice(tx, entry.subject)
        if notice is None:
            return None
        own = None if notice.key == context.fallback.secret else notice.key  # that of a profile that sets none
        return Target(notice.url, own or secret_of(None, tx.fact(TARGET), context.fallback), {})
    event = tx.get(EVENTS, entry.subject)
    profile = tx.get(PROFILES, event.profile_id) if event is not None and event.profile_id else None
    return target_of(profile, tx.fact(TARGET), context.fallback)


def _orders(tx: Transaction, context: DeliveryContext, event: Event, kind: AttemptKind) -> DeliveryOrders:
    """How an attempt is sent; for the first one this was decided when the event was made."""
    orders = planning.read_orders(event.orders)
    if kind is AttemptKind.INITIAL:
        return orders
    decision = context.draw(tx, request_of(tx, event, context.now(), orders.scenarios, again=True))
    return planning.orders_of(decision, orders.scenarios)


def _noted(event: Event, how: DeliveryOrders | None) -> Event:
    """The event with the reason of one more attempt."""
    new = (how.because,) if how and how.because and how.because not in event.because else ()
    return structs.replace(event, because=(*event.because, *new)[-MOST_NOTES:])


# results


def record(
    tx: Transaction, context: DeliveryContext, job: Job, results: Sequence[RequestResult]
) -> tuple[DeliveryAttempt, ...]:
    """Saves the result of an attempt: its requests, the event's status, the next retry, deliveries that waited."""
    delivery_queue.leave(tx, job.queue)
    event = tx.get(EVENTS, job.entry.subject)
    if event is None:
        if job.notice is not None and not any(is_success(result.status) for result in results):
            _next(tx, job)
        return ()
    made = tuple(_attempt(context, job, event, result) for result in results)
    for attempt in made:
        tx.put(ATTEMPTS, attempt)
        tx.append(ATTEMPT_LOG, [attempt.event_id, attempt.attempt_id])
        if tx.fact(ACTIVE):  # a scenario is, which may have assertions
            context.count(tx, _facts(event, attempt))
    taken = any(attempt.is_success for attempt in made)
    delivered = taken or event.delivered is True
    event = structs.replace(_noted(event, job.orders), delivered=delivered)
    if delivered:
        event = structs.replace(event, next_at=None, fate=None, waits=None)
    elif job.kind is not AttemptKind.MANUAL:  # which changes nothing of what is planned
        next_at = _next(tx, job)
        event = structs.replace(event, next_at=next_at, fate=SkipReason.GIVEN_UP if next_at is None else None)
    tx.put(EVENTS, event)
    _forget_attempts(tx, event)
    if taken:
        tx.unschedule(DELIVER, event.event_id)
        release(tx, context, f"{event.group} {event.type}")
    return made


def _facts(event: Event, attempt: DeliveryAttempt) -> WebhookFacts:
    """What assertions can be about."""
    return WebhookFacts(
        type=event.type,
        delivered=attempt.is_success,
        http=attempt.status,
        attempt=attempt.number,
        copy=attempt.copy,
        event_id=event.event_id,
        payment_id=event.payment_id,
        object=stale_object(event) if attempt.stale else decode(object_kind(event), event.object),
    )


def _attempt(context: DeliveryContext, job: Job, event: Event, result: RequestResult) -> DeliveryAttempt:
    is_first = job.number == 1 and result.copy == 1
    place = event.number + 1 << 32 | job.number << 8 | result.copy  # and no counter: receivers answer in any order
    return DeliveryAttempt(
        attempt_id=event.event_id if is_first else "evt_" + context.randomness.token("attempt", place),
        event_id=event.event_id,
        payment_id=event.payment_id,
        number=job.number,
        kind=job.kind,
        made_at=job.made_at,
        url=bare_url(job.target.url),
        stale=job.orders.stale,
        because=job.orders.because,
        **structs.asdict(result),
    )


def _next(tx: Transaction, job: Job) -> int | None:
    """Schedules the next automatic retry and gives its time; None if it was the last one."""
    if job.retries >= len(DELAYS):
        return None
    at = job.made_at + DELAYS[job.retries]
    tx.schedule(at, job.entry.what, job.entry.subject, f"{AUTOMATIC}{job.retries + 1}")
    return at


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
        tx.put(EVENTS, structs.replace(event, fate=None, waits=None, next_at=context.now()))
        if tx.unschedule(DELIVER, event.event_id) or event.fate is SkipReason.FOLLOWS:  # else it is queued already
            tx.schedule(context.now(), DELIVER, event.event_id)
    return [event.event_id for event in found]


def read_argument(argument: str) -> tuple[AttemptKind, int]:
    """Which kind of attempt a due entry is, and how many automatic retries there were before it."""
    count = argument.removeprefix(AUTOMATIC)
    if count.isascii() and count.isdecimal():  # only a number: a report's notice, as earlier versions stored it
        return AttemptKind.AUTOMATIC, int(count)
    return (AttemptKind(argument) if argument else AttemptKind.INITIAL), 0
