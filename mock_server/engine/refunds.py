"""Refunds: created, answered by the connector, settled later, changed (facts §1.2, §3.7, §8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from mock_server.domain.errors import Cause, FieldError, ObjectKind, Refusal, existing, trigger_forbids
from mock_server.domain.instants import DAY_MS, SECOND_MS
from mock_server.domain.limits import REFUND_AGE_MS, REFUNDS_PER_PAYMENT
from mock_server.domain.machine import apply_transition
from mock_server.domain.outcomes import Outcome, OutcomeStatus, Settles
from mock_server.domain.payment import Failure, Payment, Waiting, repeated
from mock_server.domain.refund import REFUND_MACHINE, SCHEDULED, CreateRefund, Refund, UpdateRefund, counted, refundable
from mock_server.domain.refund import RefundTrigger as H
from mock_server.domain.statuses import RefundStatus as S
from mock_server.engine import disputes, listing, outbox
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PAYMENTS, REFUNDS
from mock_server.engine.payments import access, charge
from mock_server.store.transaction import Transaction


def find(tx: Transaction, refund_id: str) -> Refund:
    """The refund of that id. Refused as `object_unknown`."""
    return existing(tx.get(REFUNDS, refund_id), ObjectKind.REFUND, refund_id)


SETTLES = "refund.settles"
SCHEDULED_AFTER_MS = 10 * SECOND_MS
"""When a scheduled refund is carried out (ours)."""


def happened(tx: Transaction, context: CommandContext, refund: Refund, what: H, **changes: Any) -> Refund:
    """The refund after something happened to it, stored with everything that follows."""
    moved, event = apply_transition(refund, what, context.now, **changes)
    keep_sums(tx, context, moved, refund.status)
    return outbox.keep(tx, context, moved, event, REFUNDS)


def keep_sums(tx: Transaction, context: CommandContext, refund: Refund, before: S | None) -> None:
    """Moves a refund's amount between the sums of its payment: from that of its old status to that of the new one."""
    payment = access.find(tx, refund.payment_id)
    payment = tx.put(PAYMENTS, counted(payment, refund.amount, before, refund.status, context.now))
    disputes.look_again(tx, payment)


FAILED = "refund_failed"


def answer(tx: Transaction, context: CommandContext, refund: Refund, outcome: Outcome) -> Refund:
    """Carries out one answer of the connector."""
    number = context.new_id(tx, "connector_transaction")
    refund = structs.replace(refund, connector_refund_id=number, modified_at=context.now)
    if outcome.word is OutcomeStatus.FAILED:
        return happened(tx, context, refund, H.FAILED, waiting=None, failure=Failure(outcome.decline or FAILED))
    waiting, settles = None, outcome.settles
    if settles is not None:
        waiting = Waiting("connector", outcome, settles.after_polls)
        if settles.after_ms is not None:
            tx.schedule(context.now + settles.after_ms, SETTLES, refund.refund_id)
    if outcome.word is OutcomeStatus.SUCCEEDED:
        # If the answer settles in another way, the money will come back to the merchant.
        return happened(tx, context, refund, H.SUCCEEDED, waiting=waiting)
    if outcome.word is OutcomeStatus.REQUIRES_MERCHANT_ACTION:
        return happened(tx, context, refund, H.HELD, waiting=waiting)
    # No answer yet: it comes by the clock, after some retrieves, or by a trigger.
    return tx.put(REFUNDS, structs.replace(refund, waiting=waiting or Waiting("connector", outcome)))


def settle(tx: Transaction, context: CommandContext, refund_id: str, status: S, decline: str | None = None) -> Refund:
    """Brings a refund to `succeeded`, `failed` or `review` (control API). Refused as `trigger_forbids`."""
    return bring(tx, context, find(tx, refund_id), status, decline)


def bring(tx: Transaction, context: CommandContext, refund: Refund, target: S, decline: str | None) -> Refund:
    """The refund after the one change that leads to this status. Refused as `trigger_forbids`."""
    row = REFUND_MACHINE.between(refund.status, target)
    if row is None:
        before = (status for status in S if REFUND_MACHINE.between(status, target))
        raise trigger_forbids("settle", ObjectKind.REFUND, refund.status, before)
    tx.unschedule(SETTLES, refund.refund_id)
    failure = Failure(decline or FAILED) if row.target is S.FAILED else None
    number = refund.connector_refund_id or context.new_id(tx, "connector_transaction")
    return happened(tx, context, refund, row.what, waiting=None, failure=failure, connector_refund_id=number)


def due_settlement(tx: Transaction, context: CommandContext, refund: Refund) -> Refund:
    """The refund after the clock or the last poll ended what it waits for."""
    waiting = refund.waiting
    if waiting is None:
        return refund
    if waiting.kind == SCHEDULED:
        return answer(tx, context, structs.replace(refund, waiting=None), waiting.outcome)
    settles = waiting.outcome.settles or Settles()
    target = S.FAILED if settles.word is OutcomeStatus.FAILED else S.SUCCEEDED
    if REFUND_MACHINE.between(refund.status, target) is None:
        return tx.put(REFUNDS, structs.replace(refund, waiting=None))
    return bring(tx, context, refund, target, settles.decline)


ALIASES = {"refund_status": "status"}


def retrieve(tx: Transaction, context: CommandContext, refund_id: str) -> Refund:
    """The refund; counts as one poll if it settles after some. Refused as `object_unknown`."""
    return outbox.polled(tx, context, find(tx, refund_id), due_settlement, REFUNDS)


page = listing.pages(REFUNDS, ALIASES)
aggregate = listing.aggregates(REFUNDS, ALIASES)


def create(tx: Transaction, context: CommandContext, command: CreateRefund) -> Refund:
    """Creates a refund of the whole captured amount, or of the command's (minor units).

    Refused as `object_unknown`, `refund_exists`, `refund_after_void`, `refund_forbids`, `merchant_id_foreign`,
    `refund_too_old`, `refund_attempts_exceeded`, `refund_over_captured`.
    """
    payment = access.find(tx, command.payment_id)
    _permit(tx, context, payment, command)
    amount = _amount(payment, command)
    refund = Refund(
        refund_id=command.refund_id or context.new_id(tx, "refund"),
        status=S.PENDING,
        amount=amount,
        created_at=context.now,
        modified_at=context.now,
        **repeated(payment),
        **command.carried,
    )
    keep_sums(tx, context, refund, None)
    tx.put(REFUNDS, refund)
    outcome = charge.decided(tx, context, payment, "refunds.create", metadata=refund.metadata, refund=refund)
    if refund.refund_type == SCHEDULED:
        # The connector is asked later; how it will answer was decided in this call.
        tx.schedule(context.now + SCHEDULED_AFTER_MS, SETTLES, refund.refund_id)
        return tx.put(REFUNDS, structs.replace(refund, waiting=Waiting(SCHEDULED, outcome)))
    return answer(tx, context, refund, outcome)


def _permit(tx: Transaction, context: CommandContext, payment: Payment, command: CreateRefund) -> None:
    if command.refund_id and tx.has(REFUNDS, command.refund_id):
        raise Refusal(Cause.REFUND_EXISTS, refund_id=command.refund_id)
    if payment.void is not None:
        raise Refusal(Cause.REFUND_AFTER_VOID, payment_id=payment.payment_id)
    access.permit(payment, "refund")
    if command.merchant_id not in (None, payment.merchant_id):
        raise Refusal(Cause.MERCHANT_ID_FOREIGN, field="merchant_id")
    if context.now - payment.created_at > REFUND_AGE_MS:
        raise Refusal(Cause.REFUND_TOO_OLD, days=REFUND_AGE_MS // DAY_MS)
    if payment.refund_count >= REFUNDS_PER_PAYMENT:
        raise Refusal(Cause.REFUND_ATTEMPTS_EXCEEDED, limit=REFUNDS_PER_PAYMENT)


def _amount(payment: Payment, command: CreateRefund) -> int:
    """The amount; by default everything captured, even if a part was refunded already (facts §8)."""
    amount = payment.captured_amount if command.amount is None else command.amount
    if amount > max(0, refundable(payment)) or (command.amount is None and not amount):
        raise Refusal(
            Cause.REFUND_OVER_CAPTURED,
            amount=amount,
            captured=payment.captured_amount,
            refunded=payment.refunded_amount + payment.refund_pending_amount,
            disputed=payment.disputed_amount,
        )
    access.permit_amount(amount)
    return amount


def update(tx: Transaction, context: CommandContext, refund_id: str, command: UpdateRefund) -> Refund:
    """Overwrites what was sent; metadata is replaced as a whole. Refused as `object_unknown`."""
    return _kept(tx, context, refund_id, command.carried)


def replace(tx: Transaction, context: CommandContext, refund_id: str, command: CreateRefund) -> Refund:
    """Replaces everything that may change; what the request leaves out goes back to its default.

    Refused as `object_unknown`, or `value_invalid` for another value of what is fixed.
    """
    sent = {**structs.asdict(command), **command.carried, "carried": None}
    changes = {"reason": sent.pop("reason", None), "metadata": sent.pop("metadata", None) or "{}"}
    refund = find(tx, refund_id)
    others = [name for name, value in sent.items() if value not in (None, getattr(refund, name, None))]
    if others:
        raise Refusal.of_fields([FieldError(name, "must equal that of the refund, which is fixed") for name in others])
    return _kept(tx, context, refund_id, changes)


def _kept(tx: Transaction, context: CommandContext, refund_id: str, sent: Mapping[str, Any]) -> Refund:
    return tx.put(REFUNDS, structs.replace(find(tx, refund_id), modified_at=context.now, **sent))
