"""Captures: of the whole authorization, of a part, or in several parts (facts §3.5)."""

from __future__ import annotations

from msgspec import structs

from mock_server.domain.errors import Cause, Refusal, missing
from mock_server.domain.outcomes import OutcomeStatus
from mock_server.domain.payment import MANUAL, MANUAL_MULTIPLE, Capture, Failure, Payment
from mock_server.domain.statuses import CaptureStatus
from mock_server.domain.statuses import PaymentStatus as S
from mock_server.domain.transitions import TERMINAL
from mock_server.domain.transitions import Trigger as H
from mock_server.engine.context import CommandContext
from mock_server.engine.payments import access, charge, due
from mock_server.engine.payments.access import happened
from mock_server.engine.vault import mandates
from mock_server.store.transaction import Transaction

OVERCAPTURE_PERCENT = 20
"""How much more than was authorized an overcapture may take (ours)."""


def capture(tx: Transaction, context: CommandContext, payment_id: str, amount_to_capture: int | None = None) -> Payment:
    """Captures the whole capturable amount, or a part of it (minor units).

    Refused as `capture_method_forbids`, `capture_forbids`, `capture_was_the_one`, `capture_amount_missing`,
    `amount_over_capturable`, `mandate_exceeded`.
    """
    payment = access.find(tx, payment_id)
    _permit(payment)
    amount = _amount(tx, payment, amount_to_capture)
    outcome = charge.decided(tx, context, payment, "payments.capture")
    failed, pending = outcome.word is OutcomeStatus.FAILED, outcome.word is OutcomeStatus.PENDING
    part = Capture(
        sequence=len(payment.captures) + 1,
        amount=amount,
        status=CaptureStatus.FAILED if failed else CaptureStatus.PENDING if pending else CaptureStatus.CHARGED,
        attempt=payment.attempt_number,
        created_at=context.now,
        connector_capture_id=context.new_id(tx, "connector_transaction"),
        failure=Failure(outcome.decline or "processing_error") if failed else None,
        closes=payment.capture_method != MANUAL_MULTIPLE,
    )
    payment = structs.replace(payment, captures=(*payment.captures, part))
    if failed:
        return _failed(tx, context, payment, part.failure)
    if pending:  # the authorization's time goes on: what is not asked for until its end is released
        submitted = payment.capture_pending_amount + amount
        waiting = due.settlement(tx, context, payment_id, "capture", outcome, payment.waiting)
        return happened(tx, context, payment, H.CAPTURE_SUBMITTED, capture_pending_amount=submitted, waiting=waiting)
    return _charged(tx, context, payment, amount)


def _permit(payment: Payment) -> None:
    if not payment.is_manual and payment.status is S.PENDING:
        raise Refusal(Cause.CAPTURE_METHOD_FORBIDS, value=payment.capture_method, states=(MANUAL, MANUAL_MULTIPLE))
    is_done = payment.status is S.PARTIALLY_CAPTURED and payment.capture_method == MANUAL
    access.permit(payment, "capture", Cause.CAPTURE_WAS_THE_ONE if is_done else None)
    captures_more = payment.capture_method == MANUAL_MULTIPLE and payment.capture_pending_amount
    if payment.status is S.PENDING and not captures_more:
        states = (S.REQUIRES_CAPTURE, S.PARTIALLY_CAPTURED_AND_CAPTURABLE)
        raise Refusal(Cause.CAPTURE_FORBIDS, value=payment.status, states=states)


def _amount(tx: Transaction, payment: Payment, amount: int | None) -> int:
    capturable = payment.amount_capturable
    if amount is None:
        if payment.capture_method == MANUAL_MULTIPLE:
            why = "is required if capture_method is manual_multiple"
            raise missing("amount_to_capture", why, Cause.CAPTURE_AMOUNT_MISSING)
        return min(payment.amount_to_capture or capturable, capturable)
    if amount > most(payment):
        raise Refusal(Cause.AMOUNT_OVER_CAPTURABLE, amount=amount, capturable=most(payment))
    access.permit_amount(amount)
    if amount > capturable:
        mandates.permit_more(tx, payment, amount)
    return amount


def most(payment: Payment) -> int:
    """The largest amount that one capture may take; more than authorized only with overcapture (ours: 20 % more)."""
    if payment.is_overcapture_enabled:
        return payment.amount_capturable * (100 + OVERCAPTURE_PERCENT) // 100
    return payment.amount_capturable


def _charged(tx: Transaction, context: CommandContext, payment: Payment, amount: int) -> Payment:
    captured = payment.captured_amount + amount
    if payment.capture_pending_amount:  # another capture is open, and the payment waits for that
        what = H.CAPTURE_SUBMITTED
    elif captured >= payment.authorized_amount:
        what = H.CAPTURED_IN_FULL
    else:  # after an earlier capture the rest stays open, as a given payment can say
        is_multiple = payment.capture_method == MANUAL_MULTIPLE or payment.captured_amount
        what = H.CAPTURED_IN_PART if is_multiple else H.CAPTURED_AND_CLOSED
    due.disputes(tx, context, payment, payment.planned_disputes)
    waiting = payment.waiting if payment.capture_pending_amount else None
    charged = happened(tx, context, payment, what, captured_amount=captured, planned_disputes=(), waiting=waiting)
    return until_its_end(tx, context, charged)


def until_its_end(tx: Transaction, context: CommandContext, payment: Payment) -> Payment:
    """The payment, whose authorization or its rest ends when it would have; that can have passed meanwhile."""
    due.nothing_more(tx, payment, due.AUTHORIZATION)
    if payment.status in TERMINAL or payment.capture_before is None:
        return payment
    if payment.capture_before <= context.now:
        return authorization_over(tx, context, payment)
    tx.schedule(payment.capture_before, due.AUTHORIZATION, payment.payment_id)
    return payment


def authorization_over(tx: Transaction, context: CommandContext, payment: Payment) -> Payment:
    """The payment after its authorization ended, or what was left of it beside the captures that are open."""
    if payment.status is S.PENDING:
        return access.changed(tx, context, payment, released=True)
    part = payment.status is S.PARTIALLY_CAPTURED_AND_CAPTURABLE
    return happened(tx, context, payment, H.REST_RELEASED if part else H.AUTHORIZATION_EXPIRED, released=True)


def _failed(tx: Transaction, context: CommandContext, payment: Payment, failure: Failure | None) -> Payment:
    """The open captures fail, and so does the payment, unless a part was captured before."""
    due.nothing_more(tx, payment, due.SETTLE)
    what = H.REST_NOT_CAPTURED if payment.captured_amount else H.CAPTURE_FAILED
    captures = _closed(payment, CaptureStatus.FAILED, failure)
    changes = {"failure": failure, "capture_pending_amount": 0, "captures": captures}
    return until_its_end(tx, context, happened(tx, context, payment, what, **changes))


def _closed(payment: Payment, status: CaptureStatus, failure: Failure | None) -> tuple[Capture, ...]:
    """The captures after the open ones have ended."""
    return tuple(
        structs.replace(part, status=status, failure=failure) if part.status is CaptureStatus.PENDING else part
        for part in payment.captures
    )


def capture_settles(
    tx: Transaction, context: CommandContext, payment: Payment, word: OutcomeStatus, decline: str | None
) -> Payment:
    """Ends all open captures with one answer."""
    amount = payment.capture_pending_amount
    if word is not OutcomeStatus.SUCCEEDED:
        return _failed(tx, context, payment, Failure(decline or "processing_error"))
    captures = _closed(payment, CaptureStatus.CHARGED, None)
    return _charged(tx, context, structs.replace(payment, captures=captures, capture_pending_amount=0), amount)
