"""What stands under `then` becomes what the engine carries out."""

from __future__ import annotations

import pytest

from mock_server.domain.outcomes import Challenge, Outcome, OutcomeStatus, Settles
from tests.scenario.workspace import Workspace, charge

SOON = Settles(OutcomeStatus.SUCCEEDED, 30_000)
LATER = {"payments.capture": Outcome(OutcomeStatus.FAILED)}
SAID: dict[str, Outcome] = {
    "{outcome: succeeded}": Outcome(OutcomeStatus.SUCCEEDED),
    "{outcome: failed}": Outcome(OutcomeStatus.FAILED, decline="generic_decline"),
    "{decline: lost_card}": Outcome(OutcomeStatus.FAILED, decline="lost_card"),
    "{outcome: failed, decline: lost_card}": Outcome(OutcomeStatus.FAILED, decline="lost_card"),
    "{outcome: pending}": Outcome(OutcomeStatus.PENDING),
    "{outcome: requires_merchant_action}": Outcome(OutcomeStatus.REQUIRES_MERCHANT_ACTION),
    "{outcome: requires_action}": Outcome(OutcomeStatus.REQUIRES_ACTION),
    "{challenge: cancelled}": Outcome(OutcomeStatus.REQUIRES_ACTION, challenge=Challenge.CANCELLED),
    "{challenge: {result: approved, after: 2s}}": Outcome(
        OutcomeStatus.REQUIRES_ACTION, challenge=Challenge.APPROVED, challenge_after_ms=2_000
    ),
    "{challenge: approved, decline: lost_card}": Outcome(
        OutcomeStatus.REQUIRES_ACTION,
        challenge=Challenge.APPROVED,
        then=Outcome(OutcomeStatus.FAILED, decline="lost_card"),
    ),
    "{challenge: approved, settles: {after: 30s}}": Outcome(
        OutcomeStatus.REQUIRES_ACTION, challenge=Challenge.APPROVED, then=Outcome(OutcomeStatus.PENDING, settles=SOON)
    ),
    "{settles: {after: 30s, as: succeeded}}": Outcome(OutcomeStatus.PENDING, settles=SOON),
    "{settles: {after_polls: 3, as: failed}}": Outcome(
        OutcomeStatus.PENDING, settles=Settles(OutcomeStatus.FAILED, None, 3)
    ),
    "{settles: {after: 30s, as: failed}, decline: lost_card}": Outcome(
        OutcomeStatus.PENDING, settles=Settles(OutcomeStatus.FAILED, 30_000, decline="lost_card")
    ),
    "{settles: {after: 30s, as: failed, decline: lost_card}}": Outcome(
        OutcomeStatus.PENDING, settles=Settles(OutcomeStatus.FAILED, 30_000, decline="lost_card")
    ),
    "{outcome: requires_merchant_action, settles: {after: 30s}}": Outcome(
        OutcomeStatus.REQUIRES_MERCHANT_ACTION, settles=SOON
    ),
    "{later: {capture: failed}}": Outcome(OutcomeStatus.SUCCEEDED, later=LATER),
    "{challenge: approved, later: {capture: failed}}": Outcome(
        OutcomeStatus.REQUIRES_ACTION,
        challenge=Challenge.APPROVED,
        then=Outcome(OutcomeStatus.SUCCEEDED, later=LATER),
        later=LATER,
    ),
    "{later: {refund: {settles: {after: 30s}}, cancel: {decline: void_failed}}}": Outcome(
        OutcomeStatus.SUCCEEDED,
        later={
            "refunds.create": Outcome(OutcomeStatus.PENDING, settles=SOON),
            "payments.cancel": Outcome(OutcomeStatus.FAILED, decline="void_failed"),
        },
    ),
}


@pytest.mark.parametrize(("then", "outcome"), SAID.items(), ids=SAID)
def test_the_issuer_is_told(then: str, outcome: Outcome) -> None:
    assert Workspace(f"rules: [{{on: charge, then: {then}}}]").decide(charge()).outcome == outcome


ELSEWHERE: dict[str, tuple[str, Outcome]] = {
    "capture": (
        "{on: payments.capture, then: {outcome: failed}}",
        Outcome(OutcomeStatus.FAILED, decline="capture_failed"),
    ),
    "cancel": ("{on: payments.cancel, then: {outcome: pending}}", Outcome(OutcomeStatus.PENDING)),
    "refund": ("{on: refunds.create, then: {settles: {after: 30s}}}", Outcome(OutcomeStatus.PENDING, settles=SOON)),
    "refund failed": (
        "{on: refunds.create, then: {outcome: failed}}",
        Outcome(OutcomeStatus.FAILED, decline="refund_failed"),
    ),
    "dispute": ("{on: disputes.*, then: {outcome: won}}", Outcome(OutcomeStatus.WON)),
    "dispute later": (
        "{on: disputes.submit_evidence, then: {settles: {after: 30s, as: lost}}}",
        Outcome(OutcomeStatus.PENDING, settles=Settles(OutcomeStatus.LOST, 30_000)),
    ),
}
OPERATIONS = {"capture": "payments.capture", "cancel": "payments.cancel", "dispute": "disputes.submit_evidence"}


@pytest.mark.parametrize(("name", "rule", "outcome"), [(n, *row) for n, row in ELSEWHERE.items()], ids=ELSEWHERE)
def test_later_operations_are_told(name: str, rule: str, outcome: Outcome) -> None:
    operation = OPERATIONS.get(name.split()[0], "refunds.create")
    found = Workspace(f"rules: [{rule}]").decide(charge(names=(operation,), operation=operation))
    assert found.outcome == outcome
    assert found.because.by == "scenario"
