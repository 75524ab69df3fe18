"""Hides card data: numbers are found by what they are, security codes by the names of their fields.

The numbers of our own table are hidden too; what may show them (the table, a scenario's own text) does not call this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import unquote_to_bytes

from mock_server.domain.card_brands import luhn

HIDDEN: Final = "[hidden]"
_DEEPEST: Final = 100

# names

_LETTERS: Final = re.compile(r"[^a-z0-9]+")
_NUMBER_NAMES: Final = re.compile(r"cardnum|cardno$|^(?:card|cc|credit|debit)?pan$|primaryaccountnumber|^ccn")
_SHORT: Final = "csc|cid|cvn|cvd|cav|cve|cvx"
_LONG: Final = "cvc|cvv|(?:security|verification|validation)(?:code|value|number|num|no|digits?)|card(?:code|security)"
_CODE_NAMES: Final = re.compile(
    rf"{_LONG}|^(?:card|cc|credit|debit|payment|amex)*(?:{_SHORT})[0-9]?(?:code|value|number|num|no)?$"
)
_IN_TEXT: Final = re.compile(
    r"((?:cvc|cvv|(?<![a-z])(?:csc|cid|cvn|cvd|cav)|(?:security|verification|validation)[ _-]?(?:code|value|number))"
    r"[0-9]?(?:[ _-]?(?:code|value|number|no))?[^a-z0-9]{1,12}(?:is |value[^a-z0-9]{1,12})?)(\d{3,4})(?!\d)",
    re.IGNORECASE,
)
"""A security code in a text: its name, a few signs, and three or four digits."""


def is_number_name(name: str) -> bool:
    """Whether a field of this name holds a card's number, in every spelling."""
    return _NUMBER_NAMES.search(_spelled(name)) is not None


def is_code_name(name: str) -> bool:
    """Whether a field of this name holds a security code, in every spelling."""
    return _CODE_NAMES.search(_spelled(name)) is not None


def _spelled(name: str) -> str:
    return _LETTERS.sub("", name.lower())


_MARK: Final = re.compile("c(?:v|sc|id|av)|secur|verif|valid")
"""How every name of a code in a text begins, in small letters."""

# texts

_BETWEEN: Final = r"(?:%20|%2[bB]|\\u0020|[ \t+./_\-\u00a0\u2007-\u2015\u202f\u2212])"
_RUN: Final = re.compile(rf"(?<!\d)\d(?:{_BETWEEN}{{0,2}}\d){{11,}}(?!\d)")
_GROUP: Final = re.compile(r"%20|%2[bB]|\\u0020|(\d+)")
SHORTEST, LONGEST = 12, 19
MOST_ENCODED: Final = 3
"""How many times a text may be encoded with percents and is still read (ours)."""
_DIGITS_AS_0: Final = bytes(48 if 48 <= byte < 58 or byte >= 128 else 120 for byte in range(256))
_GLUE: Final = b" \t+./_%\\uBb-"
_RUN_OF_0: Final = b"0" * SHORTEST


def may_hold_number(text: bytes) -> bool:
    """Whether enough digits follow each other, with or without signs between them: quick, as every call needs it.

    A byte beyond ASCII passes for a digit: other scripts have digits too.
    """
    if _RUN_OF_0 in text.translate(_DIGITS_AS_0, _GLUE):
        return True
    return b"%" in text and _RUN_OF_0 in _decoded(text).translate(_DIGITS_AS_0, _GLUE)


def without_numbers(text: str) -> str:
    """A text without card numbers, in one piece or in groups with blanks, dashes or the like between them."""
    if not may_hold_number(text.encode("utf-8", "surrogatepass")):
        return text
    text = _RUN.sub(_hide_numbers, text)
    return _WITH_PERCENTS.sub(_hide_encoded, text) if "%" in text else text


_WITH_PERCENTS: Final = re.compile(r"(?:[0-9+._-]|%(?:25)*[0-9A-Fa-f]{2})+")


def _hide_encoded(run: re.Match[str]) -> str:
    """Hides what is a card number after decoding, if its digits or the signs between them are written with percents."""
    plain = decoded(run[0]) if "%" in run[0] else ""
    return run[0] if _RUN.sub(_hide_numbers, plain) == plain else HIDDEN


def decoded(text: str) -> str:
    """A text after decoding of percents, and of a plus for a blank."""
    plain = text.replace("+", " ")
    return _decoded(plain.encode("utf-8", "replace")).decode("utf-8", "replace") if "%" in plain else plain


def _decoded(text: bytes) -> bytes:
    """The text after decoding of percents, and of percents that are written with percents themselves."""
    for _ in range(MOST_ENCODED):
        text = unquote_to_bytes(text)
    return text


def _hide_numbers(run: re.Match[str]) -> str:
    text = run[0]
    groups = [found.span(1) for found in _GROUP.finditer(text) if found[1]]
    first = 0
    while first < len(groups):
        last = _end_of_number(text, groups, first)
        if last is None:
            first += 1
            continue
        start, end = groups[first][0], groups[last][1]
        return text[:start] + HIDDEN + _RUN.sub(_hide_numbers, text[end:])
    return text


def _end_of_number(text: str, groups: list[tuple[int, int]], first: int) -> int | None:
    """The last of the groups from `first` on that are a card number together; None if they are none."""
    digits = ""
    for at in range(first, len(groups)):
        start, end = groups[at]
        digits += "".join(str(int(sign)) for sign in text[start:end])
        if len(digits) > LONGEST:
            return None
        if len(digits) >= SHORTEST and luhn(digits):
            return at
    return None


def cleaned(text: str) -> str:
    """A text without card numbers, and without security codes that it names."""
    text = without_numbers(text)
    return _IN_TEXT.sub(rf"\g<1>{HIDDEN}", text) if _MARK.search(text.lower()) else text


# values


def codes_in(value: object, depth: int = 0) -> Iterator[str]:
    """Every security code in a JSON value, found by the names of its fields."""
    if isinstance(value, Mapping):
        for name, member in value.items():
            if is_code_name(str(name)):
                if isinstance(member, str | int) and not isinstance(member, bool) and 3 <= len(str(member)) <= 4:
                    yield str(member)
            elif depth < _DEEPEST:
                yield from codes_in(member, depth + 1)
    elif isinstance(value, list | tuple) and depth < _DEEPEST:
        for member in value:
            yield from codes_in(member, depth + 1)


def hidden(value: object, codes: frozenset[str] = frozenset(), known: frozenset[str] = frozenset()) -> object:
    """A JSON value without card data: by names, by value, and strings that are one of the codes.

    A code is not hidden by its value alone under a name of the API (`known`): its digits could be an amount's.
    """
    return _Hiding(codes, known).value(value, is_known=False, depth=0)


def seen(name: str, value: object, codes: frozenset[str] = frozenset()) -> object:
    """A value under a name, without card data."""
    return by_name(value) if is_number_name(name) or is_code_name(name) else hidden(value, codes)


FREE: Final = frozenset({"metadata", "connector_metadata", "feature_metadata", "browser_info"})
"""Objects whose names are the caller's own."""


class _Hiding:
    """One walk through a value."""

    def __init__(self, codes: frozenset[str], known: frozenset[str]) -> None:
        self._codes = codes
        self._known = known

    def value(self, value: object, *, is_known: bool, depth: int, free: bool = False) -> object:
        """The value without card data."""
        if isinstance(value, str):
            return HIDDEN if value in self._codes and not is_known else cleaned(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return HIDDEN if without_numbers(f"{value:.0f}") == HIDDEN else value
        if depth > _DEEPEST:
            return HIDDEN if isinstance(value, Mapping | list | tuple) else value
        if isinstance(value, Mapping):
            return {
                cleaned(str(name)): self._member(str(name), member, depth, free=free) for name, member in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.value(member, is_known=is_known, depth=depth + 1, free=free) for member in value]
        return value

    def _member(self, name: str, member: object, depth: int, *, free: bool) -> object:
        if is_number_name(name) or is_code_name(name):
            return by_name(member)
        is_known = not free and name in self._known
        return self.value(member, is_known=is_known, depth=depth + 1, free=free or name in FREE)


def by_name(value: object) -> object:
    """The value under the name of a card's number or code: hidden if it has a digit."""
    if value is None or isinstance(value, bool):
        return value
    return HIDDEN if any(sign.isdigit() for sign in str(value)) else value
