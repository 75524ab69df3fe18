"""A payment held for review, and what the merchant makes of it (facts §3.6)."""

from __future__ import annotations

from msgspec import structs

from mock_server.domain.errors import Cause, ObjectKind, Refusal
from mock_server.domain.events import EventType
from mock_server.domain.machine import apply_transition
from mock_server.domain.outcomes import Outcome, OutcomeStatus
from mock_server.domain.payment import Payment
from mock_server.domain.payment_parts import Failure
from mock_server.domain.statuses import MerchantDecision
from mock_server.domain.transitions import Trigger as H
from mock_server.domain.transitions import ask
from mock_server.engine import outbox
from mock_server.engine.context import CommandContext
from mock_server.engine.payments import access, charge, due
from mock_server.engine.vault import keeping
from mock_server.store.protocol import Transaction

REJECTION = "rejected_in_review"
AFTER_APPROVAL = ("capture", "void")
"""What a payment can wait for once its bank has said yes: too late to hold the charge."""


def approve(tx: Transaction, desk: CommandContext, payment_id: str) -> Payment:
    """Lets a held payment through: captured if it was to be, authorized otherwise. Refused as `status_forbids`."""
    payment = access.find(tx, payment_id)
    access.permit(payment, "approve")
    return decided(tx, desk, payment, OutcomeStatus.SUCCEEDED)


def reject(tx: Transaction, desk: CommandContext, payment_id: str) -> Payment:
    """Fails a held payment and releases its authorization. Refused as `status_forbids`."""
    payment = access.find(tx, payment_id)
    access.permit(payment, "reject")
    return decided(tx, desk, payment, OutcomeStatus.FAILED)


def decided(tx: Transaction, desk: CommandContext, payment: Payment, word: OutcomeStatus) -> Payment:
    """What a review comes to, whoever decided it."""
    due.nothing_more(tx, payment, due.SETTLE)
    payment, event = _approved(tx, desk, payment) if word is OutcomeStatus.SUCCEEDED else _rejected(desk, payment)
    return outbox.keep(tx, desk, payment, event)


def _approved(tx: Transaction, desk: CommandContext, payment: Payment) -> tuple[Payment, EventType | None]:
    let = structs.replace(keeping.keep(tx, desk, payment), merchant_decision=MerchantDecision.APPROVED, waiting=None)
    if payment.is_manual:
        before = due.authorization(tx, desk, payment)
        return apply_transition(let, H.APPROVED_AND_AUTHORIZED, desk.now, capture_before=before)
    return apply_transition(let, H.APPROVED_AND_CHARGED, desk.now, captured_amount=payment.authorized_amount)


def _rejected(desk: CommandContext, payment: Payment) -> tuple[Payment, EventType | None]:
    no = structs.replace(payment, merchant_decision=MerchantDecision.REJECTED, waiting=None, released=True)
    return apply_transition(no, H.REJECTED, desk.now, failure=Failure(REJECTION))


def hold(tx: Transaction, desk: CommandContext, payment_id: str) -> Payment:
    """Puts a payment under review (control API). Refused as `trigger_forbids`, also while a capture or void is open."""
    payment = access.find(tx, payment_id)
    access.permit_trigger(payment, "hold")
    if payment.waiting and payment.waiting.kind in AFTER_APPROVAL:
        states = tuple(sorted(ask("hold").allowed - {payment.status}))
        raise Refusal(
            Cause.TRIGGER_FORBIDS, trigger="hold", kind=ObjectKind.PAYMENT, status=payment.status, states=states
        )
    due.nothing_more(tx, payment, due.AUTHORIZATION, due.CUSTOMER, due.CHALLENGE, due.SEEN, due.SETTLE)
    waited = payment.waiting.outcome if payment.waiting else Outcome(OutcomeStatus.REQUIRES_MERCHANT_ACTION)
    return charge.hold(tx, desk, structs.replace(payment, next_action=None), waited)
