"""Attaching to a payment what its request pays with: a card, another payload, or something saved (facts §2.2, §8)."""

from __future__ import annotations

from msgspec import structs

from mock_server.domain.commands import PaymentRequest
from mock_server.domain.machine import apply_transition
from mock_server.domain.payment import Payment
from mock_server.domain.transitions import Trigger
from mock_server.engine.context import CommandContext
from mock_server.engine.payments import instrument
from mock_server.engine.vault import references
from mock_server.store.protocol import Transaction


def attach(tx: Transaction, desk: CommandContext, payment: Payment, request: PaymentRequest) -> Payment:
    """The payment with the method that the request carries or names; unchanged where it does neither."""
    if references.names_one(request):
        found = references.changes(tx, desk, payment, request)
        moved, _ = apply_transition(payment, Trigger.METHOD_ATTACHED, desk.now, **found)
        return moved
    named = {
        "payment_method": request.payment_method or payment.payment_method,
        "payment_method_type": request.payment_method_type or payment.payment_method_type,
    }
    given = request.payment_method_data
    if given is None:
        return structs.replace(payment, **named)
    before = references.NOTHING if payment.payment_method_id or payment.stored else {}
    kept = instrument.keep(tx, desk, given)
    moved, _ = apply_transition(payment, Trigger.METHOD_ATTACHED, desk.now, **{**before, **named, **kept})
    return moved
