"""Accounts to send money to."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mock_server.domain.instructions import bank_transfer
from tests.domain.instructions.contexts import context

RECEIVER = {"amount_received": 0, "amount_charged": 6540, "amount_remaining": 6540}


def account(type_: str, name: str) -> dict[str, Any]:
    steps: dict[str, Any] = bank_transfer.steps(type_, context(country="FR"))
    assert list(steps) == [name, "receiver"]
    assert steps["receiver"] == RECEIVER
    found: dict[str, Any] = steps[name]
    return found


def test_an_ach_account_has_a_routing_number_that_checks() -> None:
    found = account("ach", "ach_credit_transfer")
    assert list(found) == ["account_number", "bank_name", "routing_number", "swift_code"]
    assert re.fullmatch(r"\d{12}", found["account_number"])
    routing = [int(digit) for digit in found["routing_number"]]
    assert len(routing) == 9
    assert (3 * sum(routing[0::3]) + 7 * sum(routing[1::3]) + sum(routing[2::3])) % 10 == 0


def test_a_sepa_account_is_in_the_customers_country() -> None:
    found = account("sepa", "sepa_bank_instructions")
    assert list(found) == ["account_holder_name", "bic", "country", "iban", "reference"]
    assert found["country"] == "FR"
    assert found["iban"].startswith("FR")
    assert found["reference"] == "pay_1"


def test_a_bacs_account_has_a_sort_code() -> None:
    found = account("bacs", "bacs_bank_instructions")
    assert list(found) == ["account_holder_name", "account_number", "sort_code", "reference"]
    assert re.fullmatch(r"\d{8}", found["account_number"])
    assert re.fullmatch(r"\d{6}", found["sort_code"])


def test_every_swift_code_is_a_test_code() -> None:
    assert re.fullmatch(r"[A-Z]{4}US[A-Z0-9]0[A-Z]{3}", bank_transfer.SWIFT_CODE)


def test_two_payments_get_two_accounts() -> None:
    assert bank_transfer.steps("sepa", context(1)) != bank_transfer.steps("sepa", context(2))


@pytest.mark.parametrize("type_", ["ach", "sepa", "bacs"])
def test_the_same_digits_make_the_same_account(type_: str) -> None:
    assert bank_transfer.steps(type_, context(5)) == bank_transfer.steps(type_, context(5))
