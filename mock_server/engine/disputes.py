"""Disputes: opened, accepted, decided, moved on, retrieved (facts §1.3, §3.7); the payment and an event follow."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from mock_server.domain import dispute as disputes
from mock_server.domain.dispute import Dispute
from mock_server.domain.errors import Cause, Refusal, trigger_forbids
from mock_server.domain.events import EventType
from mock_server.domain.machine import apply_transition
from mock_server.domain.outcomes import DisputePlan, Settles
from mock_server.domain.payment import Payment, repeated
from mock_server.domain.statuses import DisputeStage, DisputeStatus
from mock_server.engine import listing, outbox, related
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import DISPUTES, PAYMENTS
from mock_server.engine.payments import access
from mock_server.store.transaction import Transaction


def find(tx: Transaction, dispute_id: str) -> Dispute:
    """The dispute of that id. Refused as `dispute_unknown`."""
    dispute = tx.get(DISPUTES, dispute_id)
    if dispute is None:
        raise Refusal(Cause.DISPUTE_UNKNOWN, id=dispute_id)
    return dispute


def find_for(tx: Transaction, dispute_id: str, name: str) -> Dispute:
    """The dispute, if it allows the request. Refused as `dispute_unknown`, `dispute_status_forbids`."""
    dispute = find(tx, dispute_id)
    row = disputes.DISPUTE_ASK_BY_NAME[name]
    if dispute.stage not in row.stages or dispute.status not in row.statuses:
        raise Refusal(Cause.DISPUTE_STATUS_FORBIDS, action=row.action, stage=dispute.stage, status=dispute.status)
    return dispute


DEADLINE = "dispute.deadline"
SETTLES = "dispute.settles"


def happened(
    tx: Transaction, context: CommandContext, dispute: Dispute, what: disputes.DisputeTrigger, **changes: Any
) -> Dispute:
    """The dispute after something happened to it, stored with everything that follows."""
    moved, event = apply_transition(dispute, what, context.now, **changes)
    if moved.status is not DisputeStatus.OPENED:
        tx.unschedule(DEADLINE, dispute.dispute_id)
    if moved.status is not DisputeStatus.CHALLENGED:
        tx.unschedule(SETTLES, dispute.dispute_id)
        moved = structs.replace(moved, waiting=None)
    hold(tx, context, dispute.payment_id, moved.held_amount - dispute.held_amount)
    return outbox.keep(tx, context, moved, event, DISPUTES)


def hold(tx: Transaction, context: CommandContext, payment_id: str, amount: int, *, opened: int = 0) -> None:
    """Adds to the disputed amount of a payment; a negative amount is subtracted."""
    if amount or opened:
        payment = access.find(tx, payment_id)
        disputed, count = payment.disputed_amount + amount, payment.dispute_count + opened
        moved = structs.replace(payment, disputed_amount=disputed, dispute_count=count, modified_at=context.now)
        tx.put(PAYMENTS, moved)


def look_again(tx: Transaction, payment: Payment) -> None:
    """Notes which disputes of a payment its refunds cover now."""
    if not payment.dispute_count:
        return
    for dispute in related.of(tx, payment).disputes:
        covered = disputes.covers(payment, dispute.amount)
        if covered != dispute.is_already_refunded:
            tx.put(DISPUTES, structs.replace(dispute, is_already_refunded=covered))


def open(
    tx: Transaction,
    context: CommandContext,
    payment_id: str,
    reason: str = disputes.GENERAL,
    stage: str = DisputeStage.DISPUTE,
    amount: int | None = None,
) -> Dispute:
    """Opens a dispute (control API), over the captured rest unless an amount is given (minor units).

    Refused as `object_unknown`, `trigger_forbids`, `dispute_over_captured`.
    """
    payment = access.find_triggered(tx, payment_id, "dispute")
    amount = (disputes.usual_amount(payment) or payment.captured_amount) if amount is None else amount
    refuse_over_captured(payment, amount)
    return _opened(tx, context, payment, amount, DisputePlan(reason, stage))


def refuse_over_captured(payment: Payment, amount: int) -> None:
    """Refused as `dispute_over_captured` if the amount is more than what can be disputed."""
    most = disputes.disputable(payment)
    if not 0 < amount <= most:
        raise Refusal(Cause.DISPUTE_OVER_CAPTURED, amount=amount, captured=most)


def planned(tx: Transaction, context: CommandContext, payment_id: str, plan: DisputePlan) -> None:
    """Opens the dispute that a card's bank planned, if something is left to dispute."""
    payment = access.find(tx, payment_id)
    rest = disputes.disputable(payment)
    wanted = plan.amount or max(1, payment.captured_amount * plan.percent // 100)
    if rest > 0:
        _opened(tx, context, payment, min(wanted, rest), plan)


def deadline(
    tx: Transaction, context: CommandContext, dispute_id: str, stage: DisputeStage, time_ms: int | None = None
) -> int | None:
    """Schedules the end of the time to challenge and returns it; None if the stage cannot be challenged."""
    if stage not in disputes.FIGHTABLE:
        return None
    at = context.now + (time_ms or disputes.CHALLENGE_MS)
    tx.schedule(at, DEADLINE, dispute_id)
    return at


def _opened(tx: Transaction, context: CommandContext, payment: Payment, amount: int, plan: DisputePlan) -> Dispute:
    dispute_id, stage = context.new_id(tx, "dispute"), DisputeStage(plan.stage)
    dispute = Dispute(
        dispute_id=dispute_id,
        attempt_id=payment.attempt_id,
        amount=amount,
        stage=stage,
        status=DisputeStatus.OPENED,
        connector_dispute_id=context.new_id(tx, "connector_transaction"),
        reason=plan.reason,
        reason_code=disputes.REASON_CODES.get(plan.reason),
        created_at=context.now,
        modified_at=context.now,
        challenge_required_by=deadline(tx, context, dispute_id, stage, plan.respond_ms),
        is_already_refunded=disputes.covers(payment, amount),
        **repeated(payment),
        told=(EventType.DISPUTE_OPENED,),
    )
    hold(tx, context, payment.payment_id, dispute.held_amount, opened=1)
    return outbox.keep(tx, context, dispute, EventType.DISPUTE_OPENED, DISPUTES)


NEXT_STAGE = "next_stage"
_H = disputes.DisputeTrigger
HAPPENINGS = {str(what): what for what in (_H.WON, _H.LOST, _H.CHALLENGED, _H.ACCEPTED, _H.CANCELLED, _H.EXPIRED)}
LATER_STAGES = tuple(DisputeStage)[1:]
TARGETS = (*HAPPENINGS, *(stage.value for stage in LATER_STAGES), NEXT_STAGE)
"""What a dispute can be advanced to by the control API: an end, or a later stage."""


def accept(tx: Transaction, context: CommandContext, dispute_id: str) -> Dispute:
    """Accepts a dispute: the customer keeps the money. Refused as `dispute_unknown`, `dispute_status_forbids`."""
    return happened(tx, context, find_for(tx, dispute_id, "accept"), disputes.DisputeTrigger.ACCEPTED)


def advance(tx: Transaction, context: CommandContext, dispute_id: str, to: str) -> Dispute:
    """What the bank does next (control API): one of `TARGETS`.

    Refused as `dispute_unknown`, `trigger_forbids`, `dispute_over_captured`.
    """
    dispute = find(tx, dispute_id)
    what = HAPPENINGS.get(to)
    if what is None:
        return _escalated(tx, context, dispute, to)
    if dispute.status not in disputes.DISPUTE_MACHINE.sources(what):
        raise trigger_forbids("advance", "dispute", dispute.status, disputes.DISPUTE_MACHINE.sources(what))
    return happened(tx, context, dispute, what)


def _escalated(tx: Transaction, context: CommandContext, dispute: Dispute, to: str) -> Dispute:
    """The same dispute in a later stage, open again and with time to challenge it."""
    later = disputes.stages_after(dispute.stage)
    stage = next(iter(later), None) if to == NEXT_STAGE else DisputeStage(to)
    if stage is None or stage not in later:
        before = (s for s in DisputeStage if (stage or LATER_STAGES[-1]) in disputes.stages_after(s))
        raise trigger_forbids("advance", "dispute", dispute.stage, before)
    if not dispute.held_amount:
        refuse_over_captured(access.find(tx, dispute.payment_id), dispute.amount)
    tx.unschedule(DEADLINE, dispute.dispute_id)
    until = deadline(tx, context, dispute.dispute_id, stage)
    return happened(tx, context, dispute, disputes.DisputeTrigger.ESCALATED, stage=stage, challenge_required_by=until)


def settles(tx: Transaction, context: CommandContext, dispute: Dispute, planned: Settles | None = None) -> Dispute:
    """The bank decides, as was planned."""
    planned = planned or (dispute.waiting.outcome.settles if dispute.waiting else None)
    what = disputes.ENDS_BY_WORD.get(planned.word) if planned else None
    if what is None or dispute.status is not DisputeStatus.CHALLENGED:
        return dispute
    return happened(tx, context, dispute, what)


ALIASES = {"dispute_status": "status", "dispute_stage": "stage"}


def retrieve(tx: Transaction, context: CommandContext, dispute_id: str) -> Dispute:
    """The dispute; counts as one poll if it is decided after some. Refused as `dispute_unknown`."""
    return outbox.polled(tx, context, find(tx, dispute_id), settles, DISPUTES)


page = listing.pages(DISPUTES, ALIASES)
aggregate = listing.aggregates(DISPUTES, ALIASES)
