"""Finding a refund, and keeping one that changed: its payment's sums move with it, disputes look again."""

from __future__ import annotations

from typing import Any

from mock_server.domain.errors import Cause, ObjectKind, Refusal
from mock_server.domain.machine import apply_transition
from mock_server.domain.refund import Refund, RefundTrigger, counted
from mock_server.domain.statuses import RefundStatus
from mock_server.engine import outbox
from mock_server.engine.context import CommandContext
from mock_server.engine.disputes import keeping
from mock_server.engine.kinds import PAYMENTS, REFUNDS
from mock_server.engine.payments import access
from mock_server.store.protocol import Transaction


def find(tx: Transaction, refund_id: str) -> Refund:
    """The refund of that id. Refused as `object_unknown`."""
    refund = tx.get(REFUNDS, refund_id)
    if refund is None:
        raise Refusal(Cause.OBJECT_UNKNOWN, kind=ObjectKind.REFUND, id=refund_id)
    return refund


SETTLES = "refund.settles"


def happened(tx: Transaction, desk: CommandContext, refund: Refund, what: RefundTrigger, **changes: Any) -> Refund:
    """The refund after something happened to it, kept with all that follows."""
    moved, event = apply_transition(refund, what, desk.now, **changes)
    keep_sums(tx, desk, moved, refund.status)
    return outbox.keep(tx, desk, moved, event, REFUNDS)


def keep_sums(tx: Transaction, desk: CommandContext, refund: Refund, before: RefundStatus | None) -> None:
    """Moves a refund's amount from the sum of its payment where it stood to the one where it stands."""
    payment = access.find(tx, refund.payment_id)
    payment = tx.put(PAYMENTS, counted(payment, refund.amount, before, refund.status, desk.now))
    keeping.look_again(tx, payment)
