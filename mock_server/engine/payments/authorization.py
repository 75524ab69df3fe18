"""Raising an authorization, holding it longer, and its end by the clock (facts §1.1, §3.3)."""

from __future__ import annotations

from msgspec import structs

from mock_server.domain.commands import IncrementAuthorization
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.machine import apply_transition
from mock_server.domain.outcomes import OutcomeStatus
from mock_server.domain.payment import Payment
from mock_server.domain.payment_parts import Failure, Increment
from mock_server.domain.statuses import IncrementStatus
from mock_server.domain.statuses import PaymentStatus as S
from mock_server.domain.transitions import Trigger as H
from mock_server.engine import outbox
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PAYMENTS
from mock_server.engine.payments import access, decisions, due
from mock_server.store.protocol import Transaction

INCREMENT = "payments.incremental_authorization"


def increment(tx: Transaction, desk: CommandContext, payment_id: str, command: IncrementAuthorization) -> Payment:
    """Raises the authorized amount to a new total.

    Refused as `status_forbids`, `increment_not_allowed`, `increment_not_larger`.
    """
    payment = access.find(tx, payment_id)
    access.permit(payment, "increment")
    if not payment.request_incremental_authorization:
        raise Refusal(Cause.INCREMENT_NOT_ALLOWED)
    if command.amount <= payment.authorized_amount:
        raise Refusal(Cause.INCREMENT_NOT_LARGER, amount=command.amount, authorized=payment.authorized_amount)
    outcome = decisions.outcome(tx, desk, payment, INCREMENT)
    failed = outcome.word is OutcomeStatus.FAILED
    entry = Increment(
        authorization_id=desk.new_id(tx, "authorization"),
        amount=command.amount,
        status=IncrementStatus.FAILURE if failed else IncrementStatus.SUCCESS,
        previously_authorized=payment.authorized_amount,
        reason=command.reason,
        failure=Failure(outcome.decline or "generic_decline") if failed else None,
    )
    payment = structs.replace(payment, increments=(*payment.increments, entry), modified_at=desk.now)
    return tx.put(PAYMENTS, payment if failed else _raised(payment, command.amount))


def _raised(payment: Payment, total: int) -> Payment:
    beside = payment.net_amount - payment.amount
    return structs.replace(payment, amount=total - beside, authorized_amount=total)


def extend(tx: Transaction, desk: CommandContext, payment_id: str) -> Payment:
    """Starts the authorization's time anew. Refused as `status_forbids`."""
    payment = access.find(tx, payment_id)
    access.permit(payment, "extend")
    due.nothing_more(tx, payment, due.AUTHORIZATION)
    before = due.authorization(tx, desk, payment)
    return tx.put(PAYMENTS, structs.replace(payment, capture_before=before, extended_at=desk.now, modified_at=desk.now))


def expire_authorization(tx: Transaction, desk: CommandContext, payment_id: str) -> Payment:
    """Ends an authorization (control API, clock). Refused as `status_forbids`."""
    payment = access.find(tx, payment_id)
    access.permit_trigger(payment, "expire_authorization")
    due.nothing_more(tx, payment, due.AUTHORIZATION)
    part = payment.status is S.PARTIALLY_CAPTURED_AND_CAPTURABLE
    what = H.REST_RELEASED if part else H.AUTHORIZATION_EXPIRED
    payment, event = apply_transition(payment, what, desk.now, released=True)
    return outbox.keep(tx, desk, payment, event)


def expire_customer(tx: Transaction, desk: CommandContext, payment_id: str) -> Payment:
    """Ends the customer's time on a page, voucher or transfer (control API, clock). Refused as `status_forbids`."""
    payment = access.find(tx, payment_id)
    access.permit_trigger(payment, "expire_customer")
    due.nothing_more(tx, payment, due.CUSTOMER, due.CHALLENGE, due.SEEN)
    payment, event = apply_transition(payment, H.CUSTOMER_TIME_OVER, desk.now, waiting=None, next_action=None)
    return outbox.keep(tx, desk, payment, event)


def expire_session(tx: Transaction, desk: CommandContext, payment_id: str) -> Payment:
    """Ends a payment's session: its status stays, its client_secret opens nothing more (decisions "Clock")."""
    payment = access.find(tx, payment_id)
    return tx.put(PAYMENTS, structs.replace(payment, expires_at=min(payment.expires_at, desk.now)))
