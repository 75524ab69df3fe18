"""Records and the events they raise are kept in one transaction: what happened is told, or it did not happen."""

from __future__ import annotations

from typing import Any

from mock_server.domain.delivery import DELIVER as DELIVER
from mock_server.domain.delivery import INBOX as INBOX
from mock_server.domain.delivery import TARGET as TARGET
from mock_server.domain.events import Event, EventType
from mock_server.domain.paging import Query
from mock_server.domain.payment import Payment
from mock_server.domain.profile import Profile
from mock_server.engine import related
from mock_server.engine.desk import Desk
from mock_server.engine.kinds import EVENTS, PAYMENTS, PROFILES
from mock_server.store.protocol import Kind, Transaction


def keep(tx: Transaction, desk: Desk, payment: Payment, event: EventType | None) -> Payment:
    """Keeps a payment that changed, and tells of it where there is an event."""
    tx.put(PAYMENTS, payment)
    if event is not None:
        payment_id = payment.payment_id
        tell(
            tx,
            desk,
            event,
            PAYMENTS,
            payment_id,
            profile_id=payment.profile_id,
            payment_id=payment_id,
            status=payment.status.value,
            inside=related.encoded(tx, desk, payment),
        )
    return payment


def tell(
    tx: Transaction,
    desk: Desk,
    type: EventType,
    kind: Kind[Any],
    object_id: str,
    *,
    profile_id: str | None,
    payment_id: str | None,
    status: str,
    inside: tuple[bytes, ...] = (),
) -> Event:
    """Puts an event in the outbox: the object as it stands now, and a delivery where somebody listens.

    `inside` are the records that are shown inside the object.
    """
    number = tx.next("event")
    event = Event(
        event_id="evt_" + desk.randomness.token("event", number),
        type=type,
        merchant_id=desk.merchant_id,
        profile_id=profile_id,
        object_id=object_id,
        payment_id=payment_id,
        created_at=desk.now,
        number=number,
        object=tx.encoded(kind, object_id),
        related=inside,
    )
    if number >= desk.policy.inbox:
        _forget_oldest(tx)
    tx.put(EVENTS, event)
    tx.append(INBOX, event.event_id)
    profile = tx.get(PROFILES, profile_id) if profile_id else None
    if is_wanted(tx, desk, profile, type, status):
        tx.schedule(desk.now, DELIVER, event.event_id)
    return event


def _forget_oldest(tx: Transaction) -> None:
    """The inbox is bounded: the oldest event goes with its attempts."""
    for old in tx.find(EVENTS, Query(limit=1, ascending=True)).items:
        tx.remove(EVENTS, old.event_id)


def is_wanted(tx: Transaction, desk: Desk, profile: Profile | None, type: EventType, status: str) -> bool:
    """Whether a delivery is due: there is a target, and the profile's filter lets this status through (facts §6.2)."""
    details = profile.webhook_details if profile else None
    if not (details and details.webhook_url) and not tx.fact(TARGET) and not desk.policy.webhook_url:
        return False
    if details is None:
        return True
    chosen = details.refund_statuses_enabled if type.value.startswith("refund_") else details.payment_statuses_enabled
    return not chosen or type.value.startswith(("dispute_", "mandate_")) or status in chosen
