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
        (limits.AMOUNT_MAX, 999_999_999),
        (limits.LIST_MAX, 100),
        (limits.IDEMPOTENCY_MS, 24 * 60 * 60 * 1000),
        (limits.REFUND_AGE_MS, 365 * 24 * 60 * 60 * 1000),
        (limits.EPHEMERAL_KEY_MS, 60 * 60 * 1000),
    ],
)
def test_the_documented_numbers(limit: int, number: int) -> None:
    assert limit == number
