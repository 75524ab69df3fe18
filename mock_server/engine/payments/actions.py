"""What a customer has to do next: the flow of a payment's method, and the instructions that lead through it."""

from __future__ import annotations

from mock_server.domain import instructions
from mock_server.domain.methods import Flow, Method, find
from mock_server.domain.methods import flow_of as method_flow
from mock_server.domain.payment import Payment
from mock_server.engine.context import CommandContext
from mock_server.store.protocol import Transaction

STREAM = "instructions"


def method_of(payment: Payment) -> Method | None:
    """The table row of the payment's method; None for a card whose type was not named."""
    if payment.payment_method is None or payment.payment_method_type is None:
        return None
    return find(payment.payment_method, payment.payment_method_type)


def flow_of(payment: Payment) -> Flow:
    """How this customer pays; a card that is challenged is led through a page."""
    row = method_of(payment)
    if row is None or payment.card is not None:
        return Flow.REDIRECT
    flow = method_flow(row, payment.method.name if payment.method else None)
    return Flow.REDIRECT if flow is Flow.CHARGE else flow


def page_url(payment: Payment) -> str:
    """The customer's page of the present attempt (facts §2.3)."""
    place = f"{payment.payment_id}/{payment.merchant_id}/{payment.attempt_id}"
    return f"{payment.link_base}/payments/redirect/{place}"


def next_action(tx: Transaction, desk: CommandContext, payment: Payment, flow: Flow) -> dict[str, object]:
    """The `next_action` of a payment whose customer must act."""
    link = page_url(payment)
    context = instructions.Context(
        payment_id=payment.payment_id,
        amount=payment.net_amount,
        currency=payment.currency,
        merchant_name=desk.policy.merchant_name,
        page_url=link,
        now=desk.now,
        expires_at=desk.now + desk.policy.customer_time(flow, method_of(payment)),
        digits=lambda length: desk.randomness.digits(STREAM, tx.next(STREAM), length),
        country=payment.billing_country,
        qr_code_url=f"{link}/qr.svg",
        qr_image=desk.qr_image,
    )
    return instructions.next_action(flow, payment.payment_method_type, context)
