"""Authorizations: incremented, extended, released, or ended by the clock; captures reversed (facts §1.1, §3.3)."""

from __future__ import annotations

from msgspec import structs

from mock_server.domain.commands import CancelPayment, IncrementAuthorization
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.outcomes import APPROVED, OutcomeStatus
from mock_server.domain.payment import Failure, Increment, Payment, Void
from mock_server.domain.statuses import IncrementStatus, RefundStatus
from mock_server.domain.statuses import PaymentStatus as S
from mock_server.domain.transitions import Trigger as H
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PAYMENTS
from mock_server.engine.payments import access, charge, due
from mock_server.engine.payments.access import happened
from mock_server.store.transaction import Transaction


def increment(tx: Transaction, context: CommandContext, payment_id: str, command: IncrementAuthorization) -> Payment:
    """Raises the authorized amount to a new total.

    Refused as `status_forbids`, `increment_not_allowed`, `increment_not_larger`.
    """
    payment = access.find(tx, payment_id)
    access.permit(payment, "increment")
    if not payment.request_incremental_authorization:
        raise Refusal(Cause.INCREMENT_NOT_ALLOWED)
    if command.amount <= payment.authorized_amount:
        raise Refusal(Cause.INCREMENT_NOT_LARGER, amount=command.amount, authorized=payment.authorized_amount)
    outcome = charge.decided(tx, context, payment, "payments.incremental_authorization")
    failed = outcome.word is OutcomeStatus.FAILED
    entry = Increment(
        authorization_id=context.new_id(tx, "authorization"),
        amount=command.amount,
        status=IncrementStatus.FAILURE if failed else IncrementStatus.SUCCESS,
        previously_authorized=payment.authorized_amount,
        reason=command.reason,
        failure=Failure(outcome.decline or "generic_decline") if failed else None,
    )
    raised: dict[str, int] = {}
    if not failed:
        extra = payment.net_amount - payment.amount
        raised = {"amount": command.amount - extra, "authorized_amount": command.amount}
    increments = (*payment.increments, entry)
    return tx.put(PAYMENTS, structs.replace(payment, increments=increments, modified_at=context.now, **raised))


def extend(tx: Transaction, context: CommandContext, payment_id: str) -> Payment:
    """Restarts the authorization's time. Refused as `status_forbids`."""
    payment = access.find(tx, payment_id)
    access.permit(payment, "extend")
    due.nothing_more(tx, payment, due.AUTHORIZATION)
    before = due.authorization(tx, context, payment)
    return tx.put(
        PAYMENTS, structs.replace(payment, capture_before=before, extended_at=context.now, modified_at=context.now)
    )


def expire_authorization(tx: Transaction, context: CommandContext, payment_id: str) -> Payment:
    """Ends an authorization (control API, clock). Refused as `trigger_forbids`."""
    payment = access.find(tx, payment_id)
    access.permit_trigger(payment, "expire_authorization")
    due.nothing_more(tx, payment, due.AUTHORIZATION)
    part = payment.status is S.PARTIALLY_CAPTURED_AND_CAPTURABLE
    return happened(tx, context, payment, H.REST_RELEASED if part else H.AUTHORIZATION_EXPIRED, released=True)


def expire_customer(tx: Transaction, context: CommandContext, payment_id: str) -> Payment:
    """Ends the customer's time for a page, voucher or transfer (control API, clock). Refused as `trigger_forbids`."""
    payment = access.find(tx, payment_id)
    access.permit_trigger(payment, "expire_customer")
    due.nothing_more(tx, payment, due.CUSTOMER, due.CHALLENGE, due.SEEN)
    return happened(tx, context, payment, H.CUSTOMER_TIME_OVER, waiting=None, next_action=None)


def expire_session(tx: Transaction, context: CommandContext, payment_id: str) -> Payment:
    """Ends a payment's session: its status stays, its client_secret is not valid any more (decisions "Clock")."""
    payment = access.find(tx, payment_id)
    return tx.put(PAYMENTS, structs.replace(payment, expires_at=min(payment.expires_at, context.now)))


AT_THE_CONNECTOR = frozenset({S.REQUIRES_CAPTURE, S.PARTIALLY_AUTHORIZED, S.PARTIALLY_CAPTURED_AND_CAPTURABLE})
"""The statuses with an authorization to release; in others a payment is cancelled without the connector."""


def cancel(tx: Transaction, context: CommandContext, payment_id: str, command: CancelPayment) -> Payment:
    """Cancels, or releases the rest of what was partly captured. Refused as `status_forbids`."""
    payment = access.find(tx, payment_id)
    access.permit(payment, "cancel")
    asked = payment.status in AT_THE_CONNECTOR
    outcome = charge.decided(tx, context, payment, "payments.cancel") if asked else APPROVED
    due.nothing_more(tx, payment, due.AUTHORIZATION, due.CUSTOMER, due.CHALLENGE, due.SEEN)
    payment = structs.replace(payment, cancellation_reason=command.cancellation_reason)
    if outcome.word is OutcomeStatus.FAILED:
        return _not_released(tx, context, payment, outcome.decline)
    if outcome.word is OutcomeStatus.PENDING:
        due.settlement(tx, context, payment, outcome.settles)
        return happened(tx, context, payment, H.VOID_SUBMITTED, waiting=due.waiting("void", outcome))
    part = payment.status is S.PARTIALLY_CAPTURED_AND_CAPTURABLE
    return _released(tx, context, payment, H.REST_RELEASED if part else H.CANCELLED)


def _released(tx: Transaction, context: CommandContext, payment: Payment, what: H) -> Payment:
    return happened(tx, context, payment, what, next_action=None, waiting=None, released=True)


def _not_released(tx: Transaction, context: CommandContext, payment: Payment, decline: str | None) -> Payment:
    return happened(tx, context, payment, H.VOID_FAILED, failure=Failure(decline or "processing_error"), waiting=None)


def void_settles(
    tx: Transaction, context: CommandContext, payment: Payment, word: OutcomeStatus, decline: str | None
) -> Payment:
    """Ends an open release."""
    if word is not OutcomeStatus.SUCCEEDED:
        return _not_released(tx, context, payment, decline)
    return _released(tx, context, payment, H.VOIDED_REST if payment.captured_amount else H.VOIDED)


def reversal(tx: Transaction, context: CommandContext, payment_id: str) -> Payment:
    """The payment with its reversal. Refused as `status_forbids` if it can have none."""
    payment = access.find(tx, payment_id)
    if payment.void is None:
        access.permit(payment, "cancel_post_capture")
    return payment


def cancel_post_capture(tx: Transaction, context: CommandContext, payment_id: str, command: CancelPayment) -> Payment:
    """Reverses a captured payment as a whole. Refused as `status_forbids`, `void_after_refund`."""
    payment = access.find(tx, payment_id)
    access.permit(payment, "cancel_post_capture")
    if payment.refunded_amount or payment.refund_pending_amount:
        raise Refusal(Cause.VOID_AFTER_REFUND, payment_id=payment_id)
    due.nothing_more(tx, payment, due.DISPUTE)
    reason = command.cancellation_reason
    void = Void(RefundStatus.SUCCEEDED, context.now, context.new_id(tx, "connector_transaction"), reason)
    return happened(tx, context, payment, H.REVERSED, void=void, cancellation_reason=reason)
