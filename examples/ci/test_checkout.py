"""Tests of a checkout for CI: against a running sandbox, with only the standard library.

PAYMENT_SANDBOX_URL says where it is; PAYMENT_SANDBOX_API_KEY is the workspace to test in, a fresh one without it. The
recipes beside this file start the sandbox with the scenario `large_orders`, which declines what costs 1000 or more.
"""

from __future__ import annotations

import json
import os
import unittest
import uuid
from threading import Event
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

URL = os.environ.get("PAYMENT_SANDBOX_URL", "http://127.0.0.1:12190").rstrip("/")
API_KEY = os.environ.get("PAYMENT_SANDBOX_API_KEY") or f"snd_{uuid.uuid4().hex}"
WAITS_S = 30


def setUpModule() -> None:
    """Wait for the sandbox, because not every pipeline checks its health first."""
    for _ in range(WAITS_S * 10):
        try:
            urlopen(f"{URL}/_sandbox/readyz", timeout=5).close()
            return
        except (URLError, ConnectionError):
            Event().wait(0.1)
    raise TimeoutError(f"no sandbox answers at {URL}")


def pay(amount: int, card_number: str = "4242424242424242") -> dict[str, Any]:
    """What a checkout does: charge a card, and read the result."""
    card = {"card_number": card_number, "card_exp_month": "12", "card_exp_year": "2035", "card_cvc": "123"}
    order = {
        "amount": amount,
        "currency": "EUR",
        "profile_id": "pro_shop",
        "confirm": True,
        "payment_method": "card",
        "payment_method_data": {"card": card},
    }
    headers = {"api-key": API_KEY, "Content-Type": "application/json", "X-Idempotency-Key": str(uuid.uuid4())}
    asked = Request(f"{URL}/payments", json.dumps(order).encode(), headers)
    try:
        with urlopen(asked, timeout=10) as answer:
            return dict(json.load(answer))
    except HTTPError as refused:
        with refused:
            raise AssertionError(f"{refused.code}: {refused.read().decode()}") from None


class Checkout(unittest.TestCase):
    def test_an_order_is_paid(self) -> None:
        assert pay(4200)["status"] == "succeeded"

    def test_a_declined_card_is_no_payment(self) -> None:
        paid = pay(4200, card_number="4000000000000002")
        assert (paid["status"], paid["amount_received"] or 0) == ("failed", 0)

    def test_a_large_order_is_beyond_the_cards_limit(self) -> None:
        assert pay(99_999)["status"] == "succeeded"
        assert pay(100_000)["status"] == "failed"


if __name__ == "__main__":
    unittest.main()
