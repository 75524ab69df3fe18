"""Finding a dispute, and saying no where its stage or status forbids what was asked (facts §3.7)."""

from __future__ import annotations

from mock_server.domain.dispute import Dispute
from mock_server.domain.dispute_transitions import ask
from mock_server.domain.errors import Cause, Refusal
from mock_server.engine.kinds import DISPUTES
from mock_server.store.protocol import Transaction


def find(tx: Transaction, dispute_id: str) -> Dispute:
    """The dispute of that id. Refused as `dispute_unknown`."""
    dispute = tx.get(DISPUTES, dispute_id)
    if dispute is None:
        raise Refusal(Cause.DISPUTE_UNKNOWN, id=dispute_id)
    return dispute


def find_for(tx: Transaction, dispute_id: str, name: str) -> Dispute:
    """The dispute, if it allows what is asked. Refused as `dispute_unknown`, `dispute_status_forbids`."""
    dispute = find(tx, dispute_id)
    row = ask(name)
    if dispute.stage not in row.stages or dispute.status not in row.statuses:
        raise Refusal(Cause.DISPUTE_STATUS_FORBIDS, action=row.action, stage=dispute.stage, status=dispute.status)
    return dispute
