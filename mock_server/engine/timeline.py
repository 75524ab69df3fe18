"""A workspace's scheduled events: each is applied at its own instant, in order (decisions "Clock")."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final

import msgspec

from mock_server.domain.dispute import DisputeTrigger
from mock_server.domain.outcomes import DisputePlan, Settles
from mock_server.domain.statuses import DisputeStatus
from mock_server.domain.statuses import PaymentStatus as S
from mock_server.domain.transitions import ASK_BY_NAME
from mock_server.engine import disputes, refunds
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import DISPUTES, PAYMENTS, REFUNDS
from mock_server.engine.payments import capture, charge, due, settle
from mock_server.store.protocol import Due, RecordKind
from mock_server.store.transaction import Transaction

Apply = Callable[[Transaction, CommandContext, Due], None]
read_settles: Final = msgspec.json.Decoder(Settles).decode
read_plan: Final = msgspec.json.Decoder(DisputePlan).decode
"""Made here, on one thread: two threads that learn a class at once can end the process (store/records.py)."""


def _on(kind: RecordKind[Any], work: Callable[..., object], *statuses: StrEnum) -> Apply:
    """Work on a record that still exists, in one of these statuses if any are named; an entry can say how it ends."""

    def apply_to(tx: Transaction, context: CommandContext, entry: Due) -> None:
        record = tx.get(kind, entry.subject)
        if record is not None and (not statuses or record.status in statuses):
            planned = (read_settles(entry.argument),) if entry.argument else ()
            work(tx, context, record, *planned)

    return apply_to


HANDLERS: Final[dict[str, Apply]] = {
    due.CUSTOMER: _on(
        PAYMENTS,
        lambda tx, context, payment: settle.expire_customer(tx, context, payment.payment_id),
        S.REQUIRES_ACTION,
    ),
    due.CHALLENGE: _on(PAYMENTS, charge.end),
    due.SEEN: _on(PAYMENTS, settle.see_money, S.REQUIRES_ACTION),
    due.SETTLE: _on(PAYMENTS, settle.due_settlement, S.PENDING, S.REQUIRES_MERCHANT_ACTION),
    due.AUTHORIZATION: _on(
        PAYMENTS, capture.authorization_over, *ASK_BY_NAME["expire_authorization"].allowed, S.PENDING
    ),
    due.DISPUTE: lambda tx, context, entry: disputes.planned(tx, context, entry.subject, read_plan(entry.argument)),
    refunds.SETTLES: _on(REFUNDS, refunds.due_settlement),
    disputes.DEADLINE: _on(
        DISPUTES,
        lambda tx, context, dispute: disputes.happened(tx, context, dispute, DisputeTrigger.EXPIRED),
        DisputeStatus.OPENED,
    ),
    disputes.SETTLES: _on(DISPUTES, disputes.settles),
}
"""What each kind of scheduled event does, unless its record has changed in the meantime.

Deliveries of webhooks are not among them: they use the network.
"""

SORTS: Final = tuple(HANDLERS)
