"""Settling an authorization, whole, in part, or in several parts (facts §3.5)."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from mock_server.domain.commands import CapturePayment
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.machine import apply_transition
from mock_server.domain.outcomes import Outcome, OutcomeStatus
from mock_server.domain.payment import MANUAL, MANUAL_MULTIPLE, Payment
from mock_server.domain.payment_parts import Capture, Failure, Waiting
from mock_server.domain.statuses import CaptureStatus, PaymentStatus
from mock_server.domain.transitions import Trigger as H
from mock_server.engine import outbox
from mock_server.engine.context import CommandContext
from mock_server.engine.payments import access, decisions, due
from mock_server.engine.payments.rules import missing
from mock_server.store.protocol import Transaction

OPERATION = "payments.capture"
OVERCAPTURE_PERCENT = 20
"""How much more than was authorized an overcapture may take (ours)."""


def capture(tx: Transaction, desk: CommandContext, payment_id: str, command: CapturePayment) -> Payment:
    """Captures the whole capturable amount, or what the command says (minor units).

    Refused as `capture_method_forbids`, `capture_forbids`, `capture_amount_missing`, `amount_over_capturable`.
    """
    payment = access.find(tx, payment_id)
    _permit(payment)
    amount = _amount(payment, command)
    due.nothing_more(tx, payment, due.AUTHORIZATION)
    return _answered(tx, desk, payment, amount, decisions.outcome(tx, desk, payment, OPERATION))


def _permit(payment: Payment) -> None:
    if not payment.is_manual and payment.status is PaymentStatus.PENDING:
        raise Refusal(Cause.CAPTURE_METHOD_FORBIDS, value=payment.capture_method, states=(MANUAL, MANUAL_MULTIPLE))
    access.permit(payment, "capture")
    captures_more = payment.capture_method == MANUAL_MULTIPLE and payment.capture_pending_amount
    if payment.status is PaymentStatus.PENDING and not captures_more:
        states = (PaymentStatus.REQUIRES_CAPTURE, PaymentStatus.PARTIALLY_CAPTURED_AND_CAPTURABLE)
        raise Refusal(Cause.CAPTURE_FORBIDS, value=payment.status, states=states)


def _amount(payment: Payment, command: CapturePayment) -> int:
    capturable = payment.amount_capturable
    amount = command.amount_to_capture
    if amount is None:
        if payment.capture_method == MANUAL_MULTIPLE:
            raise missing(
                "amount_to_capture",
                "is required if capture_method is manual_multiple",
                Cause.CAPTURE_AMOUNT_MISSING,
            )
        return min(payment.amount_to_capture or capturable, capturable)
    if amount > most(payment):
        raise Refusal(Cause.AMOUNT_OVER_CAPTURABLE, amount=amount, capturable=capturable)
    return amount


def most(payment: Payment) -> int:
    """The largest amount that one capture may take; more than authorized only with overcapture (ours: 20 % more)."""
    if payment.enable_overcapture and payment.capture_method == MANUAL:
        return payment.amount_capturable * (100 + OVERCAPTURE_PERCENT) // 100
    return payment.amount_capturable


def _answered(tx: Transaction, desk: CommandContext, payment: Payment, amount: int, outcome: Outcome) -> Payment:
    part = Capture(
        sequence=len(payment.captures) + 1,
        amount=amount,
        status=_STATUS.get(outcome.word, CaptureStatus.CHARGED),
        attempt=payment.attempt_number,
        created_at=desk.now,
        connector_capture_id=desk.new_id(tx, "connector_transaction"),
        failure=Failure(outcome.decline or "processing_error") if outcome.word is OutcomeStatus.FAILED else None,
        closes=payment.capture_method != MANUAL_MULTIPLE,
    )
    payment = structs.replace(payment, captures=(*payment.captures, part))
    if outcome.word is OutcomeStatus.FAILED:
        return _failed(tx, desk, payment, part)
    if outcome.word is OutcomeStatus.PENDING:
        return _submitted(tx, desk, payment, part, outcome)
    return _charged(tx, desk, payment, amount)


_STATUS = {OutcomeStatus.FAILED: CaptureStatus.FAILED, OutcomeStatus.PENDING: CaptureStatus.PENDING}


def _charged(tx: Transaction, desk: CommandContext, payment: Payment, amount: int, **changes: Any) -> Payment:
    captured = payment.captured_amount + amount
    what = _what(payment, captured)
    due.disputes(tx, desk, payment, payment.planned_disputes)
    changes.update(captured_amount=captured, planned_disputes=())
    if not payment.capture_pending_amount:
        changes["waiting"] = None
    payment, event = apply_transition(payment, what, desk.now, **changes)
    payment = outbox.keep(tx, desk, payment, event)
    return _rest(tx, desk, payment) if payment.status is PaymentStatus.PARTIALLY_CAPTURED_AND_CAPTURABLE else payment


def _what(payment: Payment, captured: int) -> H:
    """What a capture comes to; while another one is open, the payment waits for that."""
    if payment.capture_pending_amount:
        return H.CAPTURE_SUBMITTED
    if captured >= payment.authorized_amount:
        return H.CAPTURED_IN_FULL
    return H.CAPTURED_IN_PART if payment.capture_method == MANUAL_MULTIPLE else H.CAPTURED_AND_CLOSED


def _rest(tx: Transaction, desk: CommandContext, payment: Payment) -> Payment:
    """The rest of an authorization expires when the whole would have; a capture can settle after that."""
    if payment.capture_before is None:
        return payment
    if payment.capture_before > desk.now:
        tx.schedule(payment.capture_before, due.AUTHORIZATION, payment.payment_id)
        return payment
    payment, event = apply_transition(payment, H.REST_RELEASED, desk.now, released=True)
    return outbox.keep(tx, desk, payment, event)


def _submitted(tx: Transaction, desk: CommandContext, payment: Payment, part: Capture, outcome: Outcome) -> Payment:
    settles = outcome.settles
    waiting = Waiting("capture", outcome, settles.after_polls if settles else None)
    pending = payment.capture_pending_amount + part.amount
    payment, event = apply_transition(
        payment, H.CAPTURE_SUBMITTED, desk.now, capture_pending_amount=pending, waiting=waiting
    )
    due.settlement(tx, desk, payment, settles)
    return outbox.keep(tx, desk, payment, event)


def _failed(tx: Transaction, desk: CommandContext, payment: Payment, part: Capture) -> Payment:
    """The payment fails, and what was still open of it with it."""
    changes: dict[str, Any] = {"failure": part.failure, "waiting": None, "capture_pending_amount": 0}
    changes["captures"] = _closed(payment, CaptureStatus.FAILED, part.failure)
    payment, event = apply_transition(payment, H.CAPTURE_FAILED, desk.now, **changes)
    return outbox.keep(tx, desk, payment, event)


def _closed(payment: Payment, status: CaptureStatus, failure: Failure | None) -> tuple[Capture, ...]:
    """The captures once those that were open have ended."""
    return tuple(
        structs.replace(part, status=status, failure=failure) if part.status is CaptureStatus.PENDING else part
        for part in payment.captures
    )


def capture_settles(
    tx: Transaction, desk: CommandContext, payment: Payment, word: OutcomeStatus, decline: str | None
) -> Payment:
    """Ends the captures that were still open, all with one answer."""
    amount = payment.capture_pending_amount
    failure = None if word is OutcomeStatus.SUCCEEDED else Failure(decline or "processing_error")
    if failure:
        return _failed(tx, desk, payment, structs.replace(payment.captures[-1], failure=failure))
    captures = _closed(payment, CaptureStatus.CHARGED, None)
    return _charged(tx, desk, structs.replace(payment, captures=captures, capture_pending_amount=0), amount)
