"""The journal has the beginning of an idempotency key: never more of a card number than of a card, its first six."""

from __future__ import annotations

from typing import Final

import pytest

from mock_server.domain.hiding import HIDDEN
from tests.wire import Wire, card_payment, wire

NUMBER: Final = "4539578763621486"
FORMS: Final = (
    "{}", "x{}", "-{}", "a b{}", "{}-1", "order {}", "'{}'", "prd_{}", "cvc: 1234{}", "%34539578763621486", "é{}",
)  # fmt: skip
APART: Final = (NUMBER, "4539 5787 6362 1486", "4539-5787-6362-1486", "453957876362148 6", "\uff14539578763621486")


@pytest.fixture(scope="module")
def api() -> Wire:
    return wire()


def mark_of(api: Wire, key: str) -> str:
    """What the journal has of a key."""
    assert api.post("/payments", card_payment(), X_Idempotency_Key=key.encode().decode("latin-1")).status == 200
    return str(api.get("/_sandbox/journal?limit=1")["data"][0]["idempotency"][1])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("apart", APART)
def test_of_a_card_number_there_are_no_seven_digits(api: Wire, form: str, apart: str) -> None:
    mark = mark_of(api, form.format(apart))
    assert len([sign for sign in mark if sign.isdigit()]) <= 6
    assert len(mark) <= 8


@pytest.mark.parametrize("key", ["order-42", "0b2f6f7e-9c57-4b7e-8f4c-111111111111", "20260131-0001", "x"])
def test_of_any_other_key_it_is_the_beginning(api: Wire, key: str) -> None:
    assert mark_of(api, key) == key[:8] != HIDDEN
