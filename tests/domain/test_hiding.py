"""The search for card numbers: what is one, and that it takes one pass whatever the text looks like."""

from __future__ import annotations

import json
import random
import re
import time
import unicodedata
from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import Final

import pytest

from mock_server.domain import hiding, ids
from mock_server.domain.card_brands import BRANDS, OTHER, brand_row, has_length, luhn
from mock_server.randomness import Randomness
from tests.counts import times

CARDS: Final = ("4539578763621486", "5425233430109903", "378282246310005", "6304000000000000", "4222222222222")
BETWEEN: Final = ("", " ", "-", "  ", ".", "\u00a0", "\u2011", "/", "_", "%20")
SHAPES: Final[dict[str, Callable[[int], str]]] = {
    "digits": lambda size: "4" * size,
    "ones": lambda size: "1 " * (size // 2),
    "sixes": lambda size: "6 " * (size // 2),
    "fours in groups": lambda size: "4444 44 4 " * (size // 10),
    "dates": lambda size: " ".join(f"2026-{at % 12 + 1:02}-{at % 28 + 1:02}" for at in range(size // 11)),
    "cards": lambda size: "4111 1111 1111 1111 " * (size // 20),
    "cards close together": lambda size: "-".join([CARDS[0]] * (size // 17)),
    "fullwidth": lambda size: "\uff14" * (size // 3),
    "fullwidth and spaced": lambda size: "\uff14 " * (size // 4),
    "percents": lambda size: "%34" * (size // 3),
    "percents of percents": lambda size: "%252534" * (size // 7),
    "broken percents": lambda size: "%25" * (size // 3) + "4",
    "codes": lambda size: "cvc: 12 " * (size // 8),
    "words of codes": lambda size: ("cvc" + " is" * 9) * (size // 30),
    "signs of codes": lambda size: "cvc" + "%25" * (size // 3),
    "escapes of codes": lambda size: "cvc\\n&#34;" * (size // 10),
    "codes with blanks": lambda size: "cvc 1 2 " * (size // 8),
    "nearly codes": lambda size: ("cvc" + " " * 12) * (size // 15),
    "letters": lambda size: "c" * size,
    "escapes": lambda size: "4\\u0020" * (size // 7),
    "any digits": lambda size: " ".join(random.Random(5).choices("0123456789", k=size // 2)),
    "any digits in groups": lambda size: " ".join(str(random.Random(at).getrandbits(13)) for at in range(size // 5)),
    "groups in lines": lambda size: "4539\n5787,\n" * (size // 11),
    "groups and nothing": lambda size: ("4539" + " " * 50) * (size // 54),
    "blanks after a group": lambda size: "4539" + " " * size,
    "escapes after a group": lambda size: "4539" + "\\n" * (size // 2) + "\\",
    "short runs": lambda size: "4539 5787 636x" * (size // 14),
    "short runs of digits": lambda size: "6 6 6 6 6 6 6 6 6 6 6 6 x" * (size // 25),
}


def naive(text: str) -> set[int]:
    """The places of digits that a card number covers, in a text of digits and single blanks, found by trying all."""
    covered: set[int] = set()
    for start, sign in enumerate(text):
        if sign == " " or (start and text[start - 1] != " "):
            continue
        for end in range(start + 1, min(len(text), start + 2 * 19) + 1):
            number = text[start:end].replace(" ", "")
            is_whole = text[end - 1] != " " and (end == len(text) or text[end] == " ")
            if is_whole and brand_row(number) is not OTHER and has_length(number) and luhn(number):
                covered |= set(range(start, end))
    return covered


def test_the_one_pass_finds_what_trying_all_finds() -> None:
    dice = random.Random(27)
    found = 0
    for _ in range(times(300, soak=20_000)):
        groups = [
            dice.choice(("4", "50", "6", "378", "1", "2221", dice.choice(CARDS))) for _ in range(dice.randrange(40))
        ]
        text = " ".join(groups)
        places = naive(text)
        pieces = "".join("\0" if at in places else sign for at, sign in enumerate(text)).split("\0")
        shown = hiding.HIDDEN.join(piece for at, piece in enumerate(pieces) if piece or at in (0, len(pieces) - 1))
        assert hiding.without_numbers(text) == shown, text
        assert hiding.without_numbers(shown) == shown
        found += bool(places)
    assert found > 20


NUMBERS: Final = [
    next(one for end in range(10) if luhn(one := f"{row.prefixes[0][0].ljust(length - 1, '0')}{end}"))
    for row in BRANDS
    for length in row.lengths
]
"""One of each brand and length."""


@pytest.mark.parametrize("between", BETWEEN)
def test_a_number_of_each_brand_and_length_is_hidden(between: str) -> None:
    for number in NUMBERS:
        spelled = between.join(number[at : at + 4] for at in range(0, len(number), 4))
        assert hiding.without_numbers(f"order {spelled}.") == f"order {hiding.HIDDEN}."
        assert hiding.without_numbers(spelled) == hiding.HIDDEN


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_of_each_brand_and_length_is_hidden_as_an_integer(number: str) -> None:
    assert hiding.needs_look(f'{{"a":{number}}}'.encode())
    assert hiding.hidden([int(number), -int(number)]) == [hiding.HIDDEN, hiding.HIDDEN]
    assert hiding.hidden(float(number)) == (hiding.HIDDEN if float(number) == int(number) else float(number))


def test_every_blank_dash_and_sign_without_a_picture_may_be_between_digits() -> None:
    """All of Unicode's first 65 536 characters; of the others, none comes with a number that is copied."""
    signs = [
        sign for sign in map(chr, range(0x10000)) if unicodedata.category(sign) in ("Zs", "Zl", "Zp", "Pd", "Cf", "Cc")
    ]
    signs += [*map(chr, range(0xFE00, 0xFE10)), *"\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"]
    spelled = [sign.join(("4242", "4242", "4242", "4242")) for sign in (*signs, "\t", "_", "·", "•", "．")]
    assert [text for text in spelled if hiding.cleaned(text) != hiding.HIDDEN] == []
    raw = [json.dumps({"a": text}, ensure_ascii=ascii).encode() for text in spelled for ascii in (True, False)]
    assert [text for text in raw if not hiding.needs_look(text)] == []


WIDE: Final = (
    " - ", "   ", "\n", "\r\n", "\n    ", ", ", ",", " , ", " / ", " | ", "|", " \u00b7 ", " \u2013 ", "\u2014", "\\n",
    "\\r\\n", "%0A", "%0D%0A", "%2C", "%2C%20", "%7C", "%20-%20", "%252C",
)  # fmt: skip
"""What may be between the groups of a number as they are on a card."""
SMALL: Final = (
    "⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉", "⓪①②③④⑤⑥⑦⑧⑨", "⓪⓵⓶⓷⓸⓹⓺⓻⓼⓽", "⓿❶❷❸❹❺❻❼❽❾", "🄋➀➁➂➃➄➅➆➇➈", "🄌➊➋➌➍➎➏➐➑➒",
)  # fmt: skip
"""Digits from zero to nine that Python does not take for decimals."""


def grouped(number: str) -> list[str]:
    """A number in the groups that are on the card."""
    sizes = (4, 6, 5) if len(number) in (14, 15) else (4,) * 5
    ends = list(accumulate(sizes, initial=0))
    return [number[start:end] for start, end in pairwise(ends) if number[start:end]]


@pytest.mark.parametrize("number", CARDS)
@pytest.mark.parametrize("between", [*BETWEEN[1:], *WIDE])
def test_a_number_in_the_groups_of_its_card_is_hidden(number: str, between: str) -> None:
    spelled = between.join(grouped(number))
    for text in (
        spelled,
        f"card {spelled}.",
        f"1000{between}{spelled}{between}22",
        f"12, {spelled}",
        f"{spelled}\n{spelled}",
    ):
        shown = hiding.without_numbers(text)
        assert hiding.HIDDEN in shown, text
        assert not [group for group in grouped(number) if group in shown and len(group) > 3], text
        raws = [json.dumps({"a": text}, ensure_ascii=ascii).encode() for ascii in (True, False)]
        assert all(map(hiding.needs_look, raws)), text


@pytest.mark.parametrize("digits", SMALL)
@pytest.mark.parametrize("between", ["", " ", ", "])
def test_a_number_in_small_digits_is_hidden(digits: str, between: str) -> None:
    spelled = between.join(grouped(CARDS[0])).translate({48 + at: sign for at, sign in enumerate(digits)})
    assert hiding.without_numbers(f"card {spelled}.") == f"card {hiding.HIDDEN}."
    assert hiding.needs_look(json.dumps({"a": spelled}, ensure_ascii=False).encode())


@pytest.mark.parametrize(
    "text",
    [
        *("10, 20, 30, 40, 50, 60, 70, 80", "4539, 578, 7636, 21486", "12.50, 4.20, 1.00, 3.99", "45,395,787,636,214"),
        *(
            "4539\n57\n8763\n621486",
            "+49 170 1234567, +49 170 7654321",
            "2026-11-27, 2026-11-28",
            "4539 and 5787, 6362, 1486",
        ),
    ],
)
def test_other_lists_stay(text: str) -> None:
    assert hiding.cleaned(text) == text


@pytest.mark.parametrize("number", ["9999999999999995", "0000000000000000", "1234567890123452", "42222222222226"])
def test_an_order_number_stays(number: str) -> None:
    """The check digit is right, but no brand has such a number."""
    assert luhn(number)
    assert hiding.without_numbers(number) == number


def test_our_own_ids_are_never_hidden() -> None:
    streams = Randomness("27", "ids")
    for kind in ids.ID_KINDS:
        for number in range(times(200, soak=5_000)):
            one = kind.prefix + streams.token(kind.name, number, kind.length)
            assert hiding.cleaned(one) == one
    assert hiding.cleaned("pay_123456789012345678ab_1") == "pay_123456789012345678ab_1"


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.no_cover
def test_the_search_is_linear(shape: str) -> None:
    """Ten times the text takes about ten times as long, and not a hundred times: at the first of three tries."""
    texts, took = [SHAPES[shape](size) for size in (8_000, 80_000)], [1e9, 1e9]
    for _ in range(3):
        for at, text in enumerate(texts):
            began = time.process_time()
            hiding.cleaned(text)
            took[at] = min(took[at], time.process_time() - began)
        if took[1] < 30 * took[0] + 0.005:
            return
    assert took[1] < 30 * took[0] + 0.005


@pytest.mark.parametrize("size", [10, 1_000, 1_030, 5_000])
def test_no_half_of_a_number_stays_at_a_cut(size: int) -> None:
    for text in ("4539 5787 6362 1486 " * 400, "x" * (size - 8) + CARDS[0] * 1, "%2534%2535395787%363621486 " * 200):
        shown = hiding.cleaned_start(text, size)
        assert len(shown) <= size
        assert "4539" not in shown
        assert "5787" not in shown


PIECES: Final = (
    "c", "vc", "cvc", "CVV", "csc", "Cid", "cvn", "cav", "security", "Validation", "verification", "code", "value",
    "number", "no", "is ", "1", "12", "123", "1234", "x", " ", "_", "-", "\n", ":", '": "', "\u212a", "é",
    "was", "my card", "sec", "card code", "cvc2", "%3a", "%2520", "&#34;", "\\n", "\\u003a", "  ", "\uff19", "(cvc)",
)  # fmt: skip
SIGN: Final = r"(?:\s+|&#?[a-z0-9]{2,5};|%(?:25)*[0-9a-f]{2}|\\(?:u[0-9a-f]{4}|[a-z])|[^a-z\d\s])"
CODE: Final = re.compile(
    r"(?:(?:cv[cv]|(?<![a-z])(?:csc|cid|cvn|cvd|cav|card[ _-]?code)|sec[ _-]?code"
    r"|(?:security|verification|validation)[ _-]?(?:code|value|number))(?:[ _-]?[0-9])??"
    rf"(?:{SIGN}{{0,12}}(?:is|was|of|for|my|the|your|card|code|value|number|no)(?![a-z])){{0,4}}{SIGN}{{1,12}}"
    r"|(?<![a-z0-9])cv[cv]2??(?=\d{3,4}(?![a-z0-9_])))(?P<code>\d(?:[ -]?\d){2,3})(?!\d)",
    re.IGNORECASE,
)  # fmt: skip
AFTER: Final = re.compile(r"(?<!\d)\d(?:[ -]?\d){2,3}(?= ?\((?:card )?(?:cv[cv]2?|csc|security code)\))", re.IGNORECASE)
"""A security code in a text, without regard to how quickly it is found."""


def test_the_quick_search_for_codes_finds_what_the_plain_one_finds() -> None:
    dice, found = random.Random(4), 0
    for _ in range(times(20_000, soak=1_000_000)):
        text = "".join(dice.choices(PIECES, k=dice.randint(2, 9)))
        shown = CODE.sub(lambda code: code[0].removesuffix(code["code"]) + hiding.HIDDEN, text)
        shown = AFTER.sub(hiding.HIDDEN, shown)
        assert hiding.cleaned(text) == shown, text
        found += shown != text
    assert found > 50
