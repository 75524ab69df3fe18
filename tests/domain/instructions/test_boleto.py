"""Boletos: bar code and typed line, checked digit by digit."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given

from mock_server.domain.instants import parse
from mock_server.domain.instructions import boleto
from tests.domain.instructions.contexts import AMOUNTS, NOW, SEEDS, context

PUBLISHED_CODE = "00193373700000001000500940144816060680935031"
PUBLISHED_LINE = "00190.50095 40144.816069 06809.350314 3 37370000000100"


def check_of_field(digits: str) -> int:
    """Modulo 10: double every second digit from the right end, add the digits of what comes out."""
    total, double = 0, True
    for digit in reversed(digits):
        total += sum(map(int, str(int(digit) * (2 if double else 1))))
        double = not double
    return (10 - total % 10) % 10


def check_of_code(digits: str) -> int:
    """Modulo 11 with weights 2 to 9 from the right; what is no digit from 2 to 9 becomes 1."""
    weights = [2, 3, 4, 5, 6, 7, 8, 9] * 6
    total = sum(int(digit) * weight for digit, weight in zip(reversed(digits), weights, strict=False))
    found = 11 - total % 11
    return found if 1 <= found <= 9 else 1


def code_of_line(line: str) -> str:
    """The way back: fields without their check digits, in the bar code's order."""
    plain = line.replace(".", "").replace(" ", "")
    assert len(plain) == 47
    first, second, third, check, rest = plain[:10], plain[10:21], plain[21:32], plain[32], plain[33:]
    for field in (first, second, third):
        assert check_of_field(field[:-1]) == int(field[-1])
    return first[:4] + check + rest + first[4:9] + second[:10] + third[:10]


@given(SEEDS, AMOUNTS)
def test_a_code_and_its_line_say_the_same(seed: int, amount: int) -> None:
    code = boleto.barcode(context(seed, amount=amount, currency="BRL"))
    assert len(code) == 44
    assert code.isdigit()
    assert int(code[9:19]) == amount
    assert check_of_code(code[:4] + code[5:]) == int(code[4])
    assert code_of_line(boleto.digitable_line(code)) == code


def test_the_due_day_is_in_the_code() -> None:
    code = boleto.barcode(context())
    due = date(2025, 2, 22) + timedelta(days=int(code[5:9]) - 1000)
    assert due == date(2026, 3, 4)
    assert parse(due.isoformat()) > NOW


@pytest.mark.parametrize(
    ("day", "factor"), [("2025-02-21", "9999"), ("2025-02-22", "1000"), ("2025-02-23", "1001"), ("2049-10-13", "9999")]
)
def test_days_are_counted_in_a_circle(day: str, factor: str) -> None:
    assert boleto.due_factor(parse(day)) == factor


def test_a_published_example() -> None:
    assert boleto.digitable_line(PUBLISHED_CODE) == PUBLISHED_LINE
    assert boleto.modulo_11(PUBLISHED_CODE[:4] + PUBLISHED_CODE[5:]) == "3"
