"""How a customer's part ends: approved, declined, cancelled, too late, or the bank is down (decisions "Cards")."""

from __future__ import annotations

from msgspec import structs

from mock_server.domain.commands import CompleteAuthorize
from mock_server.domain.outcomes import CHALLENGE_DECLINE, Challenge, Outcome, OutcomeStatus
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import PaymentStatus
from mock_server.domain.transitions import Trigger as H
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PAYMENTS
from mock_server.engine.payments import access, due
from mock_server.engine.payments.charge import answer, decide, fail
from mock_server.store.protocol import Transaction


def authenticate(tx: Transaction, desk: CommandContext, payment_id: str, result: Challenge) -> Payment:
    """Ends a challenge or a hosted page. Refused as `status_forbids` where nobody waits for a customer."""
    payment = access.find(tx, payment_id)
    access.permit_trigger(payment, "authenticate")
    return finish(tx, desk, payment, result)


def finish(tx: Transaction, desk: CommandContext, payment: Payment, result: Challenge) -> Payment:
    """What a result makes of a payment that waits for its customer."""
    if result is Challenge.ABANDONED:
        return payment
    due.nothing_more(tx, payment, due.CUSTOMER, due.CHALLENGE, due.SEEN)
    if result is Challenge.APPROVED:
        return _passed(tx, desk, payment)
    return fail(tx, desk, payment, H.CHALLENGE_FAILED, CHALLENGE_DECLINE[result])


def _passed(tx: Transaction, desk: CommandContext, payment: Payment) -> Payment:
    """The customer was there: now the issuer decides, by what was planned or asked anew."""
    waiting = payment.waiting
    planned = waiting.outcome.then if waiting else None
    payment = structs.replace(payment, authenticated=True, next_action=None)
    outcome = planned if planned is not None else _asked_anew(tx, desk, payment)
    return answer(tx, desk, payment, outcome)


def _asked_anew(tx: Transaction, desk: CommandContext, payment: Payment) -> Outcome:
    outcome = decide(tx, desk, payment)
    if outcome.word is OutcomeStatus.REQUIRES_ACTION:  # one challenge is enough
        return outcome.then or structs.replace(outcome, word=OutcomeStatus.SUCCEEDED)
    return outcome


def complete(tx: Transaction, desk: CommandContext, payment_id: str, command: CompleteAuthorize) -> Payment:
    """The client says the customer is back: a challenge whose end is fixed ends now, others wait for their person.

    Refused as `status_forbids` unless the payment requires an action (ours; the public API is laxer: facts §3.3).
    """
    payment = access.find_for(tx, desk, payment_id, command.client_secret)
    access.permit(payment, "complete_authorize")
    if command.shipping is not None:
        payment = tx.put(PAYMENTS, structs.replace(payment, echo={**payment.echo, "shipping": command.shipping}))
    fixed = fixed_result(payment)
    return finish(tx, desk, payment, fixed) if fixed else payment


def fixed_result(payment: Payment) -> Challenge | None:
    """How this challenge ends without anybody's decision; None where a person or the API twin decides."""
    if payment.status is not PaymentStatus.REQUIRES_ACTION or payment.waiting is None:
        return None
    return payment.waiting.outcome.challenge
