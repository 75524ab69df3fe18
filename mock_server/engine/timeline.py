"""What falls due in a workspace: each entry is applied at its own instant, in order (decisions "Clock")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mock_server import jsontext
from mock_server.domain.outcomes import DisputePlan
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import PaymentStatus
from mock_server.engine.context import CommandContext
from mock_server.engine.disputes import ending, opening
from mock_server.engine.disputes import keeping as disputes
from mock_server.engine.kinds import DISPUTES, PAYMENTS, REFUNDS
from mock_server.engine.payments import access, authorization, challenge, due, settle
from mock_server.engine.refunds import keeping as refunds
from mock_server.engine.refunds.settle import due_settlement
from mock_server.store.protocol import Due, Transaction

Apply = Callable[[Transaction, CommandContext, Due], None]


def apply(tx: Transaction, desk: CommandContext, entry: Due) -> None:
    """Applies one entry; what moved on in the meantime is passed over."""
    HANDLERS[entry.what](tx, desk, entry)


def _payment(tx: Transaction, entry: Due, *statuses: PaymentStatus) -> Payment | None:
    payment = tx.get(PAYMENTS, entry.subject)
    return payment if payment is not None and payment.status in statuses else None


def _customer_time_over(tx: Transaction, desk: CommandContext, entry: Due) -> None:
    if _payment(tx, entry, PaymentStatus.REQUIRES_ACTION):
        authorization.expire_customer(tx, desk, entry.subject)


def _challenge_ends(tx: Transaction, desk: CommandContext, entry: Due) -> None:
    payment = _payment(tx, entry, PaymentStatus.REQUIRES_ACTION)
    result = challenge.fixed_result(payment) if payment else None
    if payment and result:
        challenge.finish(tx, desk, payment, result)


def _money_seen(tx: Transaction, desk: CommandContext, entry: Due) -> None:
    payment = _payment(tx, entry, PaymentStatus.REQUIRES_ACTION)
    if payment:
        settle.see_money(tx, desk, payment)


def _settles(tx: Transaction, desk: CommandContext, entry: Due) -> None:
    payment = _payment(tx, entry, PaymentStatus.PENDING, PaymentStatus.REQUIRES_MERCHANT_ACTION)
    if payment:
        settle.due_settlement(tx, desk, payment)


def _authorization_expires(tx: Transaction, desk: CommandContext, entry: Due) -> None:
    payment = tx.get(PAYMENTS, entry.subject)
    if payment is not None and access.may(payment, "expire_authorization"):
        authorization.expire_authorization(tx, desk, entry.subject)


def _bank_disputes(tx: Transaction, desk: CommandContext, entry: Due) -> None:
    plan: Any = jsontext.parse(entry.argument.encode())
    opening.planned(tx, desk, entry.subject, DisputePlan(**plan))


def _refund_settles(tx: Transaction, desk: CommandContext, entry: Due) -> None:
    refund = tx.get(REFUNDS, entry.subject)
    if refund is not None:
        due_settlement(tx, desk, refund)


def _dispute_deadline(tx: Transaction, desk: CommandContext, entry: Due) -> None:
    dispute = tx.get(DISPUTES, entry.subject)
    if dispute is not None:
        ending.deadline_over(tx, desk, dispute)


def _dispute_settles(tx: Transaction, desk: CommandContext, entry: Due) -> None:
    dispute = tx.get(DISPUTES, entry.subject)
    if dispute is not None:
        ending.settles(tx, desk, dispute)


HANDLERS: Final[dict[str, Apply]] = {
    due.CUSTOMER: _customer_time_over,
    due.CHALLENGE: _challenge_ends,
    due.SEEN: _money_seen,
    due.SETTLE: _settles,
    due.AUTHORIZATION: _authorization_expires,
    due.DISPUTE: _bank_disputes,
    refunds.SETTLES: _refund_settles,
    disputes.DEADLINE: _dispute_deadline,
    disputes.SETTLES: _dispute_settles,
}
"""What each sort of due work does. Deliveries of webhooks are not among them: they go over the wire."""

SORTS: Final = tuple(HANDLERS)
