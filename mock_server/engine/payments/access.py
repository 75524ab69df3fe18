"""Finding a payment, refusing what its status or its caller forbids (facts §3.3), and what happens to it."""

from __future__ import annotations

from typing import Any, Final

from msgspec import structs

from mock_server.domain.errors import Cause, ObjectKind, Refusal, trigger_forbids, unknown, wrong_field
from mock_server.domain.ids import owner_of_secret
from mock_server.domain.limits import AMOUNT_MAX
from mock_server.domain.machine import apply_transition
from mock_server.domain.merchant import Profile
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import AttemptStatus, MethodStatus, PaymentStatus
from mock_server.domain.transitions import ASK_BY_NAME, Trigger
from mock_server.engine import outbox
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PAYMENT_METHODS, PAYMENTS, PROFILES
from mock_server.engine.vault import mandates
from mock_server.store.transaction import Transaction


def find(tx: Transaction, payment_id: str) -> Payment:
    """The payment of that id. Refused as `object_unknown`."""
    found = tx.get(PAYMENTS, payment_id)
    if found is None:  # not by `existing`: it is asked by nearly every call
        raise unknown(ObjectKind.PAYMENT, payment_id)
    return found


def find_for(tx: Transaction, context: CommandContext, payment_id: str, client_secret: str | None) -> Payment:
    """The payment, if the caller may see it: a publishable key needs its client_secret (facts §1.0).

    Refused as `object_unknown`, `client_secret_wrong` or `client_secret_expired`.
    """
    payment = find(tx, payment_id)
    if context.call.by_client:
        if client_secret != payment.client_secret:
            raise Refusal(Cause.CLIENT_SECRET_WRONG, kind=ObjectKind.PAYMENT)
        if context.now >= payment.expires_at:
            raise Refusal(Cause.CLIENT_SECRET_EXPIRED, expired_at=payment.expires_at)
    return payment


def find_by_secret(tx: Transaction, context: CommandContext, client_secret: str) -> Payment:
    """The payment of a client_secret. Refused as `find_for` is."""
    payment_id = owner_of_secret(client_secret)
    if not payment_id:
        raise Refusal(Cause.CLIENT_SECRET_WRONG, kind=ObjectKind.PAYMENT)
    return find_for(tx, context, payment_id, client_secret)


def happened(tx: Transaction, context: CommandContext, payment: Payment, what: Trigger, **changes: Any) -> Payment:
    """The payment after something happened to it, stored with the event that this raises."""
    moved, event = apply_transition(payment, what, context.now, **changes)
    if moved.status is PaymentStatus.FAILED or moved.payment_method_id is not None:
        moved = as_now(tx, moved, context.now)
        captured = ASK_BY_NAME["refund"].allowed
        if moved.stored and moved.status in captured and payment.status not in captured:
            mandates.use(tx, context, moved)
    return outbox.keep(tx, context, moved, event)


def as_now(tx: Transaction, payment: Payment, now: int) -> Payment:
    """The payment with what other records say of it now: whether it can be confirmed again, and its method's state."""
    may, method_id = None, payment.payment_method_id
    if payment.status is PaymentStatus.FAILED:
        may = retry_refusal(payment, tx.get(PROFILES, payment.profile_id), now) is None
    method = tx.get(PAYMENT_METHODS, method_id) if method_id else None
    gone, active = bool(method_id) and method is None, method is not None and method.status is MethodStatus.ACTIVE
    if (may, gone, active) == (payment.manual_retry_allowed, payment.method_deleted, payment.method_active):
        return payment
    return structs.replace(payment, manual_retry_allowed=may, method_deleted=gone, method_active=active)


def changed(tx: Transaction, context: CommandContext, payment: Payment, **changes: Any) -> Payment:
    """The payment after a change that raises no event, stored as a retrieve shows it."""
    return tx.put(PAYMENTS, as_now(tx, structs.replace(payment, modified_at=context.now, **changes), context.now))


_RETRIABLE: Final = (AttemptStatus.AUTHENTICATION_FAILED, AttemptStatus.FAILURE)


def permit_retry(payment: Payment, profile: Profile | None, now: int) -> None:
    """Refuses to confirm a failed payment again, unless its profile allows it, in the first half of its session.

    Refused as `retry_disabled`, `status_forbids` after a failed capture or void, or `retry_window_over`.
    """
    if profile is None or not profile.is_manual_retry_enabled:
        raise Refusal(Cause.RETRY_DISABLED, status=payment.status)
    if payment.attempt.status not in _RETRIABLE:
        raise Refusal(Cause.STATUS_FORBIDS, action="confirm", status=payment.status)
    ends_at = payment.created_at + payment.session_expiry_s * 1000 // 2
    if now > ends_at:
        raise Refusal(Cause.RETRY_WINDOW_OVER, ended_at=ends_at)


def retry_refusal(payment: Payment, profile: Profile | None, now: int) -> Refusal | None:
    """Why a failed payment cannot be confirmed again, if it cannot."""
    try:
        permit_retry(payment, profile, now)
    except Refusal as refusal:
        return refusal
    return None


def permit(payment: Payment, name: str, cause: Cause | None = None) -> None:
    """Refuses what the payment's status forbids, in the form of the row (facts §3.3), or as a cause of its own."""
    row = ASK_BY_NAME[name]
    if payment.status in row.allowed:
        return
    if row.refused_as is None:
        raise Refusal(Cause.STATUS_FORBIDS, action=row.action, status=payment.status)
    raise Refusal(cause or row.refused_as, value=payment.status, states=row.states)


def permit_amount(amount: int | None) -> None:
    """Refuses what no charge can be over, if the dialect's body does not (facts §3.5)."""
    if amount is not None and not 0 < amount <= AMOUNT_MAX:
        rule = "amount_too_large" if amount > 0 else "not_positive"
        raise wrong_field("amount", f"must be from 1 to {AMOUNT_MAX}", rule=rule)


def find_permitted(tx: Transaction, payment_id: str, name: str) -> Payment:
    """The payment, if its status allows the request. Refused as `object_unknown`, and as `permit` refuses."""
    payment = find(tx, payment_id)
    permit(payment, name)
    return payment


def find_triggered(tx: Transaction, payment_id: str, name: str) -> Payment:
    """The payment, if its status allows the trigger (control API). Refused as `object_unknown`, `trigger_forbids`."""
    payment, row = find(tx, payment_id), ASK_BY_NAME[name]
    if payment.status not in row.allowed:
        raise trigger_forbids(row.action, ObjectKind.PAYMENT, payment.status, sorted(row.allowed))
    return payment
