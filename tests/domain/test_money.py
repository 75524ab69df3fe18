"""Currencies and how amounts read."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.money import CURRENCIES, FORMER, SIGNS, Currency, currency, format_amount, readings

BY_HAND = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}


@pytest.mark.parametrize(
    ("minor", "code", "text"),
    [
        (6540, "USD", "65.40 USD"),
        (5, "EUR", "0.05 EUR"),
        (6540, "JPY", "6,540 JPY"),
        (-123456789, "USD", "-1,234,567.89 USD"),
        (6540, "BHD", "6.540 BHD"),
        (12345, "CLF", "1.2345 CLF"),
        (-150, "GBP", "-1.50 GBP"),
        (-5, "GBP", "-0.05 GBP"),
        (0, "USD", "0.00 USD"),
    ],
)
def test_an_amount_reads_as_people_write_it(minor: int, code: str, text: str) -> None:
    assert format_amount(minor, code) == text


def test_an_unknown_code_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'USX'"):
        format_amount(1, "USX")


def test_every_row_is_well_formed_and_found() -> None:
    assert [row.code for row in CURRENCIES if currency(row.code) is not row] == []
    assert [row.code for row in CURRENCIES if not re.fullmatch(r"[A-Z]{3}", row.code)] == []


@pytest.mark.parametrize("exponent", BY_HAND)
def test_the_currencies_without_cents_are_the_ones_of_iso_4217(exponent: int) -> None:
    assert [row.code for row in CURRENCIES if row.exponent == exponent] == BY_HAND[exponent].split()


def test_the_table_is_sorted_and_without_doubles() -> None:
    codes = [row.code for row in CURRENCIES]
    assert codes == sorted(set(codes))


@pytest.mark.parametrize("code", ["XXX", "XTS", "XAU", "DEM", "usd", ""])
def test_what_cannot_be_charged_is_not_there(code: str) -> None:
    assert currency(code) is None


@given(minor=st.integers(-(10**12), 10**12), row=st.sampled_from(CURRENCIES))
def test_what_is_shown_is_the_amount(minor: int, row: Currency) -> None:
    number, code = format_amount(minor, row.code).split()
    assert Decimal(number.replace(",", "")).scaleb(row.exponent) == minor
    assert all(len(group) == 3 for group in number.partition(".")[0].split(",")[1:])
    assert code == row.code


SIGNED = {**SIGNS, "": (), "USD": ("USD",), "eur": ("EUR",), "Bhd": ("BHD",), "ZŁ": ("PLN",)}


@pytest.mark.parametrize(
    ("number", "means"),
    [
        ("6540", [(6540, 0)]),
        ("0", [(0, 0)]),
        ("65.40", [(6540, 2)]),
        ("65,4", [(654, 1)]),
        ("1,065", [(1065, 3), (1065, 0)]),
        ("1.065", [(1065, 3), (1065, 0)]),
        ("1,065.40", [(106540, 2)]),
        ("1.065,40", [(106540, 2)]),
        ("1 065 400,5", [(10654005, 1)]),
        ("1'065", [(1065, 0)]),
        ("1\u202f065.4000", [(10654000, 4)]),
        ("12.34567", []),
        ("1,065,40", []),
        ("1,06", [(106, 2)]),
        ("01", []),
        ("1 0650", []),
        ("1,065,400", [(1065400, 0)]),
        ("9" * 18, [(int("9" * 18), 0)]),
        ("9" * 19, []),
        ("1" + ",000" * 6, [(10**18, 0)]),
        ("1" + ",000" * 7, []),
    ],
)
def test_what_an_amount_can_mean(number: str, means: list[object]) -> None:
    """With its sign or code before or after it."""
    for sign, codes in SIGNED.items():
        for text in (f"{sign}{number}", f"{sign} {number}", f"{number} {sign}") if sign else (number,):
            assert readings(text) == (codes, means), text


@pytest.mark.parametrize("text", ["", "USD", "USD 1 EUR", "$1€", "XXX 1", "USDX 1", "ABCDE 1", "1 a b", "-1", "?1"])
def test_what_is_no_amount_means_nothing(text: str) -> None:
    assert readings(text) == ((), [])


@pytest.mark.parametrize("code", FORMER)
def test_a_former_currency_has_two_decimals_and_is_not_listed(code: str) -> None:
    assert currency(code) == Currency(code, 2)
    assert code not in {row.code for row in CURRENCIES}
