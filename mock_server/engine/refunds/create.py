"""A new refund, and new words for one; its money and its ids stay (facts §1.2, §8; PUT replaces: interface §4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.instants import DAY_MS
from mock_server.domain.limits import REFUND_AGE_MS, REFUNDS_PER_PAYMENT
from mock_server.domain.outcomes import Outcome
from mock_server.domain.payment import Payment, repeated
from mock_server.domain.payment_parts import Waiting
from mock_server.domain.refund import SCHEDULED, SCHEDULED_AFTER_MS, CreateRefund, Refund, UpdateRefund, refundable
from mock_server.domain.statuses import RefundStatus
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import REFUNDS
from mock_server.engine.payments import access, decisions
from mock_server.engine.refunds import keeping
from mock_server.engine.refunds.settle import answer
from mock_server.store.protocol import Transaction

OPERATION = "refunds.create"


def create(tx: Transaction, desk: CommandContext, command: CreateRefund) -> Refund:
    """Gives money back: the whole captured amount, or what the command says (minor units).

    Refused as `object_unknown`, `refund_exists`, `refund_after_void`, `refund_forbids`, `merchant_id_foreign`,
    `refund_too_old`, `refund_attempts_exceeded`, `refund_over_captured`.
    """
    payment = access.find(tx, command.payment_id)
    _permit(tx, desk, payment, command)
    amount = _amount(payment, command)
    refund = _new(tx, desk, payment, command, amount)
    outcome = decisions.outcome(tx, desk, payment, OPERATION, metadata=refund.metadata, refund=refund)
    if refund.refund_type == SCHEDULED:
        return _wait_for_scheduler(tx, desk, refund, outcome)
    return answer(tx, desk, refund, outcome)


def _permit(tx: Transaction, desk: CommandContext, payment: Payment, command: CreateRefund) -> None:
    if command.refund_id and tx.version(REFUNDS, command.refund_id):
        raise Refusal(Cause.REFUND_EXISTS, refund_id=command.refund_id)
    if payment.void is not None:
        raise Refusal(Cause.REFUND_AFTER_VOID, payment_id=payment.payment_id)
    access.permit(payment, "refund")
    if command.merchant_id not in (None, payment.merchant_id):
        raise Refusal(Cause.MERCHANT_ID_FOREIGN, field="merchant_id")
    if desk.now - payment.created_at > REFUND_AGE_MS:
        raise Refusal(Cause.REFUND_TOO_OLD, days=REFUND_AGE_MS // DAY_MS)
    if payment.refund_count >= REFUNDS_PER_PAYMENT:
        raise Refusal(Cause.REFUND_ATTEMPTS_EXCEEDED, limit=REFUNDS_PER_PAYMENT)


def _amount(payment: Payment, command: CreateRefund) -> int:
    """What is refunded; without an amount the captured whole, also where a part has gone back already (facts §8)."""
    amount = payment.captured_amount if command.amount is None else command.amount
    if not amount or amount > refundable(payment):
        raise Refusal(
            Cause.REFUND_OVER_CAPTURED,
            amount=amount,
            captured=payment.captured_amount,
            refunded=payment.refunded_amount + payment.refund_pending_amount,
            disputed=payment.disputed_amount,
        )
    return amount


def _new(tx: Transaction, desk: CommandContext, payment: Payment, command: CreateRefund, amount: int) -> Refund:
    refund = Refund(
        refund_id=command.refund_id or desk.new_id(tx, "refund"),
        status=RefundStatus.PENDING,
        amount=amount,
        created_at=desk.now,
        modified_at=desk.now,
        **repeated(payment),
        **command.carried,
    )
    keeping.keep_sums(tx, desk, refund, None)
    return tx.put(REFUNDS, refund)


def _wait_for_scheduler(tx: Transaction, desk: CommandContext, refund: Refund, outcome: Outcome) -> Refund:
    """The connector is asked later; how it will answer was decided in this call."""
    tx.schedule(desk.now + SCHEDULED_AFTER_MS, keeping.SETTLES, refund.refund_id)
    return tx.put(REFUNDS, structs.replace(refund, waiting=Waiting(SCHEDULED, outcome)))


def update(tx: Transaction, desk: CommandContext, refund_id: str, command: UpdateRefund) -> Refund:
    """Overwrites what was sent; metadata is replaced as a whole. Refused as `object_unknown`."""
    return _kept(tx, desk, refund_id, command.carried)


def replace(tx: Transaction, desk: CommandContext, refund_id: str, command: UpdateRefund) -> Refund:
    """Puts the request in the place of everything that may change; what it leaves out goes back to its default."""
    return _kept(tx, desk, refund_id, {**command.carried, "metadata": command.carried["metadata"] or "{}"})


def _kept(tx: Transaction, desk: CommandContext, refund_id: str, sent: Mapping[str, Any]) -> Refund:
    refund = keeping.find(tx, refund_id)
    return tx.put(REFUNDS, structs.replace(refund, modified_at=desk.now, **sent))
