"""The dispute's states and stages, and what it holds back (facts §3.7)."""

from __future__ import annotations

import pytest
from msgspec import structs

from mock_server.domain.dispute import (
    DISPUTE_ASKS,
    DISPUTE_MACHINE,
    EVIDENCE_FILES,
    EVIDENCE_TEXTS,
    REASON_CODES,
    Dispute,
    DisputeTrigger,
    covers,
    disputable,
    of_its_own,
    stages_after,
    usual_amount,
)
from mock_server.domain.machine import ImpossibleTransition, Transition, apply_transition
from mock_server.domain.payment import Void
from mock_server.domain.statuses import DisputeStage, RefundStatus
from mock_server.domain.statuses import DisputeStatus as S
from tests.domain.records import PAYMENT

ENDS = {S.ACCEPTED, S.CANCELLED, S.EXPIRED, S.WON, S.LOST}
MAY_FOLLOW = {S.OPENED: {S.CHALLENGED, *ENDS}, S.CHALLENGED: {S.CHALLENGED, *ENDS}, **{end: set() for end in ENDS}}
"""Facts §3.7 within one stage, written anew; evidence can be added while the bank looks at it."""
FORWARD = ["pre_dispute", "dispute", "pre_arbitration", "arbitration", "dispute_reversal"]

DISPUTE = Dispute(
    dispute_id="dp_1",
    payment_id="pay_1",
    attempt_id="pay_1_1",
    merchant_id="mer_1",
    profile_id="pro_1",
    amount=600,
    currency="USD",
    stage=DisputeStage.DISPUTE,
    status=S.OPENED,
    connector="sandbox",
    connector_dispute_id="txn_1",
    reason="fraudulent",
    reason_code="10.4",
    created_at=0,
    modified_at=0,
    challenge_required_by=None,
)


@pytest.mark.parametrize("source", list(S))
@pytest.mark.parametrize("target", list(S))
def test_the_edges_within_a_stage_are_those_of_the_facts(source: S, target: S) -> None:
    edges = {row.target for row in DISPUTE_MACHINE.rows if row.source is source and row.what != "escalated"}
    assert (target in edges) is (target in MAY_FOLLOW[source])


@pytest.mark.parametrize("source", list(S))
def test_a_later_stage_opens_it_anew_from_anywhere(source: S) -> None:
    row = DISPUTE_MACHINE.after(source, DisputeTrigger.ESCALATED)
    assert row is not None
    assert row.target is S.OPENED


def test_stages_only_go_forward() -> None:
    for at, stage in enumerate(FORWARD):
        assert [str(later) for later in stages_after(DisputeStage(stage))] == FORWARD[at + 1 :]


@pytest.mark.parametrize("row", DISPUTE_MACHINE.rows, ids=str)
def test_an_edge_tells_its_target(row: Transition[S, DisputeTrigger]) -> None:
    assert row.event is not None
    assert row.event.value == row.target.value


@pytest.mark.parametrize("status", list(S))
@pytest.mark.parametrize("what", list(DisputeTrigger))
def test_what_the_table_does_not_have_cannot_happen(status: S, what: DisputeTrigger) -> None:
    dispute = structs.replace(DISPUTE, status=status)
    if status in DISPUTE_MACHINE.sources(what):
        moved, event = apply_transition(dispute, what, 5)
        assert (moved.modified_at, event in moved.told) == (5, True)
        assert apply_transition(structs.replace(moved, status=status), what, 6)[1] is None
    else:
        with pytest.raises(ImpossibleTransition):
            apply_transition(dispute, what, 5)


def test_the_asks_are_those_of_the_facts() -> None:
    open_ones = {S.OPENED, S.CHALLENGED}
    rows = {row.name: ({str(s) for s in row.stages}, set(row.statuses)) for row in DISPUTE_ASKS}
    assert rows["accept"] == rows["submit_evidence"] == (set(FORWARD[:4]), open_ones)
    assert rows["attach_evidence"] == rows["delete_evidence"] == ({"dispute"}, {S.OPENED})


def test_the_kinds_of_evidence_are_those_of_the_facts() -> None:
    assert (len(EVIDENCE_TEXTS), len(EVIDENCE_FILES)) == (16, 10)
    assert not set(EVIDENCE_TEXTS) & set(EVIDENCE_FILES)


@pytest.mark.parametrize("status", list(S))
def test_won_and_cancelled_disputes_let_the_money_go(status: S) -> None:
    held = 0 if status in (S.WON, S.CANCELLED) else 600
    assert structs.replace(DISPUTE, status=status).held_amount == held


@pytest.mark.parametrize(
    ("refunded", "disputed", "most", "usual"),
    [(0, 0, 1000, 1000), (400, 0, 1000, 600), (1000, 0, 1000, 1000), (0, 300, 700, 700), (0, 1000, 0, 0)],
)
def test_how_much_can_be_disputed(refunded: int, disputed: int, most: int, usual: int) -> None:
    payment = structs.replace(PAYMENT, refunded_amount=refunded, disputed_amount=disputed)
    assert (disputable(payment), usual_amount(payment)) == (most, usual)


def test_nothing_of_a_reversed_charge_can_be_disputed() -> None:
    assert disputable(structs.replace(PAYMENT, void=Void(RefundStatus.SUCCEEDED, 0, "txn_1"))) == 0


@pytest.mark.parametrize(("refunded", "covered"), [(0, False), (599, False), (600, True), (601, True)])
def test_refunds_cover_a_dispute_once_they_reach_it(refunded: int, covered: bool) -> None:
    assert covers(structs.replace(PAYMENT, refunded_amount=refunded), 600) is covered


@pytest.mark.parametrize("reason", REASON_CODES)
def test_a_reason_of_the_table_needs_no_note(reason: str) -> None:
    assert of_its_own(reason) is None
    spelled = reason.replace("_", " ").upper()
    if spelled.lower() != reason:
        assert of_its_own(spelled) == (
            f"{spelled!r} is not a reason with a network code, so this dispute has no code; "
            f"did you mean {reason} ({REASON_CODES[reason]})?"
        )


def test_a_reason_like_none_of_the_table_is_told_all() -> None:
    every = ", ".join(f"{name} ({code})" for name, code in REASON_CODES.items())
    for said in ("zzz", "z" * 61):
        shown = f"{said[:60]!r} is not a reason with a network code, so this dispute has no code"
        assert of_its_own(said) == f"{shown}; reasons with a code: {every}"
