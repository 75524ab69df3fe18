"""Currencies, and how amounts of minor units are shown (interface §4.2: "lowest denomination of the currency").

The table has every active code of ISO 4217 with a minor unit; metals, test and drawing-right codes have none and cannot
be charged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple


class Currency(NamedTuple):
    """An ISO 4217 code; one unit is 10 to the power of `exponent` minor units."""

    code: str
    exponent: int


def exponent_of(code: str) -> int:
    """How many decimals a currency has; 0 for a code that ISO 4217 never had."""
    row = currency(code)
    return row.exponent if row else 0


def format_amount(minor: int, code: str) -> str:
    """An amount as people read it: `1,065.40 USD`, `6,540 JPY`, `6.540 BHD`. ValueError for an unknown code."""
    if (found := currency(code)) is None:
        raise ValueError(f"{code!r} is not an ISO 4217 currency")
    whole, point, rest = format_plain(minor, found.exponent).partition(".")
    return f"{int(whole):,}{point}{rest} {code}" if len(whole) > 3 else f"{whole}{point}{rest} {code}"


def format_plain(minor: int, exponent: int) -> str:
    """The number alone, with `exponent` decimals and a point."""
    if exponent == 0:
        return str(minor)
    whole, rest = divmod(abs(minor), 10**exponent)
    return f"{'-' if minor < 0 else ''}{whole}.{rest:0{exponent}d}"


# ISO 4217 list one (current currency and funds codes), 2026.
_BY_EXPONENT: Final = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    2: (
        "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW "
        "CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF "
        "IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK "
        "MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP "
        "SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG "
        "YER ZAR ZMW ZWG"
    ),
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}
CURRENCIES: Final = tuple(
    sorted(Currency(code, exponent) for exponent, codes in _BY_EXPONENT.items() for code in codes.split(" "))
)

FORMER: Final = ("ANG", "BGN", "CUC", "HRK", "SLL", "STD", "ZWL")
"""Codes that ISO 4217 no longer has, which the public API still accepts; each has two decimals."""

currency: Final = {row.code: row for row in (*CURRENCIES, *(Currency(code, 2) for code in FORMER))}.get
"""The row of an upper-case code, or None."""


SIGNS: Final = {
    "$": ("USD", "AUD", "CAD", "HKD", "MXN", "NZD", "SGD"), "€": ("EUR",), "£": ("GBP",), "¥": ("JPY", "CNY"),
    "₹": ("INR",), "₩": ("KRW",), "₽": ("RUB",), "₺": ("TRY",), "₪": ("ILS",), "₫": ("VND",), "₴": ("UAH",),
    "฿": ("THB",), "R$": ("BRL",), "zł": ("PLN",), "Kč": ("CZK",), "kr": ("SEK", "NOK", "DKK", "ISK"),
}  # fmt: skip
"""Signs of currencies, each with the codes that it can mean."""
_SUM: Final = re.compile(r"([^\d\s.,']{1,4})?\s*(\d.*?)\s*([^\d\s.,']{1,4})?")
_NUMBERS: Final = (
    re.compile(r"(0|[1-9]\d{0,17})(?:[.,](\d{1,4}))?"),
    re.compile(r"([1-9]\d{0,2}(?:([ .,'\u00a0\u202f])\d{3})(?:\2\d{3}){0,5})(?:(?!\2)[.,](\d{1,4}))?"),
)


def readings(text: str) -> tuple[tuple[str, ...], list[tuple[int, int]]]:
    """What an amount can mean as people write it: currencies (none: any), and numbers with their count of decimals.

    `1,065` is a thousand and more, or one with three decimals.
    """
    found = _SUM.fullmatch(text)
    sign = (found[1] or found[3] or "") if found else ""
    codes = (sign.upper(),) if currency(sign.upper()) else SIGNS.get(sign) or SIGNS.get(sign.lower(), ())
    if found is None or (found[1] and found[3]) or (sign and not codes):
        return (), []
    return codes, list(_numbers(found[2]))


def _numbers(text: str) -> Iterator[tuple[int, int]]:
    for pattern in _NUMBERS:
        if found := pattern.fullmatch(text):
            decimals = found[found.re.groups] or ""
            yield int(re.sub(r"\D", "", found[1]) + decimals), len(decimals)
