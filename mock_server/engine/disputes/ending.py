"""Looking at disputes, and how one goes on and ends: conceded, decided, in a later stage (facts §3.7, §1.3)."""

from __future__ import annotations

from collections.abc import Mapping

from mock_server.domain.dispute import DISPUTE_MACHINE, ENDS_BY_WORD, Dispute, RetrieveDispute, stages_after
from mock_server.domain.dispute import DisputeTrigger as H
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.paging import Page, Query
from mock_server.domain.statuses import DisputeStage, DisputeStatus
from mock_server.engine import listing, outbox
from mock_server.engine.context import CommandContext
from mock_server.engine.disputes import keeping
from mock_server.engine.disputes.keeping import DEADLINE, happened
from mock_server.engine.disputes.opening import deadline, refuse_over_captured
from mock_server.engine.kinds import DISPUTES
from mock_server.engine.payments import access as payments
from mock_server.store.protocol import Transaction

NEXT_STAGE = "next_stage"
HAPPENINGS = {
    "won": H.WON,
    "lost": H.LOST,
    "challenged": H.CHALLENGED,
    "accepted": H.ACCEPTED,
    "cancelled": H.CANCELLED,
    "expired": H.EXPIRED,
}
LATER_STAGES = tuple(DisputeStage)[1:]
TARGETS = (*HAPPENINGS, *(stage.value for stage in LATER_STAGES), NEXT_STAGE)
"""What a dispute can be advanced to by the control API: an end, or a later stage."""


def accept(tx: Transaction, desk: CommandContext, dispute_id: str) -> Dispute:
    """Concedes: the customer keeps the money. Refused as `dispute_unknown`, `dispute_status_forbids`."""
    return happened(tx, desk, keeping.find_for(tx, dispute_id, "accept"), H.ACCEPTED)


def advance(tx: Transaction, desk: CommandContext, dispute_id: str, to: str) -> Dispute:
    """What the bank does next (control API): one of `TARGETS`.

    Refused as `dispute_unknown`, `trigger_forbids`, `dispute_over_captured`.
    """
    dispute = keeping.find(tx, dispute_id)
    what = HAPPENINGS.get(to)
    if what is None:
        return _escalated(tx, desk, dispute, to)
    if dispute.status not in DISPUTE_MACHINE.sources(what):
        raise _forbidden(dispute, dispute.status, DISPUTE_MACHINE.sources(what))
    return happened(tx, desk, dispute, what)


def _escalated(tx: Transaction, desk: CommandContext, dispute: Dispute, to: str) -> Dispute:
    """The same dispute in a later stage, open again and with time to challenge it."""
    later = stages_after(dispute.stage)
    stage = next(iter(later), None) if to == NEXT_STAGE else DisputeStage(to)
    if stage is None or stage not in later:
        before = tuple(s for s in DisputeStage if (stage or LATER_STAGES[-1]) in stages_after(s))
        raise _forbidden(dispute, dispute.stage, before)
    if not dispute.held_amount:
        refuse_over_captured(payments.find(tx, dispute.payment_id), dispute.amount)
    tx.unschedule(DEADLINE, dispute.dispute_id)
    until = deadline(tx, desk, dispute.dispute_id, stage)
    return happened(tx, desk, dispute, H.ESCALATED, stage=stage, challenge_required_by=until)


def _forbidden(dispute: Dispute, status: object, states: tuple[object, ...]) -> Refusal:
    return Refusal(Cause.TRIGGER_FORBIDS, trigger="advance", kind="dispute", status=status, states=states)


def deadline_over(tx: Transaction, desk: CommandContext, dispute: Dispute) -> None:
    """The time to challenge is over and nobody did."""
    if dispute.status is DisputeStatus.OPENED:
        happened(tx, desk, dispute, H.EXPIRED)


def settles(tx: Transaction, desk: CommandContext, dispute: Dispute) -> Dispute:
    """The bank decides on what it was shown, as was planned."""
    waiting = dispute.waiting
    planned = waiting.outcome.settles if waiting else None
    what = ENDS_BY_WORD.get(planned.word) if planned else None
    if what is None or dispute.status is not DisputeStatus.CHALLENGED:
        return dispute
    return happened(tx, desk, dispute, what)


ALIASES = {"dispute_status": "status", "dispute_stage": "stage"}


def retrieve(tx: Transaction, desk: CommandContext, dispute_id: str, query: RetrieveDispute) -> Dispute:
    """The dispute as it stands; counts as one poll where it is decided after some. Refused as `dispute_unknown`.

    To ask the connector (`force_sync`) learns nothing more: its answers arrive by themselves here (ours).
    """
    return outbox.polled(tx, desk, keeping.find(tx, dispute_id), settles, DISPUTES)


def page(tx: Transaction, desk: CommandContext, query: Query) -> Page[Dispute]:
    """One page of disputes, newest first."""
    return listing.page(tx, DISPUTES, query, ALIASES)


def aggregate(tx: Transaction, desk: CommandContext, query: Query) -> Mapping[object, int]:
    """How many disputes stand in each status (facts §1.7)."""
    return listing.tally(tx, DISPUTES, "status", query, ALIASES)
