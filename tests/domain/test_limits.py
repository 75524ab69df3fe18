"""Limits."""

from __future__ import annotations

import pytest

from mock_server.domain import limits
from mock_server.domain.limits import LIMITS, Limit


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.name)
def test_every_limit_is_a_number_that_says_where_it_comes_from(limit: Limit) -> None:
    assert limit > 0
    assert limit.source.startswith(("interface §", "facts §", "decisions ", "ours"))
    assert isinstance(limit, int)


def test_names_are_each_ones_own() -> None:
    assert len({limit.name for limit in LIMITS}) == len(LIMITS)


@pytest.mark.parametrize(
    ("limit", "number"),
    [
        (limits.METADATA_PAIRS, 50),
        (limits.METADATA_KEY, 40),
        (limits.METADATA_VALUE, 500),
        (limits.STATEMENT_DESCRIPTOR, 22),
        (limits.MERCHANT_ORDER_REFERENCE_ID, 255),
        (limits.AMOUNT_MAX, 999_999_999),
        (limits.LIST_DEFAULT, 10),
        (limits.LIST_MAX, 100),
        (limits.IDEMPOTENCY_MS, 24 * 60 * 60 * 1000),
        (limits.REFUND_AGE_MS, 365 * 24 * 60 * 60 * 1000),
        (limits.EPHEMERAL_KEY_MS, 60 * 60 * 1000),
        (limits.RATE_PER_MINUTE, 4800),
    ],
)
def test_the_documented_numbers(limit: Limit, number: int) -> None:
    assert limit == number
