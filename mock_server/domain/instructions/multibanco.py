"""Multibanco: a reference of nine digits whose last two check entity, number and amount (SIBS)."""

from __future__ import annotations

from typing import Final

from mock_server.domain.instructions.context import Context

ENTITY: Final = "99999"  # ours
_AMOUNT_DIGITS: Final = 8


def reference(context: Context) -> str:
    """A new reference for this amount at our entity."""
    number = context.digits(7)
    return number + check_digits(ENTITY, number, context.amount)


def check_digits(entity: str, number: str, amount: int) -> str:
    """The last two digits of a reference; of a larger amount than 999 999.99 the last eight digits count."""
    text = entity + number + f"{amount:0{_AMOUNT_DIGITS}d}"[-_AMOUNT_DIGITS:]
    return f"{98 - 3 * int(text) % 97:02d}"
