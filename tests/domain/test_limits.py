"""Limits."""

from __future__ import annotations

import pytest

from mock_server.domain import limits


@pytest.mark.parametrize(
    ("limit", "number"),
    [
        (limits.METADATA_PAIRS, 50),
        (limits.METADATA_KEY, 40),
        (limits.METADATA_VALUE, 500),
        (limits.STATEMENT_DESCRIPTOR, 22),
        (limits.MERCHANT_ORDER_REFERENCE_ID, 255),
        (limits.TEXT, 255),
        (limits.DESCRIPTION, 5_000),
        (limits.RETURN_URL, 2_048),
        (limits.PROFILE_RETURN_URL, 255),
        (limits.PROFILE_NAME, 64),
        (limits.WORKSPACE_LABEL, 120),
        (limits.IDENTIFIER, 64),
        (limits.MANDATE_ID, 64),
        (limits.AMOUNT_MAX, 999_999_999),
        (limits.JSON_INTEGER, 9_007_199_254_740_991),
        (limits.SESSION_EXPIRY_MIN_S, 60),
        (limits.SESSION_EXPIRY_MAX_S, 7_890_000),
        (limits.SESSION_EXPIRY_DEFAULT_S, 15 * 60),
        (limits.REFUNDS_PER_PAYMENT, 10),
        (limits.LIST_MIN, 1),
        (limits.IDEMPOTENCY_KEY, 255),
        (limits.EVENT_LOOK_BACK_MS, 90 * 24 * 60 * 60 * 1000),
        (limits.PAYMENT_TOKEN_MS, 15 * 60 * 1000),
        (limits.REPORT_ROWS, 50_000),
        (limits.REPORT_LINK_MS, 2 * 24 * 60 * 60 * 1000),
        (limits.LIST_MAX, 100),
        (limits.IDEMPOTENCY_MS, 24 * 60 * 60 * 1000),
        (limits.REFUND_AGE_MS, 365 * 24 * 60 * 60 * 1000),
        (limits.EPHEMERAL_KEY_MS, 60 * 60 * 1000),
    ],
)
def test_the_documented_numbers(limit: int, number: int) -> None:
    assert limit == number


@pytest.mark.parametrize(
    ("now", "real_now", "seconds", "reset_at"),
    [
        (0, 0, 60, 60),
        (1, 7_000, 60, 67),
        (58_999, 500, 2, 2),
        (59_000, 1, 1, 2),
        (59_999, 999, 1, 1),
        (60_000, 1, 60, 61),
    ],
)
def test_a_window_ends_at_a_whole_second_that_is_not_too_early(
    now: int, real_now: int, seconds: int, reset_at: int
) -> None:
    found = limits.usage(9, 1, now, real_now, refuses=True, frozen=False)
    assert (found.seconds_left, found.reset_at_s) == (seconds, reset_at)
