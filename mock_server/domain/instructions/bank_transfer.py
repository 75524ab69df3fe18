"""The target of a bank transfer: ACH, SEPA and Bacs, in the public API's shape (facts §2.3)."""

from __future__ import annotations

from collections.abc import Callable
from operator import add
from typing import Final, NamedTuple

from mock_server.domain.instants import LATEST, iso
from mock_server.domain.instructions.context import Context, Digits

_LETTERS: Final = {chr(ord("A") + n): str(10 + n) for n in range(26)}


class BankOf(NamedTuple):
    """Our bank in one country: `account_digits` are drawn, `finish` adds that country's own check digits."""

    country: str
    bic: str
    bank_code: str
    account_digits: int
    finish: Callable[[str, str], str] = add
    source: str = "ISO 13616 registry"


def iban(country: str | None, digits: Digits) -> str:
    """A new account at our bank in that country, in Germany where we have none."""
    bank = bank_of(country)
    account = bank.finish(bank.bank_code, digits(bank.account_digits))
    return f"{bank.country}{check_digits(bank.country, account)}{account}"


def bank_of(country: str | None) -> BankOf:
    """Our bank in that country, in Germany where we have none."""
    return _BY_COUNTRY.get(country or "", BANKS[0])


def check_digits(country: str, account: str) -> str:
    """The two digits behind an IBAN's country (ISO 7064 MOD 97-10)."""
    digits = "".join(_LETTERS.get(character, character) for character in f"{account}{country}00")
    return f"{98 - int(digits) % 97:02d}"


def _spanish(bank: str, account: str) -> str:
    return bank + _eleven("00" + bank) + _eleven(account) + account


def _eleven(ten: str) -> str:
    rest = sum(int(digit) * weight for digit, weight in zip(ten, _SPANISH_WEIGHTS, strict=True)) % 11
    return str({0: 0, 1: 1}.get(rest, 11 - rest))


_SPANISH_WEIGHTS: Final = (1, 2, 4, 8, 5, 10, 9, 7, 3, 6)


def _french(bank: str, account: str) -> str:
    key = 97 - (89 * int(bank[:5]) + 15 * int(bank[5:]) + 3 * int(account)) % 97
    return f"{bank}{account}{key:02d}"


def _dutch(bank: str, account: str) -> str:
    # The eleven-test: digits times 10 … 1 add up to a multiple of 11. The last two digits correct any remainder.
    rest = -sum(int(digit) * weight for digit, weight in zip(account, range(10, 2, -1), strict=True)) % 11
    return f"{bank}{account}{rest // 2}{rest % 2}"


BANKS: Final = (
    BankOf("DE", "PSBXDEF0XXX", "50099900", 10),
    BankOf("AT", "PSBXATW0XXX", "99900", 11),
    BankOf("BE", "PSBXBEB0XXX", "999", 7, lambda bank, own: f"{bank}{own}{int(bank + own) % 97 or 97:02d}"),
    BankOf("ES", "PSBXESM0XXX", "99990001", 10, _spanish),
    BankOf("FR", "PSBXFRP0XXX", "9999900001", 11, _french),
    BankOf("IE", "PSBXIED0XXX", "PSBX990001", 8),
    BankOf("NL", "PSBXNLA0XXX", "PSBX", 8, _dutch),
    BankOf("PT", "PSBXPTP0XXX", "99990001", 11, lambda bank, own: f"{bank}{own}{98 - int(bank + own + '00') % 97:02d}"),
)

_BY_COUNTRY: Final = {bank.country: bank for bank in BANKS}

ROUTING_NUMBER: Final = "110000000"  # well known from other sandboxes; passes the ABA check
SWIFT_CODE: Final = "PSBXUS30XXX"


def steps(type_: str, context: Context) -> dict[str, object]:
    """The value of `bank_transfer_steps_and_charges_details`."""
    amount = context.amount
    receiver = {"amount_received": 0, "amount_charged": amount, "amount_remaining": amount}
    return {**_STEPS.get(type_, _virtual_account)(context), "receiver": receiver}


def _ach(context: Context) -> dict[str, object]:
    account = {
        "account_number": context.digits(12),
        "bank_name": "Payment Sandbox Bank",
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
        "sort_code": "108800",  # well known from other sandboxes
        "reference": context.payment_id,
    }
    return {"bacs_bank_instructions": account}


def _virtual_account(context: Context) -> dict[str, object]:
    """An account number of the payment's own, as banks of Indonesia have them."""
    account = {
        "reference": context.digits(16),
        "expires_at": iso(LATEST if context.expires_at is None else context.expires_at),  # the public API requires it
        "instructions_url": context.page_url,
    }
    return {"doku_bank_transfer_instructions": account}


_STEPS: Final = {"ach": _ach, "sepa": _sepa, "bacs": _bacs}
