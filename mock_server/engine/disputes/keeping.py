"""Finding a dispute, and keeping one that changed: what it holds of its payment moves with it, the event is sent."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from mock_server.domain.dispute import Dispute, DisputeTrigger, ask, covers
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.machine import apply_transition
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import DisputeStatus
from mock_server.engine import outbox, related
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import DISPUTES, PAYMENTS
from mock_server.engine.payments import access
from mock_server.store.protocol import Transaction


def find(tx: Transaction, dispute_id: str) -> Dispute:
    """The dispute of that id. Refused as `dispute_unknown`."""
    dispute = tx.get(DISPUTES, dispute_id)
    if dispute is None:
        raise Refusal(Cause.DISPUTE_UNKNOWN, id=dispute_id)
    return dispute


def find_for(tx: Transaction, dispute_id: str, name: str) -> Dispute:
    """The dispute, if it allows what is asked. Refused as `dispute_unknown`, `dispute_status_forbids`."""
    dispute = find(tx, dispute_id)
    row = ask(name)
    if dispute.stage not in row.stages or dispute.status not in row.statuses:
        raise Refusal(Cause.DISPUTE_STATUS_FORBIDS, action=row.action, stage=dispute.stage, status=dispute.status)
    return dispute


DEADLINE = "dispute.deadline"
SETTLES = "dispute.settles"


def happened(tx: Transaction, desk: CommandContext, dispute: Dispute, what: DisputeTrigger, **changes: Any) -> Dispute:
    """The dispute after something happened to it, kept with all that follows."""
    moved, event = apply_transition(dispute, what, desk.now, **changes)
    if moved.status is not DisputeStatus.OPENED:
        tx.unschedule(DEADLINE, dispute.dispute_id)
    if moved.status is not DisputeStatus.CHALLENGED:
        tx.unschedule(SETTLES, dispute.dispute_id)
        moved = structs.replace(moved, waiting=None)
    hold(tx, desk, dispute.payment_id, moved.held_amount - dispute.held_amount)
    return outbox.keep(tx, desk, moved, event, DISPUTES)


def hold(tx: Transaction, desk: CommandContext, payment_id: str, amount: int, *, opened: int = 0) -> None:
    """Adds to what is disputed of a payment; a negative amount is let go."""
    if amount or opened:
        payment = access.find(tx, payment_id)
        disputed = payment.disputed_amount + amount
        count = payment.dispute_count + opened
        tx.put(PAYMENTS, structs.replace(payment, disputed_amount=disputed, dispute_count=count, modified_at=desk.now))


def look_again(tx: Transaction, payment: Payment) -> None:
    """Asks it of every dispute of a payment whose refunds changed."""
    if not payment.dispute_count:
        return
    for dispute in related.of_payment(tx, payment).disputes:
        covered = covers(payment, dispute.amount)
        if covered != dispute.is_already_refunded:
            tx.put(DISPUTES, structs.replace(dispute, is_already_refunded=covered))
