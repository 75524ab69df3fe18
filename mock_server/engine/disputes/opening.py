"""How a dispute begins: by its card's plan, by a scenario's, or by a trigger (facts §7.2)."""

from __future__ import annotations

from mock_server.domain.dispute import CHALLENGE_MS, FIGHTABLE, Dispute, covers, disputable, reason_code, usual_amount
from mock_server.domain.errors import Cause, ObjectKind, Refusal
from mock_server.domain.events import EventType
from mock_server.domain.outcomes import DisputePlan
from mock_server.domain.payment import Payment, repeated
from mock_server.domain.statuses import DisputeStage, DisputeStatus
from mock_server.domain.statuses import PaymentStatus as S
from mock_server.engine import outbox
from mock_server.engine.context import CommandContext
from mock_server.engine.disputes import keeping
from mock_server.engine.kinds import DISPUTES
from mock_server.engine.payments import access
from mock_server.store.protocol import Transaction

DISPUTABLE = (S.SUCCEEDED, S.PARTIALLY_CAPTURED, S.PARTIALLY_CAPTURED_AND_CAPTURABLE)
"""Where money has been captured and not been given back as a whole."""


def open(
    tx: Transaction,
    desk: CommandContext,
    payment_id: str,
    reason: str = "general",
    stage: str = DisputeStage.DISPUTE,
    amount: int | None = None,
) -> Dispute:
    """Opens a dispute (control API), over the captured rest unless an amount is given (minor units).

    Refused as `object_unknown`, `trigger_forbids`, `dispute_over_captured`.
    """
    payment = access.find(tx, payment_id)
    if payment.status not in DISPUTABLE:
        raise Refusal(
            Cause.TRIGGER_FORBIDS,
            trigger="dispute",
            kind=ObjectKind.PAYMENT,
            status=payment.status,
            states=DISPUTABLE,
        )
    amount = usual_amount(payment) if amount is None else amount
    refuse_over_captured(payment, amount)
    return _opened(tx, desk, payment, reason, DisputeStage(stage), amount)


def refuse_over_captured(payment: Payment, amount: int) -> None:
    """No dispute takes more than was captured and nobody disputes yet."""
    most = disputable(payment)
    if not 0 < amount <= most:
        raise Refusal(Cause.DISPUTE_OVER_CAPTURED, amount=amount, captured=most)


def planned(tx: Transaction, desk: CommandContext, payment_id: str, plan: DisputePlan) -> None:
    """Opens the dispute that a card's bank had planned, as far as there is something left to dispute."""
    payment = access.find(tx, payment_id)
    rest = disputable(payment)
    wanted = plan.amount or max(1, payment.captured_amount * plan.percent // 100)
    if rest > 0:
        _opened(tx, desk, payment, plan.reason, DisputeStage(plan.stage), min(wanted, rest))


def deadline(tx: Transaction, desk: CommandContext, dispute_id: str, stage: DisputeStage) -> int | None:
    """Schedules the end of the time to challenge and gives its instant; None where nothing can be said any more."""
    if stage not in FIGHTABLE:
        return None
    at = desk.now + CHALLENGE_MS
    tx.schedule(at, keeping.DEADLINE, dispute_id)
    return at


def _opened(
    tx: Transaction, desk: CommandContext, payment: Payment, reason: str, stage: DisputeStage, amount: int
) -> Dispute:
    dispute_id = desk.new_id(tx, "dispute")
    dispute = Dispute(
        dispute_id=dispute_id,
        attempt_id=payment.attempt_id,
        amount=amount,
        stage=stage,
        status=DisputeStatus.OPENED,
        connector_dispute_id=desk.new_id(tx, "connector_transaction"),
        reason=reason,
        reason_code=reason_code(reason),
        created_at=desk.now,
        modified_at=desk.now,
        challenge_required_by=deadline(tx, desk, dispute_id, stage),
        is_already_refunded=covers(payment, amount),
        **repeated(payment),
        told=(EventType.DISPUTE_OPENED,),
    )
    keeping.hold(tx, desk, payment.payment_id, dispute.held_amount, opened=1)
    return outbox.keep(tx, desk, dispute, EventType.DISPUTE_OPENED, DISPUTES)
