"""What a card does, as a sentence."""

from __future__ import annotations

import pytest

from mock_server.domain.card_words import card_effect
from mock_server.domain.cards import CARDS, Card, by_name
from mock_server.domain.outcomes import OutcomeStatus


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("visa_success", "succeeded"),
        ("visa_insufficient_funds", "declined: insufficient_funds"),
        ("visa_declines_when_saved", "succeeded; when charged again later: declined: generic_decline"),
        ("visa_review", "held for review; risk 65: elevated risk"),
        ("visa_3ds_required", "3-D Secure, then succeeded"),
        ("visa_3ds_always", "3-D Secure always, then succeeded"),
        ("visa_3ds_one_time_code", "3-D Secure by one-time code, then succeeded"),
        ("visa_3ds_insufficient_funds", "3-D Secure, then declined: insufficient_funds"),
        ("visa_3ds_rejected", "3-D Secure refused without a challenge, then failed"),
        ("visa_3ds_lookup_error", "3-D Secure with its service down, then failed"),
        ("visa_pending_fails", "pending, then failed (settlement_failed) after 10 s"),
        ("visa_pending", "pending, then succeeded when settled manually"),
        ("visa_connector_timeout", "pending, then succeeded when settled manually or retrieved with force_sync"),
        ("visa_cvc_check_fails", "succeeded (cvc_check fail)"),
        ("visa_dispute_later", "succeeded; then dispute after 30 d: fraudulent"),
        ("visa_refund_fails", "succeeded; refunds.create: declined: refund_failed"),
    ],
)
def test_sentences(name: str, sentence: str) -> None:
    card = by_name(name)
    assert card is not None
    assert card_effect(card.issuer) == sentence


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_every_card_says_how_it_ends(card: Card) -> None:
    sentence = card_effect(card.issuer)
    assert sentence == sentence.strip()
    if card.issuer.says.word is OutcomeStatus.FAILED:
        assert card.issuer.says.decline
        assert card.issuer.says.decline in sentence
