"""Looking at refunds, and how one closes: the bank's answer, the clock, a poll, a trigger (facts §1.2, §3.7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import structs

from mock_server.domain.errors import Cause, ObjectKind, Refusal
from mock_server.domain.outcomes import Outcome, OutcomeStatus, Settles
from mock_server.domain.paging import Page, Query
from mock_server.domain.payment_parts import Failure, Waiting
from mock_server.domain.refund import REFUND_MACHINE, SCHEDULED, Refund, RetrieveRefund, leading_to
from mock_server.domain.refund import RefundTrigger as H
from mock_server.domain.statuses import RefundStatus as S
from mock_server.engine import listing, outbox
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import REFUNDS
from mock_server.engine.refunds import keeping
from mock_server.engine.refunds.keeping import SETTLES, happened
from mock_server.store.protocol import Transaction

FAILED = "refund_failed"
_OPEN_END = Settles()


def answer(tx: Transaction, desk: CommandContext, refund: Refund, outcome: Outcome) -> Refund:
    """Carries one answer of the connector out."""
    refund = structs.replace(refund, connector_refund_id=desk.new_id(tx, "connector_transaction"))
    return _ANSWERS.get(outcome.word, _submit)(tx, desk, refund, outcome)


def _succeed(tx: Transaction, desk: CommandContext, refund: Refund, outcome: Outcome) -> Refund:
    """The money is back; where the answer settles otherwise, it will come back to the merchant."""
    return happened(tx, desk, refund, H.SUCCEEDED, waiting=_schedule(tx, desk, refund, outcome))


def _fail(tx: Transaction, desk: CommandContext, refund: Refund, outcome: Outcome) -> Refund:
    return happened(tx, desk, refund, H.FAILED, waiting=None, failure=Failure(outcome.decline or FAILED))


def _hold(tx: Transaction, desk: CommandContext, refund: Refund, outcome: Outcome) -> Refund:
    return happened(tx, desk, refund, H.HELD, waiting=_schedule(tx, desk, refund, outcome))


def _submit(tx: Transaction, desk: CommandContext, refund: Refund, outcome: Outcome) -> Refund:
    """No answer yet: it comes by the clock, after some retrieves, or by a trigger."""
    waiting = _schedule(tx, desk, refund, outcome) or Waiting("connector", outcome)
    return tx.put(REFUNDS, structs.replace(refund, waiting=waiting))


def _schedule(tx: Transaction, desk: CommandContext, refund: Refund, outcome: Outcome) -> Waiting | None:
    settles = outcome.settles
    if settles is None:
        return None
    if settles.after_ms is not None:
        tx.schedule(desk.now + settles.after_ms, SETTLES, refund.refund_id)
    return Waiting("connector", outcome, settles.after_polls)


_Answer = Callable[[Transaction, CommandContext, Refund, Outcome], Refund]
_ANSWERS: dict[OutcomeStatus, _Answer] = {
    OutcomeStatus.SUCCEEDED: _succeed,
    OutcomeStatus.FAILED: _fail,
    OutcomeStatus.REQUIRES_MERCHANT_ACTION: _hold,
    OutcomeStatus.PENDING: _submit,
}


def settle(tx: Transaction, desk: CommandContext, refund_id: str, word: str, decline: str | None = None) -> Refund:
    """Brings a refund to `succeeded`, `failed` or `review` (control API). Refused as `trigger_forbids`."""
    return bring(tx, desk, keeping.find(tx, refund_id), S(word), decline)


def bring(tx: Transaction, desk: CommandContext, refund: Refund, target: S, decline: str | None) -> Refund:
    """The one change that leads from where a refund stands to where it shall."""
    row = REFUND_MACHINE.between(refund.status, target)
    if row is None:
        states = leading_to(target)
        raise Refusal(
            Cause.TRIGGER_FORBIDS, trigger="settle", kind=ObjectKind.REFUND, status=refund.status, states=states
        )
    tx.unschedule(SETTLES, refund.refund_id)
    failure = Failure(decline or FAILED) if row.target is S.FAILED else None
    number = refund.connector_refund_id or desk.new_id(tx, "connector_transaction")
    return happened(tx, desk, refund, row.what, waiting=None, failure=failure, connector_refund_id=number)


def due_settlement(tx: Transaction, desk: CommandContext, refund: Refund) -> Refund:
    """What the clock or the last poll does to a refund that still waits for something."""
    waiting = refund.waiting
    if waiting is None:
        return refund
    if waiting.kind == SCHEDULED:
        return answer(tx, desk, structs.replace(refund, waiting=None), waiting.outcome)
    settles = waiting.outcome.settles or _OPEN_END
    target = S.FAILED if settles.word is OutcomeStatus.FAILED else S.SUCCEEDED
    if REFUND_MACHINE.between(refund.status, target) is None:
        return tx.put(REFUNDS, structs.replace(refund, waiting=None))
    return bring(tx, desk, refund, target, settles.decline)


def polled(tx: Transaction, desk: CommandContext, refund: Refund) -> Refund:
    """Counts a retrieve of a refund that settles after some of them."""
    return outbox.polled(tx, desk, refund, due_settlement, REFUNDS)


ALIASES = {"refund_status": "status"}


def retrieve(tx: Transaction, desk: CommandContext, refund_id: str, query: RetrieveRefund) -> Refund:
    """The refund as it stands; counts as one poll where it settles after some. Refused as `object_unknown`.

    To ask the connector (`force_sync`) learns nothing more: its answers arrive by themselves here (ours).
    """
    return polled(tx, desk, keeping.find(tx, refund_id))


def page(tx: Transaction, desk: CommandContext, query: Query) -> Page[Refund]:
    """One page of refunds, newest first."""
    return listing.page(tx, REFUNDS, query, ALIASES)


def aggregate(tx: Transaction, desk: CommandContext, query: Query) -> Mapping[object, int]:
    """How many refunds stand in each status (facts §1.7)."""
    return listing.tally(tx, REFUNDS, "status", query, ALIASES)
