"""How a challenge ends: approved, declined, cancelled, too late, or unavailable (decisions "Cards")."""

from __future__ import annotations

from msgspec import structs

from mock_server.domain.commands import CompleteAuthorize
from mock_server.domain.outcomes import CHALLENGE_DECLINE, Challenge
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import PaymentStatus
from mock_server.domain.transitions import Trigger as H
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PAYMENTS
from mock_server.engine.payments import access, due
from mock_server.engine.payments.charge import answer, decide, fail
from mock_server.store.transaction import Transaction


def authenticate(tx: Transaction, context: CommandContext, payment_id: str, result: Challenge) -> Payment:
    """Ends a challenge or a hosted page. Refused as `trigger_forbids` if no customer is awaited."""
    payment = access.find(tx, payment_id)
    access.permit_trigger(payment, "authenticate")
    return finish(tx, context, payment, result)


def finish(tx: Transaction, context: CommandContext, payment: Payment, result: Challenge) -> Payment:
    """The payment after its challenge ended so."""
    if result is Challenge.ABANDONED:
        return payment
    due.nothing_more(tx, payment, due.CUSTOMER, due.CHALLENGE, due.SEEN)
    if result is not Challenge.APPROVED:
        return fail(tx, context, payment, H.CHALLENGE_FAILED, CHALLENGE_DECLINE[result])
    planned = payment.waiting.outcome.then if payment.waiting else None
    payment = structs.replace(payment, authenticated=True, next_action=None)
    return answer(tx, context, payment, decide(tx, context, payment) if planned is None else planned)


def complete(tx: Transaction, context: CommandContext, payment_id: str, command: CompleteAuthorize) -> Payment:
    """The client says the customer is back: a challenge whose result is fixed ends now, others stay open.

    Refused as `status_forbids` unless the payment requires an action (ours; the public API is laxer: facts §3.3).
    """
    payment = access.find_for(tx, context, payment_id, command.client_secret)
    access.permit(payment, "complete_authorize")
    if command.shipping is not None:
        payment = tx.put(PAYMENTS, structs.replace(payment, echo={**payment.echo, "shipping": command.shipping}))
    return end(tx, context, payment)


def end(tx: Transaction, context: CommandContext, payment: Payment) -> Payment:
    """Ends a challenge whose result is fixed; others stay open."""
    fixed = fixed_result(payment)
    return finish(tx, context, payment, fixed) if fixed else payment


def fixed_result(payment: Payment) -> Challenge | None:
    """How this challenge ends without anybody's decision; None if a person or the control API decides."""
    if payment.status is not PaymentStatus.REQUIRES_ACTION or payment.waiting is None:
        return None
    return payment.waiting.outcome.challenge
