"""IBANs: checked by the standard's own words, written here anew."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from mock_server.domain.instructions.bank_transfer import BANKS, BankOf, bank_of, check_digits, iban
from tests.domain.instructions.contexts import SEEDS, digits_from

FORMS = {
    "DE": r"\d{18}",
    "AT": r"\d{16}",
    "BE": r"\d{12}",
    "ES": r"\d{20}",
    "FR": r"\d{10}[0-9A-Z]{11}\d{2}",
    "IE": r"[A-Z]{4}\d{14}",
    "NL": r"[A-Z]{4}\d{10}",
    "PT": r"\d{21}",
}
"""The account part of each country, from the ISO 13616 registry."""


def is_iban(text: str) -> bool:
    """First four to the end, letters as 10 to 35, and the whole leaves 1 when divided by 97."""
    turned = text[4:] + text[:4]
    number = "".join(str(int(sign, 36)) for sign in turned)
    return int(number) % 97 == 1


def weighted(digits: str, weights: tuple[int, ...]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def national_check(country: str, account: str) -> bool:
    """The check that the country itself puts into its account numbers."""
    match country:
        case "BE":
            return int(account[:10]) % 97 == int(account[10:]) % 97
        case "PT":
            return int(account) % 97 == 1
        case "FR":
            return int(account) % 97 == 0
        case "NL":
            return weighted(account[4:], tuple(range(10, 0, -1))) % 11 == 0
        case "ES":
            return all(_spanish(part, digit) for part, digit in _spanish_parts(account))
    return True


def _spanish_parts(account: str) -> tuple[tuple[str, str], ...]:
    return ("00" + account[:8], account[8]), (account[10:], account[9])


def _spanish(part: str, digit: str) -> bool:
    rest = 11 - weighted(part, (1, 2, 4, 8, 5, 10, 9, 7, 3, 6)) % 11
    return {11: "0", 10: "1"}.get(rest, str(rest)) == digit


@pytest.mark.parametrize("bank", BANKS, ids=lambda bank: bank.country)
@given(seed=SEEDS)
def test_every_account_is_right_for_its_country(bank: BankOf, seed: int) -> None:
    found = iban(bank.country, digits_from(seed))
    assert found.startswith(bank.country)
    assert is_iban(found)
    assert re.fullmatch(FORMS[bank.country], found[4:])
    assert national_check(bank.country, found[4:])


@pytest.mark.parametrize("bank", BANKS, ids=lambda bank: bank.country)
def test_every_bic_is_a_test_bic_of_its_country(bank: BankOf) -> None:
    assert re.fullmatch(r"[A-Z]{4}[A-Z]{2}[A-Z]0([A-Z0-9]{3})?", bank.bic)
    assert bank.bic[4:6] == bank.country
    assert bank_of(bank.country) is bank


@pytest.mark.parametrize("country", [None, "", "XX", "US"])
def test_elsewhere_the_account_is_german(country: str | None) -> None:
    assert iban(country, digits_from(1)).startswith("DE")


@pytest.mark.parametrize("known", ["DE89370400440532013000", "GB29NWBK60161331926819", "FR1420041010050500013M02606"])
def test_the_check_digits_of_published_examples(known: str) -> None:
    assert is_iban(known)
    assert check_digits(known[:2], known[4:]) == known[2:4]
