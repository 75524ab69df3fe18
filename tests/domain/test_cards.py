"""The table of cards."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from mock_server.domain import cards, declines
from mock_server.domain.card_brands import BRANDS, OTHER, Brand, brand_of, problem_of
from mock_server.domain.cards import CARDS, Card
from mock_server.domain.declines import DECLINES, Decline, Origin
from mock_server.domain.dispute import REASON_CODES
from mock_server.domain.issuer import APPROVES, Authenticates, ChargeTerms, answer
from mock_server.domain.outcomes import Outcome, OutcomeStatus
from mock_server.domain.statuses import DisputeStage

SLUGS = {brand.name: brand.slug for brand in BRANDS}
LATER = {"payments.capture", "payments.cancel", "refunds.create"}
NOT_AT_A_CHARGE = {"authorization_expired", "refund_account_closed"}


@pytest.fixture(params=CARDS, ids=lambda card: card.name)
def card(request: pytest.FixtureRequest) -> Card:
    """Every row of the table."""
    found: Card = request.param
    return found


def outcomes(outcome: Outcome | None) -> Iterator[Outcome]:
    """An outcome and all that it holds."""
    if outcome is not None:
        yield outcome
        yield from outcomes(outcome.then)
        for later in outcome.later.values():
            yield from outcomes(later)


def test_a_row_is_a_real_number_of_its_brand() -> None:
    found = {card.number: (problem_of(card.number), brand_of(card.number)) for card in CARDS}
    assert found == {card.number: (None, card.brand) for card in CARDS}


def test_a_row_is_found_by_number_and_by_name() -> None:
    for find in (cards.find, cards.for_number):
        assert [card.name for card in CARDS if find(card.number) is not card] == []
    assert [card.name for card in CARDS if cards.by_name(card.name) is not card or not card.listed] == []


def test_a_name_is_its_brand_and_what_happens() -> None:
    assert [card.name for card in CARDS if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", card.name)] == []
    assert [card.name for card in CARDS if not card.name.startswith(SLUGS[card.brand] + "_")] == []


def test_a_row_names_declines_disputes_and_operations_that_exist(card: Card) -> None:
    for said in (*outcomes(card.issuer.says), *outcomes(card.issuer.later)):
        assert (said.decline is not None) is (said.word in {OutcomeStatus.FAILED, OutcomeStatus.PARTIALLY_AUTHORIZED})
        assert said.decline is None or declines.find(said.decline)
        assert said.settles is None or said.settles.decline is None or declines.find(said.settles.decline)
        assert set(said.later) <= LATER
        assert 0 < said.approved_percent <= 100
        for plan in said.disputes:
            assert plan.reason in REASON_CODES
            assert plan.stage in set(DisputeStage)


def test_a_plain_decline_is_named_after_it() -> None:
    for card in CARDS:
        says = card.issuer.says
        if says.word is OutcomeStatus.FAILED and card.issuer.authenticates is Authenticates.NEVER:
            assert card.name == f"{SLUGS[card.brand]}_{says.decline}"


def test_numbers_and_names_are_each_ones_own() -> None:
    assert len({card.number for card in CARDS}) == len({card.name for card in CARDS}) == len(CARDS)


@pytest.mark.parametrize("decline", [row for row in DECLINES if row.origin is Origin.ISSUER], ids=lambda row: row.name)
def test_everything_an_issuer_can_say_has_a_card(decline: Decline) -> None:
    found = cards.by_name(f"visa_{decline.name}")
    assert (found is None) is (decline.name in NOT_AT_A_CHARGE)


@pytest.mark.parametrize(
    ("number", "word", "decline"),
    [
        ("4242424242424242", OutcomeStatus.SUCCEEDED, None),
        ("4111111111111111", OutcomeStatus.SUCCEEDED, None),
        ("5555555555554444", OutcomeStatus.SUCCEEDED, None),
        ("378282246310005", OutcomeStatus.SUCCEEDED, None),
        ("4000000000000002", OutcomeStatus.FAILED, "generic_decline"),
        ("4000000000009995", OutcomeStatus.FAILED, "insufficient_funds"),
        ("4000000000009987", OutcomeStatus.FAILED, "lost_card"),
        ("4000000000009979", OutcomeStatus.FAILED, "stolen_card"),
        ("5105105105105100", OutcomeStatus.FAILED, "generic_decline"),
        ("4100000000000019", OutcomeStatus.FAILED, "fraudulent"),
        ("4000003800000446", OutcomeStatus.REQUIRES_ACTION, None),
        ("4000000000003220", OutcomeStatus.REQUIRES_ACTION, None),
        ("4000008400001280", OutcomeStatus.FAILED, "authentication_unavailable"),
        ("4000000000003055", OutcomeStatus.SUCCEEDED, None),
        ("4000000000009235", OutcomeStatus.REQUIRES_MERCHANT_ACTION, None),
    ],
)
def test_the_numbers_that_sources_settle(number: str, word: OutcomeStatus, decline: str | None) -> None:
    found = answer(cards.for_number(number).issuer, ChargeTerms())
    assert (found.word, found.decline) == (word, decline)


@pytest.mark.parametrize("name", ["visa_3ds_always", "visa_captcha"])
def test_only_cards_marked_always_challenge_without_being_asked_to(name: str) -> None:
    card = cards.by_name(name)
    assert card is not None
    assert answer(card.issuer, ChargeTerms(authentication_type="no_three_ds")).word is OutcomeStatus.REQUIRES_ACTION


def test_a_visa_card_needs_no_brand_in_its_name() -> None:
    assert cards.by_name("success") is cards.find("4242424242424242")
    assert cards.by_name("insufficient_funds") is cards.find("4000000000009995")
    assert cards.by_name("no_such_card") is None


@pytest.mark.parametrize("row", [*BRANDS, OTHER], ids=lambda row: row.name)
def test_a_number_outside_the_table_is_approved_and_remembered_by_name(row: Brand) -> None:
    card = cards.unknown_card(row)
    assert card.brand == row.name
    assert card.issuer is APPROVES
    assert not card.listed
    assert cards.by_name(card.name) is card


def test_any_other_number_is_a_card_of_its_brand_outside_the_table() -> None:
    assert cards.find("4917610000000000") is None
    assert cards.for_number("4917610000000000") is cards.by_name("unlisted_visa")
    assert cards.by_name("unlisted_troy") is None


def test_every_reason_to_dispute_has_a_card() -> None:
    reasons = {plan.reason for card in CARDS for plan in card.issuer.says.disputes}
    assert reasons == set(REASON_CODES)
    assert "because of the colour" not in REASON_CODES
