"""Looking at refunds (facts §1.2, interface §8)."""

from __future__ import annotations

from collections.abc import Mapping

from mock_server.domain.paging import Page, Query
from mock_server.domain.refund import Refund
from mock_server.domain.refund_commands import RetrieveRefund
from mock_server.engine import listing
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import REFUNDS
from mock_server.engine.refunds import access
from mock_server.engine.refunds.settle import polled
from mock_server.store.protocol import Transaction

ALIASES = {"refund_status": "status"}


def retrieve(tx: Transaction, desk: CommandContext, refund_id: str, query: RetrieveRefund) -> Refund:
    """The refund as it stands; counts as one poll where it settles after some. Refused as `object_unknown`.

    To ask the connector (`force_sync`) learns nothing more: its answers arrive by themselves here (ours).
    """
    return polled(tx, desk, access.find(tx, refund_id))


def page(tx: Transaction, desk: CommandContext, query: Query) -> Page[Refund]:
    """One page of refunds, newest first."""
    return listing.page(tx, REFUNDS, query, ALIASES)


def aggregate(tx: Transaction, desk: CommandContext, query: Query) -> Mapping[object, int]:
    """How many refunds stand in each status (facts §1.7)."""
    return listing.tally(tx, REFUNDS, "status", query, ALIASES)
