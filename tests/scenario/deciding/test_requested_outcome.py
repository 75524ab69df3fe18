"""The call's own words: X-Sandbox-Outcome and metadata.sandbox_outcome."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.outcomes import Challenge, Outcome, OutcomeStatus, Settles
from mock_server.domain.statuses import ALIASES
from mock_server.scenario.deciding.decide import RequestedOutcomeWrong, parse_requested_outcome, requested_outcome_on
from mock_server.scenario.model.answers import ALLOWED, allowed_on, say
from tests.scenario.workspace import Workspace, charge

FAILS = Outcome(OutcomeStatus.FAILED, decline="insufficient_funds")
WISHES = {
    "succeeded": Outcome(OutcomeStatus.SUCCEEDED),
    " succeeded ": Outcome(OutcomeStatus.SUCCEEDED),
    "failed": Outcome(OutcomeStatus.FAILED),
    "failed:insufficient_funds": FAILS,
    "requires_action": Outcome(OutcomeStatus.REQUIRES_ACTION),
    "requires_action:approved": Outcome(OutcomeStatus.REQUIRES_ACTION, challenge=Challenge.APPROVED),
    "requires_action:abandoned": Outcome(OutcomeStatus.REQUIRES_ACTION, challenge=Challenge.ABANDONED),
    "requires_action:approved:insufficient_funds": Outcome(
        OutcomeStatus.REQUIRES_ACTION, challenge=Challenge.APPROVED, then=FAILS
    ),
    "requires_action:approved:succeeded": Outcome(
        OutcomeStatus.REQUIRES_ACTION, challenge=Challenge.APPROVED, then=Outcome(OutcomeStatus.SUCCEEDED)
    ),
    "pending": Outcome(OutcomeStatus.PENDING),
    "pending:succeeded": Outcome(OutcomeStatus.PENDING, settles=Settles(OutcomeStatus.SUCCEEDED, 30_000)),
    "pending:succeeded:30s": Outcome(OutcomeStatus.PENDING, settles=Settles(OutcomeStatus.SUCCEEDED, 30_000)),
    "pending:failed": Outcome(OutcomeStatus.PENDING, settles=Settles(OutcomeStatus.FAILED, 30_000)),
    "pending:failed:250ms": Outcome(OutcomeStatus.PENDING, settles=Settles(OutcomeStatus.FAILED, 250)),
    "pending:failed:insufficient_funds:1d": Outcome(
        OutcomeStatus.PENDING, settles=Settles(OutcomeStatus.FAILED, 86_400_000, decline="insufficient_funds")
    ),
    "requires_merchant_action": Outcome(OutcomeStatus.REQUIRES_MERCHANT_ACTION),
    "won": Outcome(OutcomeStatus.WON),
}


@pytest.mark.parametrize(("text", "outcome"), WISHES.items(), ids=WISHES)
def test_a_wish_is_understood(text: str, outcome: Outcome) -> None:
    assert parse_requested_outcome(text) == outcome


WRONG = {
    "": "is not an outcome; allowed: succeeded, failed, requires_action",
    "suceeded": "(did you mean succeeded?)",
    "succeeded:now": "succeeded cannot be followed by",
    "failed:broke": "'broke' is not a decline",
    "failed:insuficient_funds": "(did you mean insufficient_funds?)",
    "failed:lost_card:stolen_card": "failed can be followed by one decline",
    "requires_action:passed": "allowed: approved, declined, cancelled, expired, unavailable, abandoned",
    "requires_action:declined:lost_card": "only requires_action:approved can be followed",
    "pending:done": "pending can become succeeded or failed, not 'done'",
    "pending:succeeded:30": "has no unit",
    "pending:succeeded:lost_card": "is not a duration",
    "pending:failed:lost_card:30x": "is not a duration",
    "pending:failed:lost_card:30s:more": "'more' is not a decline",
}


@pytest.mark.parametrize(("text", "message"), WRONG.items(), ids=WRONG)
def test_a_wish_that_is_none_is_told_what_is_allowed(text: str, message: str) -> None:
    with pytest.raises(RequestedOutcomeWrong) as found:
        parse_requested_outcome(text)
    assert message in str(found.value)


def test_a_wish_that_says_how_it_ends_also_ends() -> None:
    """Of every text that is taken: what is told of it comes, by the clock or when the customer is back."""
    parts = ("", "succeeded", "failed", "approved", "lost_card", "30s", "2d")
    for word, *rest in product((*OutcomeStatus, *ALIASES), parts, parts, parts):
        text = ":".join(filter(None, (word, *rest)))
        try:
            outcome = parse_requested_outcome(text)
        except RequestedOutcomeWrong:
            continue
        told = say(outcome)
        assert (", then " in told) is (outcome.settles is not None or outcome.then is not None), text
        assert outcome.settles is None or outcome.settles.after_ms is not None, (text, told)
        assert all(part in told for part in rest if not part[:1].isdigit() and part != "lost_card"), (text, told)


@pytest.mark.parametrize("name", sorted(name.replace("*", "submit_evidence") for row in ALLOWED for name in row.names))
def test_a_wish_fits_its_call(name: str) -> None:
    row = allowed_on(name)
    assert row is not None
    for word in row.words:
        assert requested_outcome_on(word, name).word == word
    for word in {"won", "pending", "succeeded"} - set(row.words):
        with pytest.raises(RequestedOutcomeWrong, match="is not an outcome of"):
            requested_outcome_on(word, name)


def test_a_wish_on_a_call_without_issuer_is_refused() -> None:
    with pytest.raises(RequestedOutcomeWrong, match="does not involve the issuer"):
        requested_outcome_on("succeeded", "payments.retrieve")


def test_failed_alone_has_the_operations_usual_decline() -> None:
    assert Workspace().decide(charge(wanted="failed")).outcome.decline == "generic_decline"
    capture = charge(wanted="failed", names=("payments.capture",), operation="payments.capture")
    assert Workspace().decide(capture).outcome.decline == "capture_failed"


def test_the_decider_passes_the_complaint_on() -> None:
    with pytest.raises(RequestedOutcomeWrong):
        Workspace().decide(charge(wanted="fine"))


@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from(["pending", "failed", "approved", "30s", "lost_card", ""])).map(":".join)
)
def test_no_wish_breaks_the_parser(text: str) -> None:
    try:
        outcome = parse_requested_outcome(text)
    except RequestedOutcomeWrong as wrong:
        outcome = None
        said = str(wrong)
    assert outcome or said
