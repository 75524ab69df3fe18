"""Records and the events they raise are kept in one transaction: what happened is sent, or it did not happen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec import structs

from mock_server.domain.commands import JsonText
from mock_server.domain.customer import Mandate
from mock_server.domain.dispute import Dispute
from mock_server.domain.events import INBOX, DeliveryAttempt, Event, EventType, SkipReason
from mock_server.domain.paging import Query
from mock_server.domain.payment import Payment
from mock_server.domain.refund import Refund
from mock_server.engine import related
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import ATTEMPTS, EVENTS, PAYMENTS
from mock_server.engine.payments import due
from mock_server.store.protocol import RecordKind
from mock_server.store.transaction import Transaction

R = TypeVar("R", bound=Payment | Refund | Dispute)
Kept = TypeVar("Kept", bound=Payment | Refund | Dispute | Mandate)
Settle = Callable[[Transaction, CommandContext, R], R]


def polled(tx: Transaction, context: CommandContext, record: R, settle: Settle[R], kind: RecordKind[R]) -> R:
    """Counts a retrieve of what settles after some of them, and settles it with the last one."""
    waiting = record.waiting
    if waiting is None or waiting.polls is None:
        return record
    if waiting.polls > 1:
        counted = structs.replace(record, waiting=structs.replace(waiting, polls=waiting.polls - 1))
        return keep(tx, context, counted, None, kind)
    return settle(tx, context, record)


def keep(
    tx: Transaction, context: CommandContext, record: Kept, event: EventType | None, kind: RecordKind[Any] = PAYMENTS
) -> Kept:
    """Keeps a record that changed, and sends the event where there is one."""
    context.has_changed = True
    if event is None:
        kept: Kept = tx.put(kind, record)
        return kept
    key = kind.key(record)
    before = tx.encoded(kind, key) if tx.has(kind, key) else None
    tx.put(kind, record)
    send(tx, context, event, kind, record, record.status, before=before)
    return record


def send(
    tx: Transaction,
    context: CommandContext,
    type: EventType,
    kind: RecordKind[Any],
    record: Payment | Refund | Dispute | Mandate,
    status: str | None,
    *,
    before: bytes | None = None,
    overrides: JsonText | None = None,
) -> Event:
    """Puts an event in the outbox: the object as it stands now, and a delivery where somebody listens.

    `before` is the object as it was until now, `overrides` is merged into what is shown. A status of None passes the
    profile's filter. What is decided while the clock ends a challenge is in no call's entry, so the event says why.
    """
    number = tx.next("event")
    context.events.append(number)
    post = context.post
    fate = SkipReason.UNHEARD if post is None else post.fate(tx, record.profile_id, type, status)
    event = Event(
        event_id="evt_" + context.randomness.token("event", number),
        type=type,
        merchant_id=context.merchant_id,
        profile_id=record.profile_id,
        object_id=kind.key(record),
        payment_id=record.payment_id,
        created_at=context.now,
        number=number,
        object=tx.encoded(kind, kind.key(record)),
        related=related.encoded(tx, record) if isinstance(record, Payment) else (),
        overrides=overrides,
        fate=fate,
        because=tuple(note.text for note in context.notes) if context.call.operation == due.CHALLENGE else (),
    )
    if fate is None and post is not None:
        event = post.hand_in(tx, context, event, before)
    if number >= context.policy.inbox or tx.is_over(INBOX):
        _make_room(tx, context.policy.inbox)
    tx.put(EVENTS, event)
    tx.append(INBOX, event.event_id)
    return event


def _make_room(tx: Transaction, most: int) -> None:
    """The inbox is bounded, by events and by bytes: the oldest go until one more may come."""
    surplus = tx.count(EVENTS, Query()) + 1 - most
    while (surplus > 0 or tx.is_over(INBOX)) and forget_oldest(tx):
        surplus -= 1


def attempts_of(tx: Transaction, event_id: str) -> tuple[DeliveryAttempt, ...]:
    """An event's attempts, the first one first; there are never more than this of one event."""
    return tx.find(ATTEMPTS, Query(filters={"event_id": (event_id,)}, limit=1_000, ascending=True)).items


def forget_oldest(tx: Transaction) -> bool:
    """Lets the oldest event go with its attempts; False where there is none."""
    event_id = tx.oldest(EVENTS)
    if event_id is None:
        return False
    tx.remove(EVENTS, event_id)
    tx.drop_oldest(INBOX)
    if tx.count(ATTEMPTS, Query()):
        for attempt in attempts_of(tx, event_id):
            tx.remove(ATTEMPTS, attempt.attempt_id)
    return True
