"""Brands, lengths and the check digit."""

from __future__ import annotations

import pytest
from faker.providers.credit_card import Provider
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain import card_brands as brands
from mock_server.domain.card_brands import BRANDS, Brand

DIGITS = st.text("0123456789", min_size=1, max_size=30)


def luhn_by_the_book(number: str) -> bool:
    """As the standard words it: from the right, every second digit doubled, nines cast out."""
    total = 0
    for place, digit in enumerate(reversed(number)):
        value = int(digit)
        if place % 2:
            value *= 2
            if value > 9:
                value -= 9
        total += value
    return total % 10 == 0


@given(DIGITS)
def test_luhn_is_the_standards(number: str) -> None:
    assert brands.luhn(number) is luhn_by_the_book(number)


@given(DIGITS)
def test_one_check_digit_makes_a_number_right_and_no_other_does(digits: str) -> None:
    assert sum(brands.luhn(digits + end) for end in "0123456789") == 1


@given(DIGITS, st.data())
def test_one_wrong_digit_is_always_noticed(digits: str, data: st.DataObject) -> None:
    number = next(digits + end for end in "0123456789" if brands.luhn(digits + end))
    place = data.draw(st.integers(0, len(number) - 1))
    other = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != number[place]]))
    assert not brands.luhn(number[:place] + other + number[place + 1 :])


@pytest.mark.parametrize(
    ("number", "brand"),
    [
        ("4111111111111111", "Visa"),
        ("5555555555554444", "Mastercard"),
        ("2221000000000009", "Mastercard"),
        ("2720999999999996", "Mastercard"),
        ("2220999999999999", "Unknown"),
        ("2721000000000000", "Unknown"),
        ("378282246310005", "AmericanExpress"),
        ("6011111111111117", "Discover"),
        ("6500000000000002", "Discover"),
        ("6221260000000000", "Discover"),
        ("6200000000000005", "UnionPay"),
        ("30569309025904", "DinersClub"),
        ("36227206271667", "DinersClub"),
        ("3530111333300000", "JCB"),
        ("3566002020360505", "JCB"),
        ("6759649826438453", "Maestro"),
        ("5018000000000009", "Maestro"),
        ("6521111111111117", "RuPay"),
        ("9999999999999995", "Unknown"),
    ],
)
def test_a_number_belongs_to_the_brand_of_its_prefix(number: str, brand: str) -> None:
    assert brands.brand_of(number) == brand


@pytest.mark.parametrize("row", BRANDS, ids=lambda row: row.name)
def test_every_brand_is_found_and_owns_numbers(row: Brand) -> None:
    assert brands.brand_named(row.name.upper()) is row
    assert brands.brand_named(row.slug) is row
    assert all(len(low) == len(high) and low <= high for low, high in row.prefixes)
    assert any(brands.brand_row(low.ljust(16, "0")) is row for low, _ in row.prefixes)


def test_an_unknown_word_is_no_brand() -> None:
    assert brands.brand_named("troy") is None


@pytest.mark.parametrize(
    ("number", "says"),
    [
        ("4242424242424242", None),
        ("4242424242424241", "Luhn"),
        ("424242424242424", "has 15 digits; a Visa number has 13, 16 or 19"),
        ("37828224631000", "has 14 digits; an AmericanExpress number has 15"),
        ("601111111111111", "has 15 digits; a Discover number has 16 to 19"),
        ("6", "has 1 digit; a Maestro number has 12 to 19"),
        ("4242 4242 4242 4242", "must be digits"),
        ("٤242424242424242", "must be digits"),
        ("", "must be digits"),
    ],
)
def test_a_wrong_number_is_told_what_is_wrong(number: str, says: str | None) -> None:
    found = brands.problem_of(number)
    assert found is says if says is None else says in (found or "")


@given(st.text("0123456789", min_size=8, max_size=24))
def test_the_number_itself_is_never_said(number: str) -> None:
    assert number not in (brands.problem_of(number) or "")


def test_blanks_between_groups_are_no_part_of_a_number() -> None:
    assert brands.digits_of("4242 4242 4242 4242") == "4242424242424242"


@pytest.mark.parametrize("kind", sorted(Provider.credit_card_types))
def test_the_numbers_that_faker_makes_are_taken(kind: str) -> None:
    from faker import Faker

    fake = Faker()
    fake.seed_instance(7)
    for _ in range(30):
        assert brands.problem_of(fake.credit_card_number(kind)) is None
