"""Looking at payments (facts §1.1, interface §8)."""

from __future__ import annotations

from collections.abc import Mapping

from mock_server.domain.cards import by_name
from mock_server.domain.commands import RetrievePayment
from mock_server.domain.paging import Page, Query
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import PaymentStatus
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PAYMENTS
from mock_server.engine.payments import access
from mock_server.engine.payments.settle import due_settlement, polled
from mock_server.store.protocol import Transaction


def retrieve(tx: Transaction, desk: CommandContext, payment_id: str, query: RetrievePayment) -> Payment:
    """The payment as it stands; counts as one poll where it settles after some, and asks the connector if told to.

    Refused as `object_unknown`, and for a publishable key as `client_secret_wrong`, `client_secret_expired`.
    """
    payment = access.find_for(tx, desk, payment_id, query.client_secret)
    if payment.status is not PaymentStatus.PENDING:
        return payment
    if query.force_sync and answers_when_asked(payment):
        return due_settlement(tx, desk, payment)
    return polled(tx, desk, payment)


def answers_when_asked(payment: Payment) -> bool:
    """Whether the connector has an answer by now that it had not sent (ours: the time-out cards)."""
    row = by_name(payment.card.name) if payment.card else None
    return row is not None and row.issuer.on_sync


def page(tx: Transaction, desk: CommandContext, query: Query) -> Page[Payment]:
    """One page of payments, newest first."""
    return tx.find(PAYMENTS, query)


def aggregate(tx: Transaction, desk: CommandContext, query: Query) -> Mapping[object, int]:
    """How many payments stand in each status (ours: decisions, Reporting)."""
    return tx.tally(PAYMENTS, "status", query)
