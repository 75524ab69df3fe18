"""What a payment leaves in the queue of due work, and by which names (decisions "Clock")."""

from __future__ import annotations

from mock_server import jsontext
from mock_server.domain.outcomes import DisputePlan, Outcome, Settles
from mock_server.domain.payment import Payment
from mock_server.engine.context import CommandContext
from mock_server.engine.payments import actions
from mock_server.store.protocol import Transaction

AUTHORIZATION = "payment.authorization_expires"
CUSTOMER = "payment.customer_time_over"
CHALLENGE = "payment.challenge_ends"
SETTLE = "payment.settles"
SEEN = "payment.money_seen"
DISPUTE = "payment.disputed"


def authorization(tx: Transaction, desk: CommandContext, payment: Payment) -> int | None:
    """Schedules the end of an authorization and gives its instant; None where authorizations never end."""
    if not desk.policy.authorization_expiry_ms:
        return None
    at = desk.now + desk.policy.authorization_expiry_ms
    tx.schedule(at, AUTHORIZATION, payment.payment_id)
    return at


def customer(tx: Transaction, desk: CommandContext, payment: Payment, outcome: Outcome) -> None:
    """Schedules the end of the customer's time, and of a challenge that ends by the clock."""
    flow, method = actions.flow_of(payment), actions.method_of(payment)
    time_ms = desk.policy.customer_time(flow, method)
    if time_ms:
        tx.schedule(desk.now + time_ms, CUSTOMER, payment.payment_id)
    if outcome.challenge_after_ms is not None:
        tx.schedule(desk.now + outcome.challenge_after_ms, CHALLENGE, payment.payment_id)
    if method and method.asynchronous and desk.policy.transfer_seen_after_ms:
        tx.schedule(desk.now + desk.policy.transfer_seen_after_ms, SEEN, payment.payment_id)


def settlement(tx: Transaction, desk: CommandContext, payment: Payment, settles: Settles | None) -> None:
    """Schedules the end of an open answer, where the clock ends it."""
    if settles is not None and settles.after_ms is not None:
        tx.schedule(desk.now + settles.after_ms, SETTLE, payment.payment_id)


def disputes(tx: Transaction, desk: CommandContext, payment: Payment, plans: tuple[DisputePlan, ...]) -> None:
    """Schedules the disputes that the card's bank will open over what has just been captured."""
    for plan in plans:
        words = {"reason": plan.reason, "stage": plan.stage, "amount": plan.amount, "percent": plan.percent}
        tx.schedule(desk.now + plan.after_ms, DISPUTE, payment.payment_id, jsontext.dump(words).decode())


def nothing_more(tx: Transaction, payment: Payment, *sorts: str) -> None:
    """Takes back what was due for a payment that moved on."""
    for sort in sorts:
        tx.unschedule(sort, payment.payment_id)
