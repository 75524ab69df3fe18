"""Whether a customer who disputes a charge has the money back already."""

from __future__ import annotations

from msgspec import structs

from mock_server.domain.dispute import covers
from mock_server.domain.payment import Payment
from mock_server.engine import related
from mock_server.engine.kinds import DISPUTES
from mock_server.store.protocol import Transaction


def look_again(tx: Transaction, payment: Payment) -> None:
    """Asks it of every dispute of a payment whose refunds changed."""
    if not payment.dispute_count:
        return
    for dispute in related.of_payment(tx, payment).disputes:
        covered = covers(payment, dispute.amount)
        if covered != dispute.is_already_refunded:
            tx.put(DISPUTES, structs.replace(dispute, is_already_refunded=covered))
