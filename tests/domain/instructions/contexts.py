"""Contexts to make instructions from, and their strategies."""

from __future__ import annotations

import random
from collections.abc import Callable

from hypothesis import strategies as st

from mock_server.domain.instants import DAY_MS, parse
from mock_server.domain.instructions import Context

NOW = parse("2026-03-01T12:00:00Z")
PAGE = "http://127.0.0.1:12190/pages/pay_1"
PICTURE = f"{PAGE}/qr.svg"


def digits_from(seed: int) -> Callable[[int], str]:
    """A source of digits that gives the same again for the same seed."""
    source = random.Random(seed)
    return lambda length: "".join(source.choice("0123456789") for _ in range(length))


def context(
    seed: int = 1,
    *,
    amount: int = 6540,
    currency: str = "EUR",
    country: str | None = None,
    merchant_name: str = "Shop",
    payment_id: str = "pay_1",
    qr_image: Callable[[str], str] | None = None,
) -> Context:
    """One payment's context; every value can be chosen."""
    return Context(
        payment_id=payment_id,
        amount=amount,
        currency=currency,
        merchant_name=merchant_name,
        page_url=PAGE,
        qr_code_url=PICTURE,
        now=NOW,
        expires_at=NOW + 3 * DAY_MS,
        digits=digits_from(seed),
        country=country,
        qr_image=qr_image,
    )


SEEDS = st.integers(0, 2**32)
AMOUNTS = st.integers(0, 999_999_999)
