"""Card brands: which numbers are theirs, and what is a card number at all. Named as in the public API (facts §2.2)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from mock_server.domain.nouns import noun


class Brand(NamedTuple):
    """One network; `slug` begins the names of its cards, `prefixes` are (lowest, highest) of equal length."""

    name: str
    slug: str
    lengths: tuple[int, ...]
    prefixes: tuple[tuple[str, str], ...]


def _one(*prefixes: str) -> tuple[tuple[str, str], ...]:
    return tuple((prefix, prefix) for prefix in prefixes)


_16_TO_19: Final = (16, 17, 18, 19)
_14_TO_19: Final = (14, 15, *_16_TO_19)
_12_TO_19: Final = (12, 13, *_14_TO_19)

OTHER: Final = Brand("Unknown", "other", _12_TO_19, ())
"""The network of any other number."""

# The longest matching prefix counts.
BRANDS: Final = (
    Brand("AmericanExpress", "amex", (15,), _one("34", "37")),
    Brand("RuPay", "rupay", (16,), (*_one("508"), ("6521", "6522"), ("60698", "60699"))),
    Brand("DinersClub", "diners", _14_TO_19, (("300", "305"), *_one("3095", "36", "38", "39"))),
    Brand("JCB", "jcb", (15, *_16_TO_19), (("3528", "3589"), *_one("2131", "1800"))),
    Brand("Discover", "discover", _16_TO_19, (*_one("6011", "65"), ("644", "649"), ("622126", "622925"))),
    Brand("UnionPay", "unionpay", _16_TO_19, _one("62", "81")),
    Brand("Mastercard", "mastercard", (16,), (("51", "55"), ("2221", "2720"))),
    Brand("Maestro", "maestro", _12_TO_19, (("56", "58"), *_one("50", "6"))),
    Brand("Visa", "visa", (13, 16, 19), _one("4")),
)

VISA, MASTERCARD, AMEX, DISCOVER = "Visa", "Mastercard", "AmericanExpress", "Discover"
DINERS, JCB, UNIONPAY, RUPAY, MAESTRO = "DinersClub", "JCB", "UnionPay", "RuPay", "Maestro"

NETWORKS: Final = (
    "Visa Mastercard AmericanExpress JCB DinersClub Discover CartesBancaires UnionPay Interac RuPay Maestro Star Pulse"
    " Accel Nyce"
)
"""Those that the public API knows, in its order (public schemas)."""
_BY_WORD: Final = {word.lower(): row for row in (*BRANDS, OTHER) for word in (row.name, row.slug)}
_DIGITS: Final = re.compile(r"[0-9]+", re.ASCII)
_DOUBLED: Final = bytes((2 * d if d < 5 else 2 * d - 9) for d in range(10)).ljust(256, b"\0")
_PLAIN: Final = bytes(byte - 48 if 48 <= byte < 58 else 0 for byte in range(256))


def brand_row(number: str) -> Brand:
    """The network of a number, by its first digits."""
    rows = _rows()
    for size in _sizes(number[:2]):
        if (row := rows.get(number[:size])) is not None:
            return row
    return OTHER


@cache
def _rows() -> dict[str, Brand]:
    return {
        str(prefix): row for row in BRANDS for low, high in row.prefixes for prefix in range(int(low), int(high) + 1)
    }


@lru_cache(maxsize=128)
def _sizes(start: str) -> list[int]:
    """The sizes of the prefixes that may begin with these two digits, the longest first."""
    return sorted({len(prefix) for prefix in _rows() if prefix.startswith(start[: len(prefix)])}, reverse=True)


def brand_of(number: str) -> str:
    """The name of a number's network: `Visa`, `AmericanExpress`, … or `Unknown`."""
    return brand_row(number).name


def brand_named(word: str) -> Brand | None:
    """The network of a name or short name, in any case."""
    return _BY_WORD.get(word.lower())


def luhn(number: str) -> bool:
    """Whether the last digit of a text of digits is the right check digit (ISO/IEC 7812-1)."""
    values = number.encode("ascii").translate(_PLAIN)[::-1]
    return (sum(values[::2]) + sum(values[1::2].translate(_DOUBLED))) % 10 == 0


def numbers_in(digits: str, starts: Iterable[int], ends: Iterable[int]) -> list[tuple[int, int]]:
    """The longest card number from each of these places to one of the ends: a brand, its length, the check digit.

    The check digit is right if the sums of the digits before the two ends are equal, so the end is looked up by them.
    """
    values = digits.encode("ascii").translate(_PLAIN)
    sums, at_ends = [], []
    for parity in (0, 1):  # of the places whose digits are doubled, which is that of the ends of such numbers
        parts = bytearray(values)
        parts[parity::2] = values.translate(_DOUBLED)[parity::2]
        sums.append([part % 10 for part in accumulate(parts, initial=0)])
        at_ends.append(bytearray(b"\xff" * len(sums[0])))
    for end in ends:
        at_ends[end & 1][end] = sums[end & 1][end]
    (even, odd), (even_end, odd_end) = sums, [ends_with.rfind for ends_with in at_ends]
    found = []
    for start in starts:
        if lengths := _lengths_of(digits[start : start + 6]):
            first, end = start + lengths[0], start + lengths[-1] + 1
            while (end := max(even_end(even[start], first, end), odd_end(odd[start], first, end))) > 0:
                if end - start in lengths:
                    found.append((start, end))
                    break
    return found


@lru_cache(maxsize=1024)
def _lengths_of(prefix: str) -> tuple[int, ...]:
    """The lengths of a brand's numbers that begin so, the shortest first; none if the prefix is no brand's."""
    return () if (brand := brand_row(prefix)) is OTHER else brand.lengths


def digits_of(text: str) -> str:
    """A typed number without its blanks; people write them in groups."""
    return text.replace(" ", "")


def problem_of(number: str) -> str | None:
    """Why digits (without blanks) are not a card number, as a clause about the field; None if they are one."""
    if _DIGITS.fullmatch(number) is None:
        return "must be digits"
    brand = brand_row(number)
    if not has_length(number):
        owner = "a card" if brand is OTHER else f"{'an' if brand.name[0] in 'AEIOU' else 'a'} {brand.name}"
        return f"has {len(number)} {noun(len(number), 'digit')}; {owner} number has {_any_of(brand.lengths)}"
    return None if luhn(number) else "is not a card number: its check digit (Luhn) is wrong"


def is_card_number(number: str) -> bool:
    """Whether a text of digits is a card's number: its brand's prefix and length, and the check digit."""
    return len(number) in _lengths_of(number[:6]) and luhn(number)


def has_length(number: str) -> bool:
    """Whether there are as many digits as a number of the brand has."""
    return len(number) in brand_row(number).lengths


EXPIRY: Final = {"card_exp_month": "12", "card_exp_year": "2099"}
"""Of cards that nobody typed: a workspace's clock may be far ahead (ours)."""


def full_year(year: str) -> str:
    """The four digits of an expiry year that was typed with two or four."""
    return f"20{year}"[-4:]


def _any_of(lengths: tuple[int, ...]) -> str:
    if len(lengths) > 2 and lengths[-1] - lengths[0] == len(lengths) - 1:
        return f"{lengths[0]} to {lengths[-1]}"
    *most, last = map(str, lengths)
    return f"{', '.join(most)} or {last}" if most else last
