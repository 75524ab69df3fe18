"""Where a bank transfer is to go: ACH, SEPA and Bacs, in the public API's shape (facts §2.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mock_server.domain.instructions.context import Context
from mock_server.domain.instructions.iban import bank_of, iban

BANK_NAME: Final = "Payment Sandbox Bank"
ROUTING_NUMBER: Final = "110000000"  # well known from other sandboxes; passes the ABA check
SWIFT_CODE: Final = "PSBXUS30XXX"
SORT_CODE: Final = "108800"  # well known from other sandboxes


def steps(type_: str, context: Context) -> dict[str, object]:
    """The value of `bank_transfer_steps_and_charges_details` for ach, sepa or bacs."""
    return {**_STEPS[type_](context), "receiver": _receiver(context.amount)}


def _ach(context: Context) -> dict[str, object]:
    account = {
        "account_number": context.digits(12),
        "bank_name": BANK_NAME,
        "routing_number": ROUTING_NUMBER,
        "swift_code": SWIFT_CODE,
    }
    return {"ach_credit_transfer": account}


def _sepa(context: Context) -> dict[str, object]:
    bank = bank_of(context.country)
    account = {
        "account_holder_name": context.merchant_name,
        "bic": bank.bic,
        "country": bank.country,
        "iban": iban(context.country, context.digits),
        "reference": context.payment_id,
    }
    return {"sepa_bank_instructions": account}


def _bacs(context: Context) -> dict[str, object]:
    account = {
        "account_holder_name": context.merchant_name,
        "account_number": context.digits(8),
        "sort_code": SORT_CODE,
        "reference": context.payment_id,
    }
    return {"bacs_bank_instructions": account}


def _receiver(amount: int) -> dict[str, object]:
    return {"amount_received": 0, "amount_charged": amount, "amount_remaining": amount}


_Steps = Callable[[Context], dict[str, object]]
_STEPS: Final[dict[str, _Steps]] = {"ach": _ach, "sepa": _sepa, "bacs": _bacs}
