"""New words for a refund; its money and its ids stay (facts §1.2, §8; PUT replaces: interface §4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from mock_server.domain.refund import Refund
from mock_server.domain.refund_commands import UpdateRefund
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import REFUNDS
from mock_server.engine.refunds import access
from mock_server.store.protocol import Transaction


def update(tx: Transaction, desk: CommandContext, refund_id: str, command: UpdateRefund) -> Refund:
    """Overwrites what was sent; metadata is replaced as a whole. Refused as `object_unknown`."""
    return _kept(tx, desk, refund_id, command.carried)


def replace(tx: Transaction, desk: CommandContext, refund_id: str, command: UpdateRefund) -> Refund:
    """Puts the request in the place of everything that may change; what it leaves out goes back to its default."""
    return _kept(tx, desk, refund_id, {**command.carried, "metadata": command.carried["metadata"] or "{}"})


def _kept(tx: Transaction, desk: CommandContext, refund_id: str, sent: Mapping[str, Any]) -> Refund:
    refund = access.find(tx, refund_id)
    return tx.put(REFUNDS, structs.replace(refund, modified_at=desk.now, **sent))
