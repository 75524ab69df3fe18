"""Boletos: the 44 digits of the bar code and the 47 that people type (FEBRABAN's layout of the bar code)."""

from __future__ import annotations

from typing import Final

from mock_server.domain.instants import DAY_MS, parse
from mock_server.domain.instructions.context import Context

BANK: Final = "999"  # nobody's code
_REAL: Final = "9"
_CYCLE: Final = 9_000
_FIRST_FACTOR: Final = 1_000
_CYCLE_BEGAN: Final = parse("2025-02-22")  # the day when the counter went back to 1000


def barcode(context: Context) -> str:
    """The 44 digits: bank, currency, check digit, due factor, amount, and 25 of the bank's own."""
    before = BANK + _REAL
    after = due_factor(context.expires_at) + f"{context.amount:010d}" + context.digits(25)
    return before + modulo_11(before + after) + after


def digitable_line(code: str) -> str:
    """What people type for a bar code: three fields of the bank's, the check digit, factor and amount."""
    own = code[19:]
    fields = (code[:4] + own[:5], own[5:15], own[15:])
    dotted = (f"{field[:5]}.{field[5:]}{modulo_10(field)}" for field in fields)
    return " ".join((*dotted, code[4], code[5:19]))


def due_factor(due_at: int | None) -> str:
    """The due date: four digits that count days, and began again at 1000 in February 2025; zeros without one."""
    return "0000" if due_at is None else f"{_FIRST_FACTOR + (due_at - _CYCLE_BEGAN) // DAY_MS % _CYCLE:04d}"


def modulo_10(digits: str) -> str:
    """The check digit of a typed field: weights 2, 1, 2 … from the right, digits of the products added up."""
    doubled = [int(digit) * (2 - position % 2) for position, digit in enumerate(reversed(digits))]
    return str(-sum(product // 10 + product % 10 for product in doubled) % 10)


def modulo_11(digits: str) -> str:
    """The check digit of the bar code: weights 2 to 9 from the right; 0, 10 and 11 become 1."""
    found = 11 - sum(int(digit) * (2 + position % 8) for position, digit in enumerate(reversed(digits))) % 11
    return str(1 if found > 9 else found)


ENTITY: Final = "99999"  # ours
_AMOUNT_DIGITS: Final = 8


def reference(context: Context) -> str:
    """A new reference for this amount at our entity."""
    number = context.digits(7)
    return number + check_digits(ENTITY, number, context.amount)


def check_digits(entity: str, number: str, amount: int) -> str:
    """The last two digits of a reference; only the last eight digits of the amount count."""
    text = entity + number + f"{amount:0{_AMOUNT_DIGITS}d}"[-_AMOUNT_DIGITS:]
    return f"{98 - 3 * int(text) % 97:02d}"
