"""Finding a refund."""

from __future__ import annotations

from mock_server.domain.errors import Cause, ObjectKind, Refusal
from mock_server.domain.refund import Refund
from mock_server.engine.kinds import REFUNDS
from mock_server.store.protocol import Transaction


def find(tx: Transaction, refund_id: str) -> Refund:
    """The refund of that id. Refused as `object_unknown`."""
    refund = tx.get(REFUNDS, refund_id)
    if refund is None:
        raise Refusal(Cause.OBJECT_UNKNOWN, kind=ObjectKind.REFUND, id=refund_id)
    return refund
