"""What a customer has to do next, and a payment's scheduled events (decisions "Clock")."""

from __future__ import annotations

import math

from mock_server import jsontext
from mock_server.domain import instructions
from mock_server.domain.methods import NEXT_ACTIONS, Flow, Method, find
from mock_server.domain.methods import flow_of as method_flow
from mock_server.domain.outcomes import DisputePlan, Outcome
from mock_server.domain.payment import Payment, Waiting
from mock_server.engine import profiles
from mock_server.engine.context import CommandContext
from mock_server.store.transaction import Transaction

STREAM = "instructions"


def method_of(payment: Payment) -> Method | None:
    """The table row of the payment's method; None for a card whose type was not named."""
    if payment.payment_method is None or payment.payment_method_type is None:
        return None
    return find((payment.payment_method, payment.payment_method_type))


def flow_of(payment: Payment) -> Flow:
    """How this customer pays; a card that is challenged is led through a page."""
    row = method_of(payment)
    if row is None or payment.card is not None:
        return Flow.REDIRECT
    flow = method_flow(row, payment.method.name if payment.method else None)
    return flow if flow in NEXT_ACTIONS else Flow.REDIRECT


def page_path(payment: Payment) -> str:
    """The path of the customer's page of the current attempt (facts §2.3)."""
    return f"/payments/redirect/{payment.payment_id}/{payment.merchant_id}/{payment.attempt_id}"


def page_url(payment: Payment) -> str:
    """The page's address in answers."""
    return f"{payment.link_base}{page_path(payment)}"


AUTHORIZATION = "payment.authorization_expires"
CUSTOMER = "payment.customer_time_over"
CHALLENGE = "payment.challenge_ends"
SETTLE = "payment.settles"
SEEN = "payment.money_seen"
DISPUTE = "payment.disputed"
OF_CUSTOMER = (CUSTOMER, CHALLENGE, SEEN)
"""What is scheduled while a payment waits for its customer."""


def authorization(
    tx: Transaction, context: CommandContext, payment: Payment, outcome: Outcome | None = None
) -> int | None:
    """Schedules the end of an authorization and returns it; None if authorizations never end."""
    time_ms = (outcome.expires_ms if outcome else None) or context.policy.authorization_expiry_ms
    if not time_ms:
        return None
    at = context.now + time_ms
    tx.schedule(at, AUTHORIZATION, payment.payment_id)
    return at


def customer(tx: Transaction, context: CommandContext, payment: Payment, outcome: Outcome) -> str:
    """Schedules the end of the customer's time, and of a challenge that ends by the clock; gives the `next_action`."""
    method, flow, link = method_of(payment), flow_of(payment), page_url(payment)
    time_ms = outcome.expires_ms or context.policy.customer_time(flow, method)
    until = context.now + time_ms if time_ms else None
    if until is not None:
        tx.schedule(until, CUSTOMER, payment.payment_id)
    if outcome.challenge_after_ms is not None:
        tx.schedule(context.now + outcome.challenge_after_ms, CHALLENGE, payment.payment_id)
    if method and method.asynchronous and context.policy.transfer_seen_after_ms:
        tx.schedule(context.now + context.policy.transfer_seen_after_ms, SEEN, payment.payment_id)
    about = instructions.Context(
        payment_id=payment.payment_id,
        amount=payment.net_amount,
        currency=payment.currency,
        merchant_name=profiles.merchant_name(tx.fact),
        page_url=link,
        qr_code_url=f"{link}/qr.svg",
        now=context.now,
        expires_at=until,
        digits=lambda length: context.randomness.digits(STREAM, tx.next(STREAM), length),
        country=payment.billing_country,
        qr_image=context.qr_image,
    )
    return jsontext.dump(instructions.next_action(flow, payment.payment_method_type, about)).decode()


def settlement(
    tx: Transaction,
    context: CommandContext,
    subject: str,
    kind: str,
    outcome: Outcome,
    before: Waiting | None = None,
    sort: str = SETTLE,
) -> Waiting:
    """What a record with an open answer waits for, which the clock may end: of two answers the one that is due first.

    The other's end by the clock stays scheduled too; each says itself how it ends.
    """
    settles, said = outcome.settles, ""
    if settles is not None and settles.after_ms is not None:
        said = jsontext.dump(settles).decode()
        tx.schedule(context.now + settles.after_ms, sort, subject, said)
    after = Waiting(kind, outcome, settles.after_polls if settles else None)
    if before is None:
        return after
    if after.polls is not None or before.polls is not None:
        return min(before, after, key=lambda one: math.inf if one.polls is None else one.polls)
    return after if said and next(one for one in tx.due_of(subject) if one.what == sort).argument == said else before


def disputes(tx: Transaction, context: CommandContext, payment: Payment, plans: tuple[DisputePlan, ...]) -> None:
    """Schedules the disputes that the card's bank opens after a capture."""
    for plan in plans:
        tx.schedule(context.now + plan.after_ms, DISPUTE, payment.payment_id, jsontext.dump(plan).decode())


def nothing_more(tx: Transaction, payment: Payment, *sorts: str) -> None:
    """Removes a payment's scheduled events of these kinds."""
    for sort in sorts:
        tx.unschedule(sort, payment.payment_id)
