"""Currencies and how amounts read."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.money import CURRENCIES, Currency, currency, format_amount

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


@pytest.mark.parametrize("row", CURRENCIES, ids=lambda row: row.code)
def test_every_row_is_well_formed_and_found(row: Currency) -> None:
    found = currency(row.code)
    assert found is row
    assert found is not None
    assert found.code.isalpha()
    assert found.code.isupper()
    assert len(found.code) == 3


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
