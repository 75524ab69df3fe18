"""Why a charge can fail."""

from __future__ import annotations

import pytest

from mock_server.domain.declines import DECLINES, UNKNOWN, Decline, find, names
from mock_server.domain.outcomes import CHALLENGE_DECLINE

RECOMMENDED_ACTIONS = {
    "do_not_retry", "retry_later", "retry_after_1_hour", "retry_after_24_hours", "retry_after_2_days",
    "retry_after_4_days", "retry_after_6_days", "retry_after_8_days", "retry_after_10_days",
    "retry_after_instrument_update", "retry_with_different_payment_method_data", "stop_recurring",
}  # fmt: skip


@pytest.mark.parametrize("row", DECLINES, ids=lambda row: row.name)
def test_every_row_is_complete(row: Decline) -> None:
    assert find(row.name) is row
    assert row.error_code
    assert row.error_message
    assert row.standard.recommended_action in RECOMMENDED_ACTIONS
    assert row.standard.unified.category
    assert row.standard.unified.message
    assert row.standard.user_guidance.endswith(".")
    assert row.name in {row.error_code, *_named_otherwise()}


def _named_otherwise() -> set[str]:
    """Rows whose connector code is not their own name: the public dummy's, and those that sources spell."""
    spelled = {"manual_review", "HE-03", *(row.standard.code for row in DECLINES)}
    return {row.name for row in DECLINES if row.error_code.startswith("DC_") or row.error_code in spelled}


def test_a_code_and_message_together_name_one_row() -> None:
    assert len({(row.error_code, row.error_message) for row in DECLINES}) == len(DECLINES)
    assert len(names()) == len(set(names())) == len(DECLINES)


def test_an_unknown_name_is_not_found() -> None:
    assert find("no_such_reason") is None
    assert UNKNOWN.standard.unified.code == "UE_9000"
    assert find(UNKNOWN.name) is UNKNOWN


@pytest.mark.parametrize(
    ("name", "error_code", "unified", "standardised"),
    [
        ("generic_decline", "DC_08", "UE_3000", "DO_NOT_HONOR"),
        ("insufficient_funds", "DC_08", "UE_1000", "INSUFFICIENT_FUNDS"),
        ("lost_card", "DC_08", "UE_1000", "CARD_LOST_OR_STOLEN"),
        ("stolen_card", "DC_08", "UE_1000", "CARD_LOST_OR_STOLEN"),
        ("expired_card", "expired_card", "UE_1000", "INVALID_EXPIRY_DATE"),
        ("incorrect_cvc", "incorrect_cvc", "UE_1000", "INVALID_CVV"),
        ("processing_error", "processing_error", "UE_3000", "PSP_ACQUIRER_ERROR"),
        ("card_velocity_exceeded", "card_velocity_exceeded", "UE_1000", "VELOCITY_LIMIT_EXCEEDED"),
        ("highest_risk_level", "highest_risk_level", "UE_3000", "PSP_FRAUD_ENGINE_DECLINE"),
        ("incorrect_number", "incorrect_number", "UE_1000", "INVALID_CARD_NUMBER"),
        ("authentication_failed", "AUTHENTICATION_FAILED", "UE_1000", "AUTHENTICATION_FAILED"),
        ("cancelled_by_customer", "PAYMENT_CANCELLED_BY_USER", "UE_1000", "PAYMENT_CANCELLED_BY_USER"),
        ("session_timeout", "PAYMENT_SESSION_TIMEOUT", "UE_1000", "PAYMENT_SESSION_TIMEOUT"),
        ("card_not_in_table", "DC_04", "UE_1000", "INVALID_CARD_NUMBER"),
        ("upi_payment_failed", "DC_06", "UE_1000", "PAYMENT_METHOD_ISSUE"),
    ],
)
def test_the_rows_that_sources_settle(name: str, error_code: str, unified: str, standardised: str) -> None:
    row = find(name)
    assert row is not None
    assert (row.error_code, row.standard.unified.code, row.standard.code) == (error_code, unified, standardised)


@pytest.mark.parametrize("name", CHALLENGE_DECLINE.values())
def test_every_failed_challenge_has_its_decline(name: str) -> None:
    assert find(name) is not None


def test_a_standardised_code_means_one_thing() -> None:
    standards = {row.standard for row in DECLINES}
    assert len({standard.code for standard in standards}) == len(standards)
    assert all(standard.code == standard.code.upper() for standard in standards)
