"""Multibanco references."""

from __future__ import annotations

from hypothesis import given

from mock_server.domain.instructions import boleto
from tests.domain.instructions.contexts import AMOUNTS, SEEDS, context

WEIGHTS = (51, 73, 17, 89, 38, 62, 45, 53, 15, 50, 5, 49, 34, 81, 76, 27, 90, 9, 30, 3)
"""The published weights of entity, number and amount, from left to right."""


def check_by_the_book(entity: str, number: str, amount: int) -> str:
    digits = f"{entity}{number}{amount % 10**8:08d}"
    total = sum(int(digit) * weight for digit, weight in zip(digits, WEIGHTS, strict=True))
    return f"{98 - total % 97:02d}"


@given(SEEDS, AMOUNTS)
def test_the_last_two_digits_check_the_rest(seed: int, amount: int) -> None:
    reference = boleto.reference(context(seed, amount=amount))
    assert len(reference) == 9
    assert reference.isdigit()
    assert reference[7:] == check_by_the_book(boleto.ENTITY, reference[:7], amount)


def test_a_published_example() -> None:
    assert boleto.check_digits("11604", "9991234", 2586) == "90"
