"""What falls due in a workspace: each entry is applied at its own instant, in order (decisions "Clock")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from mock_server import jsontext
from mock_server.domain.outcomes import DisputePlan
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import PaymentStatus
from mock_server.engine import disputes, refunds
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import DISPUTES, PAYMENTS, REFUNDS
from mock_server.engine.payments import access, authorization, challenge, due, settle
from mock_server.store.protocol import Due, RecordKind, Transaction

R = TypeVar("R")
Apply = Callable[[Transaction, CommandContext, Due], None]


def apply(tx: Transaction, desk: CommandContext, entry: Due) -> None:
    """Applies one entry; what moved on in the meantime is passed over."""
    HANDLERS[entry.what](tx, desk, entry)


def _on(
    kind: RecordKind[R],
    work: Callable[[Transaction, CommandContext, R], object],
    holds: Callable[[R], bool] = lambda record: True,
) -> Apply:
    """Work on a record that is still there, and still stands so that the entry holds."""

    def apply_to(tx: Transaction, desk: CommandContext, entry: Due) -> None:
        record = tx.get(kind, entry.subject)
        if record is not None and holds(record):
            work(tx, desk, record)

    return apply_to


def _waits_for_customer(payment: Payment) -> bool:
    return payment.status is PaymentStatus.REQUIRES_ACTION


def _is_open(payment: Payment) -> bool:
    return payment.status in (PaymentStatus.PENDING, PaymentStatus.REQUIRES_MERCHANT_ACTION)


def _challenge_ends(tx: Transaction, desk: CommandContext, payment: Payment) -> None:
    result = challenge.fixed_result(payment)
    if result:
        challenge.finish(tx, desk, payment, result)


def _bank_disputes(tx: Transaction, desk: CommandContext, entry: Due) -> None:
    plan: Any = jsontext.parse(entry.argument.encode())
    disputes.planned(tx, desk, entry.subject, DisputePlan(**plan))


HANDLERS: Final[dict[str, Apply]] = {
    due.CUSTOMER: _on(
        PAYMENTS,
        lambda tx, desk, payment: authorization.expire_customer(tx, desk, payment.payment_id),
        _waits_for_customer,
    ),
    due.CHALLENGE: _on(PAYMENTS, _challenge_ends),
    due.SEEN: _on(PAYMENTS, settle.see_money, _waits_for_customer),
    due.SETTLE: _on(PAYMENTS, settle.due_settlement, _is_open),
    due.AUTHORIZATION: _on(
        PAYMENTS,
        lambda tx, desk, payment: authorization.expire_authorization(tx, desk, payment.payment_id),
        lambda payment: access.may(payment, "expire_authorization"),
    ),
    due.DISPUTE: _bank_disputes,
    refunds.SETTLES: _on(REFUNDS, refunds.due_settlement),
    disputes.DEADLINE: _on(DISPUTES, disputes.deadline_over),
    disputes.SETTLES: _on(DISPUTES, disputes.settles),
}
"""What each sort of due work does. Deliveries of webhooks are not among them: they go over the wire."""

SORTS: Final = tuple(HANDLERS)
