"""Hides card data: numbers are found by what they are, security codes by the names of their fields.

The numbers of our own table are hidden too; what may show them (the table, a scenario's own text) does not call this.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from functools import cache
from itertools import accumulate
from typing import Final
from urllib.parse import unquote_to_bytes

from mock_server.domain.card_brands import is_card_number, numbers_in

HIDDEN: Final = "[hidden]"
_DEEPEST: Final = 100
_LONGEST_NAME: Final = 256
_SEEN: Final = 4_096  # how much of a value or text is looked at, beside what is kept
MARGIN: Final = 1_024
"""How much more of a text is searched than is kept, so that no half of a number remains in any spelling (ours)."""

# names

_LETTERS: Final = re.compile(r"[^a-z0-9]+")
_NUMBER_NAMES: Final = re.compile(
    r"cardnum|cardno$|^(?:card|cc|credit|debit|d|f|device|token)?pan$|primaryaccountnumber|^ccn"
)
_LONG: Final = "cvc|cvv|(?:security|verification|validation)(?:code|value|number|num|no|digits?)|cardsecurity"
_SHORT: Final = "(?:csc|cid|cvn|cvd|cav|cve|cvx)[0-9]?(?:code|value|number|num|no)?"
_CODE_NAMES: Final = re.compile(rf"{_LONG}|^(?:card|cc|credit|debit|payment|amex)*{_SHORT}$")
_CODED: Final = re.compile(r"(?:card|sec|(?<![a-z])cc)[ _-]?code")  # with at most one sign, as a quick look finds it
_SIGN: Final = r"(?:\s++|&#?[a-z0-9]{2,5};|%(?:25)*[0-9a-f]{2}|\\(?:u[0-9a-f]{4}|[a-z])|[^a-z\d\s])"
_IN_TEXT: Final = re.compile(
    r"([CSVcsv](?i:(?:(?<=c)v[cv]|(?<=c)(?<![a-z].)(?:sc|id|vn|vd|av|ard[ _-]?code)|(?<=s)ec[ _-]?code"
    r"|(?:(?<=s)ecurity|(?<=v)(?:alid|erific)ation)[ _-]?(?:code|value|number))(?:[ _-]?[0-9])??"
    rf"(?:{_SIGN}{{0,12}}(?:is|was|of|for|my|the|your|card|code|value|number|no)(?![a-z])){{0,4}}{_SIGN}{{1,12}}"
    r"|(?<=c)(?<![a-z0-9].)v[cv]2??(?=\d{3,4}(?![a-z0-9_]))))(\d(?:[ -]?\d){2,3})(?!\d)"
)
"""A security code in a text; its first letter stands apart, as `re` finds a set of signs in their own case quickly."""
_QUOTED: Final = re.compile(r'(?<=")\d{3,4}(?=\\*")')  # also in JSON that is a text of JSON
_IN_BRACKETS: Final = re.compile(r"\((?i:c|s)")  # found much more quickly than digits are
_NAMED_AFTER: Final = re.compile(r"()(?<!\d)(\d(?:[ -]?\d){2,3})(?= ?\((?:card )?(?i:cv[cv]2?|csc|security code)\))")


def is_number_name(name: str) -> bool:
    """Whether a field of this name holds a card's number, in every spelling; a very long name is taken for one."""
    return len(name) > _LONGEST_NAME or _NUMBER_NAMES.search(_spelled(name)) is not None


def is_code_name(name: str) -> bool:
    """Whether a field of this name holds a security code, in every spelling; a very long name is taken for one."""
    return bool(len(name) > _LONGEST_NAME or _CODE_NAMES.search(_spelled(name)) or _CODED.search(name.lower()))


def _spelled(name: str) -> str:
    return _LETTERS.sub("", name.lower())


# marks of names

_NAME: Final = re.compile(r'"(?=([^"]*")\s*:)')  # from each quotation mark: a text can begin with a colon
_COMMON_FIRST: Final = "etaoinsrhldcumfpgwybvkxjqz\\"
"""Letters by how often texts have them; before them stand the signs of JSON."""
Marks = tuple[tuple[str, tuple[str, ...]], ...]
"""Texts to look for, by a sign or part of each: whether a text has one sign is found out ten times as quickly."""


def by_rarest_sign(*marks: str) -> Marks:
    """The marks, by the rarest sign of each."""
    found: dict[str, tuple[str, ...]] = {}
    for mark in marks:
        sign = max(mark, key=_COMMON_FIRST.find)
        found[sign] = (*found.get(sign, ()), mark)
    return tuple(found.items())


NAMES: Final[Marks] = (
    *by_rarest_sign("cv", "csc", "cid", "cav", "cardn", "valid", "verif", "secur", 'pan"', r"\u"),
    ("k", ("hash_key", "webhook_")),
    ("code", tuple(f"{end}{between}code" for end in ("rd", "c") for between in ("", "_", "-", " "))),
)
"""Parts of names that need a closer look, in lower case."""

# texts

SHORTEST: Final = 12  # how many digits a card number has at least
_SIGNS: Final = (  # all blanks, dashes and signs without a picture that Unicode has, and dots
    r" +./_\-\x00-\t\x0b\x0c\x0e-\x1f\x7f-\u00a0\u00ad\u00b7\u034f\u058a\u05be\u0600-\u061c\u06dd\u070f\u0890-\u08e2"
    r"\u115f\u1160\u1400\u1680\u17b4\u17b5\u1806-\u180f\u2000-\u206f\u2212-\u22c5\u2800\u2e17-\u2e5d\u3000\u301c\u3030"
    r"\u30a0\u3164\ufe00-\ufe0f\ufe31-\ufeff\uff0b-\uff0f\uff3f\uffa0\ufff9-\ufffb"
)
_BETWEEN: Final = rf"(?:%20|%2[bB]|\\u0020|\\t|[{_SIGNS}])"
# Python before 3.11.5 goes on after what a possessive repeat has matched of its next turn in vain: no turn begins so.
_RUN: Final = re.compile(rf"(?:\d++(?:{_BETWEEN}{{1,2}}(?=\d))?)++")
_WIDE: Final = r"(?!\d)(?:\s|\\[nr])*(?:[,|/\u00b7\u2010-\u2015-](?:\s|\\[nr])*)?"  # between the groups that a card has
_BY_FOUR: Final = re.compile(rf"(?<!\d)\d{{4}}(?:{_WIDE}\d{{4}}(?!\d))+(?:{_WIDE}\d{{1,3}}(?!\d))?")
_BY_SIX: Final = re.compile(rf"(?<!\d)\d{{4}}{_WIDE}\d{{6}}{_WIDE}\d{{4,5}}(?!\d)")
_ROUND: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉⓪①②③④⑤⑥⑦⑧⑨⓪⓵⓶⓷⓸⓹⓺⓻⓼⓽⓿❶❷❸❹❺❻❼❽❾🄋➀➁➂➃➄➅➆➇➈🄌➊➋➌➍➎➏➐➑➒"
_SMALL: Final = {ord(sign): str(at % 10) for at, sign in enumerate(_ROUND)}
_LIKELY: Final = re.compile(  # what a number can be in: quickly found, and rare
    rf"[\d%\\utBbnr\n\r,|{''.join(map(chr, _SMALL))}{_SIGNS}]{{{SHORTEST},}}"
)
_GAP: Final = re.compile(rf"((?:{_BETWEEN}|\D)+)")  # what is between two groups of digits
_LEAST, _MOST = 10 ** (SHORTEST - 1), 10**19
MOST_ENCODED: Final = 3  # how many times a text may be encoded with percents and is still read (ours)
_DIGITS_AS_0: Final = bytes(48 if 48 <= byte < 58 or byte >= 128 else 120 for byte in range(256))
_GLUE: Final = b" \x7f+./_,|%\\utBbfnr-" + bytes(range(32))
_RUN_OF_0: Final = b"0" * SHORTEST
_GLUED_AS_0: Final = bytes(48 if byte in _GLUE else as_0 for byte, as_0 in enumerate(_DIGITS_AS_0))
_ENCODING: Final = (b"%", rb"\u", rb"\t", rb"\b", rb"\f", rb"\/", rb"\\")
_RUNS: Final = re.compile(_RUN_OF_0 + b"0*")


def may_hold_number(text: bytes) -> bool:
    """Whether enough digits follow each other, maybe with signs between them; any byte beyond ASCII passes for one."""
    if text.translate(_DIGITS_AS_0, _GLUE).count(_RUN_OF_0):  # `in` would first try whether the bytes are a number
        return True
    return text.find(b"%") >= 0 and _decoded(text).translate(_DIGITS_AS_0, _GLUE).count(_RUN_OF_0) > 0


def needs_look(text: bytes) -> bool:
    """Whether JSON text has a card number, or digits that may be one once they are decoded."""
    if not (b"\\" in text and rb"\u" in text) and not may_hold_number(text):  # one byte is found ten times as quickly
        return False
    if any(mark in text for mark in _ENCODING):
        return True
    for run in _RUNS.finditer(text.translate(_GLUED_AS_0)):
        part, next_ = text[run.start() : run.end()], text[run.end() : run.end() + 1]
        if len(part.translate(None, _GLUE)) >= SHORTEST and (
            b"." in part or next_ in b"eE" or any(_numbers_in(part.decode("utf-8", "replace")))
        ):  # a number of JSON can have a fraction and an exponent
            return True
    return False


def without_numbers(text: str, but: Container[str] = ()) -> str:
    """A text without card numbers, in one piece or in groups with blanks, dashes or the like between them.

    Those in `but` stay where they stand in one piece.
    """
    if len(text) < SHORTEST or not may_hold_number(text.encode("utf-8", "surrogatepass")):
        return text
    if text.isdecimal() and text.isascii():
        return HIDDEN if is_card_number(text) and text not in but else text
    text = _without_plain_numbers(text, but)
    return _WITH_PERCENTS.sub(_hide_encoded, text) if "%" in text else text


_WITH_PERCENTS: Final = re.compile(r"(?:[0-9+._-]|%(?:25)*[0-9A-Fa-f]{2})+")


def _hide_encoded(run: re.Match[str]) -> str:
    """Hides what is a card number after decoding, if its digits or the signs between them are written with percents."""
    return HIDDEN if "%" in run[0] and any(_numbers_in(decoded(run[0]))) else run[0]


def decoded(text: str) -> str:
    """A text after decoding of percents, and of a plus for a blank."""
    plain = text.replace("+", " ")
    return _decoded(plain.encode("utf-8", "replace")).decode("utf-8", "replace") if "%" in plain else plain


def _decoded(text: bytes) -> bytes:
    """The text after decoding of percents, and of percents that are written with percents themselves."""
    for _ in range(MOST_ENCODED):
        text = unquote_to_bytes(text)
    return text


def _without_plain_numbers(text: str, but: Container[str]) -> str:
    parts: list[str] = []
    shown = 0
    for start, end in sorted(_numbers_in(text)):
        if text[start:end] in but:
            continue
        if not parts or start > shown:
            parts += text[shown:start], HIDDEN
        shown = max(shown, end)
    return "".join((*parts, text[shown:])) if parts else text


def _numbers_in(text: str) -> Iterator[tuple[int, int]]:
    """Where card numbers begin and end, in one pass; each begins and ends with a group, and two can share groups."""
    for likely in _LIKELY.finditer(text):
        part = likely[0] if likely[0].isascii() else likely[0].translate(_SMALL)
        for run in [*_RUN.finditer(part), *_BY_FOUR.finditer(part), *_BY_SIX.finditer(part)]:
            if run.end() - run.start() < SHORTEST:
                continue
            parts = _GAP.split(run[0])  # groups of digits, and the gaps between them
            places = list(accumulate(map(len, parts), initial=likely.start() + run.start()))
            digits, counts = "".join(parts[::2]), list(accumulate(map(len, parts[::2]), initial=0))
            if not digits.isascii():
                digits = "".join([str(int(sign)) for sign in digits])
            starts = dict(zip(counts, places[::2], strict=False))
            ends = dict(zip(counts[1:], places[1::2], strict=True))
            for start, end in numbers_in(digits, starts, ends):
                yield starts[start], ends[end]


def cleaned(text: str, but: Container[str] = (), codes: frozenset[str] = frozenset()) -> str:
    """A text without card numbers, security codes that it names, and `codes` in quotation marks; but those in `but`."""
    text = without_numbers(text, but)
    for form in (_IN_TEXT, _NAMED_AFTER) if _IN_BRACKETS.search(text) else (_IN_TEXT,):
        text = form.sub(lambda found: f"{found[1]}{found[2] if found[2] in but else HIDDEN}", text)
    return _QUOTED.sub(lambda found: HIDDEN if found[0] in codes else found[0], text) if codes else text


def names_code(text: str) -> bool:
    """Whether a text names a security code."""
    return (_IN_TEXT.search(text) or _NAMED_AFTER.search(text)) is not None


def may_hold_code(part: bytes) -> bool:
    """Whether a name or a text in an answer may be a security code's: the parts of names are in every tenth id too."""
    letters = part.lower().decode("latin-1")
    if not holds(letters, NAMES):
        return False
    named = "\\" in letters or holds("".join(_NAME.findall(letters)), NAMES)
    return named or names_code(part.decode("utf-8", "replace"))


def holds(text: str, marks: Marks) -> bool:
    """Whether a text has one of these marks."""
    for sign, having_it in marks:
        if sign in text:
            for mark in having_it:
                if mark in text:
                    return True
    return False


def cleaned_start(text: str, most: int, codes: frozenset[str] = frozenset()) -> str:
    """The beginning of a text, `cleaned`; only what is kept is searched."""
    shown = cleaned(text[: most + MARGIN], (), codes)
    return shown if len(text) <= most else start_of(shown, most, len(text))


def start_of(searched: str, most: int, size: int) -> str:
    """What is kept of the first `most + MARGIN` characters of a text of `size` characters, after they were searched."""
    return searched[: most if size <= most + MARGIN else max(0, min(most, len(searched) - MARGIN))]


def cut_mark(size: int) -> str:
    """What stands for the rest of a text that is kept in part."""
    return f"[cut, {size} bytes]"


# values

_MOST_VALUES: Final = 2_000
"""How many members of a value are searched for security codes (ours)."""


def codes_in(value: object) -> frozenset[str]:
    """The security codes in a JSON value, found by the names of its fields; every code if it is too large to search."""
    codes: set[str] = set()
    left, members = [value], 0
    while left:
        one = left.pop()
        if isinstance(one, str):
            codes.update(found[2] for found in _IN_TEXT.finditer(one, 0, _SEEN))
        if not isinstance(one, Mapping | list | tuple):
            continue
        members += len(one)
        if members > _MOST_VALUES:
            return _every_code()
        if not isinstance(one, Mapping):
            left += one
            continue
        for name, member in one.items():
            if not is_code_name(str(name)):
                left.append(member)
            elif isinstance(member, str | int) and not isinstance(member, bool) and 3 <= len(str(member)) <= 4:
                codes.add(str(member))
    return frozenset(codes)


@cache
def _every_code() -> frozenset[str]:
    return frozenset(f"{code:0{size}}" for size in (3, 4) for code in range(10**size))


def hidden_start(
    value: object, codes: frozenset[str] = frozenset(), known: frozenset[str] = frozenset(), most: int = 2**62
) -> tuple[object, bool]:
    """A JSON value without card data: by names, by value, and strings that are one of the codes; whether it is whole.

    A code is not hidden by its value alone under a name of the API (`known`): its digits could be an amount's.
    What follows the first `most` characters is left out, and not searched.
    """
    walk = _Hiding(codes, known, most)
    return walk.value(value, is_known=False, depth=0), walk.left >= 0


def hidden(value: object, codes: frozenset[str] = frozenset(), known: frozenset[str] = frozenset()) -> object:
    """A JSON value without card data, as `hidden_start` has it."""
    return hidden_start(value, codes, known)[0]


def seen(name: str, value: object, codes: frozenset[str] = frozenset()) -> object:
    """A value under a name, without card data; of a large one the beginning."""
    return by_name(value) if is_number_name(name) or is_code_name(name) else hidden_start(value, codes, most=_SEEN)[0]


FREE: Final = frozenset({"metadata", "connector_metadata", "feature_metadata", "frm_metadata", "browser_info"})
"""Objects whose names are the caller's own."""

ACCOUNTS: Final = frozenset({"bank_debit", "gift_card"})
"""Objects with the numbers of accounts, which have no check digits to find them by."""
HEADERS: Final = "outgoing_webhook_custom_http_headers"
SECRETS: Final = frozenset({HEADERS, "webhook_url", "webhook_password", "payment_response_hash_key"})
"""What only a profile's receiver may know; names of headers and the address stay, so that a call can be repeated."""
_LOGIN: Final = re.compile(r"(?:^|(?<=/))[^/?#]*(@)|(?<=[?#]).+", re.DOTALL)


def bare_url(url: str) -> str:
    """An address without its user, query and fragment, which can be secrets; it is still an address."""
    return _LOGIN.sub(lambda found: "***@" if found[1] else HIDDEN, url)


class _Hiding:
    """One walk through a value."""

    def __init__(self, codes: frozenset[str], known: frozenset[str], most: int) -> None:
        self._codes = codes
        self._known = known
        self.left = most
        """How much of the value is still shown; each part counts no more than its JSON text is long."""

    def value(self, value: object, *, is_known: bool, depth: int, free: bool = False) -> object:
        """The value without card data."""
        self.left -= 1
        if isinstance(value, str):
            return HIDDEN if value in self._codes and not is_known else self._text(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._number(value)
        if depth > _DEEPEST:
            return HIDDEN if isinstance(value, Mapping | list | tuple) else value
        if isinstance(value, Mapping):
            members: dict[str, object] = {}
            for name, member in value.items():
                if self.left < 0:
                    break
                members[self._text(str(name))] = self._member(str(name), member, depth, free=free)
            return members
        if isinstance(value, list | tuple):
            items: list[object] = []
            for member in value:
                if self.left < 0:
                    break
                items.append(self.value(member, is_known=is_known, depth=depth + 1, free=free))
            return items
        return value

    def _number(self, value: float) -> object:
        if not _LEAST <= abs(value) < _MOST:
            return value
        digits = str(round(abs(value)))
        self.left -= len(digits)
        return HIDDEN if is_card_number(digits) else value

    def _text(self, text: str) -> str:
        shown = cleaned_start(text, max(0, self.left), self._codes)
        self.left -= len(text) + 2
        return shown

    def _member(self, name: str, member: object, depth: int, *, free: bool) -> object:
        self.left -= 2
        if is_number_name(name) or is_code_name(name) or (name in ACCOUNTS and isinstance(member, Mapping)):
            self.left -= 4
            return by_name(member)
        if name in SECRETS and member:
            if name == HEADERS and isinstance(member, Mapping):
                return {self._text(str(one)): HIDDEN for one in member}
            return self._text(bare_url(member)) if name == "webhook_url" and isinstance(member, str) else HIDDEN
        is_known = not free and name in self._known
        if is_known and type(member) is int and "amount" in name:
            return member
        return self.value(member, is_known=is_known, depth=depth + 1, free=free or name in FREE)


def by_name(value: object) -> object:
    """The value under the name of a card's number or code: hidden if it has a digit, or could have one."""
    if value is None or isinstance(value, bool) or value in ("", [], {}):
        return value
    is_plain = isinstance(value, str) and len(value) <= _LONGEST_NAME and not any(map(str.isdigit, value))
    return value if is_plain else HIDDEN
