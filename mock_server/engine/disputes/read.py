"""Looking at disputes (facts §1.3, interface §8)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import structs

from mock_server.domain.dispute import Dispute
from mock_server.domain.dispute_commands import RetrieveDispute
from mock_server.domain.paging import Page, Query
from mock_server.engine import listing
from mock_server.engine.context import CommandContext
from mock_server.engine.disputes import access
from mock_server.engine.disputes.ending import settles
from mock_server.engine.kinds import DISPUTES
from mock_server.store.protocol import Transaction

ALIASES = {"dispute_status": "status", "dispute_stage": "stage"}


def retrieve(tx: Transaction, desk: CommandContext, dispute_id: str, query: RetrieveDispute) -> Dispute:
    """The dispute as it stands; counts as one poll where it is decided after some. Refused as `dispute_unknown`.

    To ask the connector (`force_sync`) learns nothing more: its answers arrive by themselves here (ours).
    """
    dispute = access.find(tx, dispute_id)
    waiting = dispute.waiting
    if waiting is None or waiting.polls is None:
        return dispute
    if waiting.polls > 1:
        return tx.put(DISPUTES, structs.replace(dispute, waiting=structs.replace(waiting, polls=waiting.polls - 1)))
    return settles(tx, desk, dispute)


def page(tx: Transaction, desk: CommandContext, query: Query) -> Page[Dispute]:
    """One page of disputes, newest first."""
    return listing.page(tx, DISPUTES, query, ALIASES)


def aggregate(tx: Transaction, desk: CommandContext, query: Query) -> Mapping[object, int]:
    """How many disputes stand in each status (facts §1.7)."""
    return listing.tally(tx, DISPUTES, "status", query, ALIASES)
