"""What falls due in a world: each entry is applied at its own instant, in order (decisions "Clock")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mock_server.domain.payment import Payment
from mock_server.domain.statuses import PaymentStatus
from mock_server.engine.desk import Desk
from mock_server.engine.kinds import PAYMENTS
from mock_server.engine.payments import access, authorization, challenge, due, settle
from mock_server.store.protocol import Due, Transaction

Apply = Callable[[Transaction, Desk, Due], None]


def apply(tx: Transaction, desk: Desk, entry: Due) -> None:
    """Applies one entry; what moved on in the meantime is passed over."""
    HANDLERS[entry.what](tx, desk, entry)


def _payment(tx: Transaction, entry: Due, *statuses: PaymentStatus) -> Payment | None:
    payment = tx.get(PAYMENTS, entry.subject)
    return payment if payment is not None and payment.status in statuses else None


def _customer_time_over(tx: Transaction, desk: Desk, entry: Due) -> None:
    if _payment(tx, entry, PaymentStatus.REQUIRES_ACTION):
        authorization.expire_customer(tx, desk, entry.subject)


def _challenge_ends(tx: Transaction, desk: Desk, entry: Due) -> None:
    payment = _payment(tx, entry, PaymentStatus.REQUIRES_ACTION)
    result = challenge.fixed_result(payment) if payment else None
    if payment and result:
        challenge.finish(tx, desk, payment, result)


def _money_seen(tx: Transaction, desk: Desk, entry: Due) -> None:
    payment = _payment(tx, entry, PaymentStatus.REQUIRES_ACTION)
    if payment:
        settle.see_money(tx, desk, payment)


def _settles(tx: Transaction, desk: Desk, entry: Due) -> None:
    payment = _payment(tx, entry, PaymentStatus.PENDING, PaymentStatus.REQUIRES_MERCHANT_ACTION)
    if payment:
        settle.due_settlement(tx, desk, payment)


def _authorization_expires(tx: Transaction, desk: Desk, entry: Due) -> None:
    payment = tx.get(PAYMENTS, entry.subject)
    if payment is not None and access.may(payment, "expire_authorization"):
        authorization.expire_authorization(tx, desk, entry.subject)


HANDLERS: Final[dict[str, Apply]] = {
    due.CUSTOMER: _customer_time_over,
    due.CHALLENGE: _challenge_ends,
    due.SEEN: _money_seen,
    due.SETTLE: _settles,
    due.AUTHORIZATION: _authorization_expires,
}
"""What each sort of due work does. Deliveries of webhooks are not among them: they go over the wire."""

SORTS: Final = tuple(HANDLERS)
