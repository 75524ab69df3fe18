"""What a card's bank answers, for every way to ask."""

from __future__ import annotations

import pytest

from mock_server.domain.issuer import (
    Authenticates,
    Behaviour,
    ChallengeForm,
    ChargeTerms,
    Lookup,
    answer,
    approves_part,
    declines,
    holds,
    refunds,
    settles,
)
from mock_server.domain.outcomes import APPROVED, Outcome, OutcomeStatus, Settles

A = Authenticates
HERE = ChargeTerms()
THREE_DS = ChargeTerms(authentication_type="three_ds")
NO_THREE_DS = ChargeTerms(authentication_type="no_three_ds")
AWAY = ChargeTerms(customer_present=False, saved=True)
AWAY_SET_UP = ChargeTerms(customer_present=False, saved=True, set_up=True)
WAYS = {
    "here": HERE,
    "here_set_up": ChargeTerms(saved=True, set_up=True),
    "three_ds": THREE_DS,
    "no_three_ds": NO_THREE_DS,
    "away": AWAY,
    "away_three_ds": ChargeTerms(authentication_type="three_ds", customer_present=False, saved=True),
    "away_set_up": AWAY_SET_UP,
}

ASKED_FIRST = {
    (A.ON_REQUEST, "three_ds"),
    (A.REQUIRED, "here"),
    (A.REQUIRED, "here_set_up"),
    (A.REQUIRED, "three_ds"),
    (A.UNLESS_SET_UP, "here"),
    (A.UNLESS_SET_UP, "here_set_up"),
    (A.UNLESS_SET_UP, "three_ds"),
    (A.ALWAYS, "here"),
    (A.ALWAYS, "here_set_up"),
    (A.ALWAYS, "three_ds"),
    (A.ALWAYS, "no_three_ds"),
}
NOBODY_THERE = {
    (A.REQUIRED, "away"),
    (A.REQUIRED, "away_three_ds"),
    (A.REQUIRED, "away_set_up"),
    (A.UNLESS_SET_UP, "away"),
    (A.UNLESS_SET_UP, "away_three_ds"),
    (A.ALWAYS, "away"),
    (A.ALWAYS, "away_three_ds"),
    (A.ALWAYS, "away_set_up"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("when", A)
def test_who_is_authenticated_when(when: A, way: str) -> None:
    found = answer(Behaviour(authenticates=when), WAYS[way])
    if (when, way) in ASKED_FIRST:
        assert found == Outcome(OutcomeStatus.REQUIRES_ACTION, challenge_kind="challenge", then=APPROVED)
    elif (when, way) in NOBODY_THERE:
        assert found == Outcome(OutcomeStatus.FAILED, decline="authentication_required")
    else:
        assert found is APPROVED


@pytest.mark.parametrize(
    ("lookup", "word", "decline"),
    [
        (Lookup.CHALLENGE, OutcomeStatus.REQUIRES_ACTION, None),
        (Lookup.AUTHENTICATED, OutcomeStatus.SUCCEEDED, None),
        (Lookup.ATTEMPTED, OutcomeStatus.SUCCEEDED, None),
        (Lookup.REJECTED, OutcomeStatus.FAILED, "authentication_failed"),
        (Lookup.UNAVAILABLE, OutcomeStatus.FAILED, "authentication_unavailable"),
    ],
)
def test_what_the_lookup_leads_to(lookup: Lookup, word: OutcomeStatus, decline: str | None) -> None:
    found = answer(Behaviour(authenticates=A.REQUIRED, lookup=lookup), HERE)
    assert (found.word, found.decline) == (word, decline)


def test_the_lookup_matters_only_where_somebody_is_authenticated() -> None:
    broken = Behaviour(authenticates=A.ON_REQUEST, lookup=Lookup.UNAVAILABLE)
    assert answer(broken, HERE) is APPROVED
    assert answer(broken, THREE_DS).decline == "authentication_unavailable"


def test_after_the_challenge_the_bank_says_what_it_says() -> None:
    poor = Behaviour(says=Outcome(OutcomeStatus.FAILED, decline="insufficient_funds"), authenticates=A.REQUIRED)
    asked = answer(poor, HERE)
    assert asked.word is OutcomeStatus.REQUIRES_ACTION
    assert asked.then == Outcome(OutcomeStatus.FAILED, decline="insufficient_funds")


def test_the_page_asks_in_the_cards_form() -> None:
    coded = Behaviour(authenticates=A.REQUIRED, form=ChallengeForm.ONE_TIME_CODE)
    assert answer(coded, HERE).challenge_kind == "one_time_code"


def test_a_plain_decline_asks_nobody_first() -> None:
    for asking in WAYS.values():
        assert answer(declines("stolen_card"), asking) == Outcome(OutcomeStatus.FAILED, decline="stolen_card")


def test_a_saved_card_can_behave_otherwise_later() -> None:
    turns = Behaviour(later=Outcome(OutcomeStatus.FAILED, decline="generic_decline"))
    assert answer(turns, HERE) is APPROVED
    assert answer(turns, AWAY).decline == "generic_decline"


def test_the_sentences_of_the_table_say_what_they_mean() -> None:
    assert settles(OutcomeStatus.FAILED, None).says.settles == Settles(
        OutcomeStatus.FAILED, None, None, "settlement_failed"
    )
    assert settles(OutcomeStatus.SUCCEEDED, 5).says == Outcome(
        OutcomeStatus.PENDING, settles=Settles(OutcomeStatus.SUCCEEDED, 5)
    )
    assert approves_part(10).says.approved_percent == 10
    assert holds(80, "odd", OutcomeStatus.FAILED).says.settles == Settles(
        OutcomeStatus.FAILED, 10_000, None, "rejected_in_review"
    )
    assert holds(80, "odd").says.settles is None
    refund = refunds(OutcomeStatus.SUCCEEDED, OutcomeStatus.FAILED, "refund_account_closed").says.later[
        "refunds.create"
    ]
    assert refund.word is OutcomeStatus.SUCCEEDED
    assert refund.settles == Settles(OutcomeStatus.FAILED, 10_000, None, "refund_account_closed")


def test_an_expired_card_is_declined_before_anything_else() -> None:
    for when in A:
        expired = ChargeTerms(authentication_type="three_ds", expired=True)
        assert answer(Behaviour(authenticates=when), expired) == Outcome(OutcomeStatus.FAILED, decline="expired_card")
