"""Confirming a payment, first or again after a failure (interface §4.5, facts §3.3)."""

from __future__ import annotations

from msgspec import structs

from mock_server.domain.commands import PaymentRequest
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.payment import Payment
from mock_server.domain.profile import Profile
from mock_server.domain.statuses import AttemptStatus, PaymentStatus
from mock_server.engine import profiles
from mock_server.engine.context import CommandContext
from mock_server.engine.payments import access
from mock_server.engine.payments.charge import ask_issuer, retried
from mock_server.engine.payments.update import amended
from mock_server.store.protocol import Transaction

RETRIABLE = frozenset({AttemptStatus.AUTHENTICATION_FAILED, AttemptStatus.FAILURE})


def confirm(tx: Transaction, desk: CommandContext, payment_id: str, request: PaymentRequest) -> Payment:
    """Takes what the request adds, then asks the issuer.

    Refused as `status_forbids`, `retry_disabled`, `retry_window_over`, and as `rules.check` and `charge` refuse.
    """
    payment = access.find_for(tx, desk, payment_id, request.client_secret)
    access.permit(payment, "confirm")
    profile = profiles.find(tx, payment.profile_id)
    if payment.status is PaymentStatus.FAILED:
        _permit_retry(payment, profile, desk.now)
        payment = retried(payment, desk.now)
    payment = amended(tx, desk, payment, structs.replace(request, confirm=True), profile)
    return ask_issuer(tx, desk, payment, profile, request)


def _permit_retry(payment: Payment, profile: Profile, now: int) -> None:
    """A failed payment may be confirmed again where its profile allows it, in half its session's time."""
    if not profile.is_manual_retry_enabled or payment.attempt.status not in RETRIABLE:
        raise Refusal(Cause.RETRY_DISABLED, status=payment.status)
    ends_at = payment.created_at + payment.session_expiry_s * 1000 // 2
    if now > ends_at:
        raise Refusal(Cause.RETRY_WINDOW_OVER, ended_at=ends_at)
