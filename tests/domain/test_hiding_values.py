"""Card data in JSON values: what is hidden, under which names, how deep, and how much of a value is searched."""

from __future__ import annotations

import random
from collections import UserDict
from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.domain import hiding
from mock_server.domain.hiding import HIDDEN, by_name, codes_in, hidden, hidden_start, is_code_name, is_number_name
from tests.counts import times

NUMBER: Final = "4242424242424242"
NUMBER_NAMES: Final = (
    "card_number",
    "cardNumber",
    "CARDNUM",
    "card-no",
    "pan",
    "ccpan",
    "primary_account_number",
    "ccn",
)
CODE_NAMES: Final = (
    *("cvc", "card_cvc", "CVV2", "securityCode", "verification_value", "cardCode", "csc", "card_cid", "amexCid1"),
    *("cvn", "cvd", "cav", "cve", "cvx", "payment_csc_value", "validation-no", "security digits"),
    *("card_code", "card code", "cardCode2", "sec_code", "SecCode", "cc_code", "cvv_2", "cvx2", "cvc_check", "cvn_no"),
)
NEITHER: Final = (
    "number",
    "card",
    "order_no",
    "panel",
    "company",
    "accident",
    "cid_of_order",
    "description",
    "code",
    "country_code",
    "acc_code",
    "",
)


def spellings(name: str) -> list[str]:
    return [name, name.upper(), name.replace("_", "-"), f" {name}", f"{name}."]


@pytest.mark.parametrize("name", NUMBER_NAMES)
def test_a_numbers_name_is_known_in_every_spelling(name: str) -> None:
    assert all(map(is_number_name, spellings(name)))
    assert not is_code_name(name)


@pytest.mark.parametrize("name", CODE_NAMES)
def test_a_codes_name_is_known_in_every_spelling(name: str) -> None:
    assert all(map(is_code_name, spellings(name)))
    assert not is_number_name(name)


@pytest.mark.parametrize("name", NEITHER)
def test_other_names_are_neither(name: str) -> None:
    assert not is_number_name(name)
    assert not is_code_name(name)


@pytest.mark.parametrize("holds", [is_number_name, is_code_name])
def test_a_very_long_name_is_taken_for_one(holds: Any) -> None:
    assert [holds("x" * size) for size in (256, 257)] == [False, True]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        *((None, None), (True, True), (False, False), ("", ""), ([], []), ({}, {})),
        *((7, HIDDEN), (0.5, HIDDEN), ("a7", HIDDEN), ("\u0664", HIDDEN), ([1], HIDDEN), ({"a": None}, HIDDEN)),
        *(("visa", "visa"), ("x" * 256, "x" * 256), ("x" * 257, HIDDEN)),
    ],
)
def test_under_such_a_name_only_what_has_no_digit_stays(value: object, shown: object) -> None:
    assert by_name(value) == shown
    for name in ("card_number", "cvc"):
        assert hidden({name: value}) == {name: shown}
        assert hiding.seen(name, value) == shown


def naive(value: object) -> set[str]:
    """The codes in a value, looked for everywhere."""
    if isinstance(value, list):
        return set().union(*map(naive, value))
    if not isinstance(value, dict):
        return set()
    found = set()
    for name, member in value.items():
        if not is_code_name(name):
            found |= naive(member)
        elif type(member) in (str, int) and len(str(member)) in (3, 4):
            found.add(str(member))
    return found


def drawn(dice: random.Random, depth: int) -> Any:
    kind = dice.randrange(6) if depth else dice.randrange(4)
    if kind == 4:
        return [drawn(dice, depth - 1) for _ in range(dice.randrange(4))]
    if kind == 5:
        names = dice.sample((*CODE_NAMES, *NEITHER, *NUMBER_NAMES), dice.randrange(4))
        return {name: drawn(dice, depth - 1) for name in names}
    return (None, True, dice.randrange(10 ** dice.randrange(1, 6)), str(dice.randrange(10 ** dice.randrange(1, 6))))[
        kind
    ]


def test_codes_are_found_by_their_names_however_deep() -> None:
    dice, found = random.Random(27), 0
    for _ in range(times(500, soak=20_000)):
        value = [drawn(dice, 5) for _ in range(4)]
        assert codes_in(value) == naive(value), value
        found += bool(naive(value))
        for code in naive(value):
            assert hidden({"note": code, "amount": int(code)}, frozenset({code})) == {
                "note": HIDDEN,
                "amount": int(code),
            }
    assert found > 20


def test_codes_are_looked_for_in_2000_members() -> None:
    def with_members(count: int) -> dict[str, Any]:
        return {"cvc": "846", "many": [0] * (count - 3), "last": 1}

    assert codes_in(with_members(2_000)) == {"846"}
    every = codes_in(with_members(2_001))
    assert len(every) == 11_000
    assert {"000", "999", "0000", "9999", "846"} <= every


@pytest.mark.parametrize("number", [NUMBER, int(NUMBER), float(NUMBER), -int(NUMBER), "4242 4242 4242 4242"])
@pytest.mark.parametrize("within", [lambda one: one, lambda one: [1, one], lambda one: {"a": {"b": one}}])
def test_a_number_is_hidden_wherever_it_stands(number: object, within: Any) -> None:
    assert hidden(within(number)) == within(HIDDEN)
    assert hidden({"amount": 1, NUMBER: 2}) == {"amount": 1, HIDDEN: 2}


@pytest.mark.parametrize("number", [0, 5, -1.5, 10**11 - 1, 10**19, 4242424242424243, 1.5e300, float("inf"), True])
def test_other_numbers_stay(number: float) -> None:
    assert hidden([number]) == [number]


@pytest.mark.parametrize("name", ["amount", "amount_capturable", "net_amount"])
def test_an_amount_of_the_api_is_never_taken_for_a_number(name: str) -> None:
    known, large = frozenset({name, "order"}), int(NUMBER)
    assert hidden({name: large, "order": large}, known=known) == {name: large, "order": HIDDEN}
    assert hidden({name: str(large)}, known=known) == {name: HIDDEN}
    assert hidden({name: large}) == {name: HIDDEN}
    for free in hiding.FREE:
        assert hidden({free: {name: large}}, known=known) == {free: {name: HIDDEN}}


def test_under_a_name_of_the_api_a_codes_digits_stay() -> None:
    codes, known = frozenset({"846"}), frozenset({"amount", "id"})
    value = {"id": "846", "note": "846", "amount": ["846"], "metadata": {"id": "846", "x": {"id": ["846"]}}}
    shown = {"id": "846", "note": HIDDEN, "amount": ["846"], "metadata": {"id": HIDDEN, "x": {"id": [HIDDEN]}}}
    assert hidden(value, codes, known) == shown


@pytest.mark.parametrize("name", sorted(hiding.ACCOUNTS))
def test_an_accounts_data_are_hidden_whole(name: str) -> None:
    assert hidden({name: {"ach": {"account_number": "1"}}}) == {name: HIDDEN}
    assert hidden({name: "ach", "other": {"a": "1"}}) == {name: "ach", "other": {"a": "1"}}


@pytest.mark.parametrize("make", [lambda inner: [inner], lambda inner: {"a": inner}], ids=["list", "object"])
def test_a_value_is_shown_a_hundred_levels_deep(make: Any) -> None:
    def nested(depth: int, inner: object) -> Any:
        for _ in range(depth):
            inner = make(inner)
        return inner

    assert hidden(nested(101, None)) == nested(101, None)
    assert hidden(nested(101, "x")) == nested(101, "x")
    assert hidden(nested(101, [])) == nested(101, HIDDEN)
    assert hidden(nested(101, {})) == nested(101, HIDDEN)
    assert hidden(nested(100, [])) == nested(100, [])


def test_of_a_value_the_beginning_is_shown() -> None:
    """Each part counts no more than its JSON text is long."""
    value = {"a": ["xy", 1, {"b": "c" * 9}], "pan": "4", "more": [4242424242424242, [], "end"]}
    whole = len(str(value))
    sizes = []
    for most in range(whole + 20):
        shown, is_whole = hidden_start(value, most=most)
        sizes.append(len(str(shown)))
        assert not is_whole or shown == hidden(value)
    assert sizes == sorted(sizes)
    least = next(most for most in range(whole + 20) if hidden_start(value, most=most)[1])
    assert least <= whole
    assert [hidden_start(value, most=most)[1] for most in (least - 1, least, whole)] == [False, True, True]
    assert hidden_start(value, most=0)[0] == {}
    assert hidden_start(["a", "b", "c"], most=5)[0] == ["a", ""]
    assert hidden_start([1] * 9, most=4) == ([1] * 4, False)


def test_how_much_room_each_part_needs() -> None:
    value = {"a": 1, "card": "4", "c": ["xy", {"bank_debit": {"a": 1}}, 4242424242424242], "d": 5, "e": None}
    shown = [hidden_start(value, most=most)[0] for most in range(80)]
    grows = [most for most in range(1, 80) if shown[most] != shown[most - 1]]
    names, number = [*range(14, 18), *range(35, 45)], [46, 64]
    assert grows == [1, 5, 7, 11, *names[:4], 19, 22, 24, 25, 27, 28, *names[4:], *number, 66, 70, 72, 76]
    assert shown[-1] == hidden(value)


class Members(UserDict[str, object]):
    """An object that counts how many of its members were looked at."""

    looked = 0

    def __iter__(self) -> Iterator[str]:
        for name in super().__iter__():
            self.looked += 1
            yield name


def test_what_follows_the_beginning_is_not_searched() -> None:
    members = Members({f"b{number}": number for number in range(1_000)})
    assert hidden_start(members, most=5) == ({"b": 0}, False)
    assert members.looked == 2


def test_of_a_large_value_under_a_name_the_beginning_is_shown() -> None:
    assert hiding.seen("note", "x" * 4_095) == "x" * 4_095
    assert hiding.seen("note", "x" * 5_000) == "x" * 4_095
    assert hiding.seen("note", {"a": 846}, frozenset({"846"})) == {"a": 846}
    assert hiding.seen("note", "846", frozenset({"846"})) == HIDDEN


@pytest.mark.parametrize(
    "name", ["cvc", "CVV2", "csc", "cid", "cvn", "cvd", "cav", "security code", "validation_number"]
)
@pytest.mark.parametrize("between", [": ", "=", " is ", '":"', '": {"value": "', " value = "])
@pytest.mark.parametrize("code", ["123", "1234"])
def test_a_text_that_names_a_code_is_cleaned(name: str, between: str, code: str) -> None:
    text = f"my {name}{between}{code}, please"
    assert hiding.names_code(text)
    assert hiding.cleaned(text) == f"my {name}{between}{HIDDEN}, please"


@pytest.mark.parametrize(
    "text", ["cvc: 12", "cvc: 12345", "cvcs 123", "code: 123", "secure 123", "xcid: 123", "123 cvc"]
)
def test_a_text_that_names_none_stays(text: str) -> None:
    assert not hiding.names_code(text)
    assert hiding.cleaned(text) == text


@pytest.mark.parametrize("levels", range(5))
def test_percents_are_decoded_three_times(levels: int) -> None:
    text = "".join(f"%{ord(sign):02x}" for sign in NUMBER)
    for _ in range(levels):
        text = text.replace("%", "%25")
    assert (hiding.decoded(text) == NUMBER) is (levels < 3)
    assert (hiding.without_numbers(f"at {text}!") == f"at {HIDDEN}!") is (levels < 3)
    assert hiding.decoded("a+b") == "a b"
    assert hiding.decoded("a+b%2Bc") == "a b+c"


@pytest.mark.parametrize("size", [0, 1, 10, 1_023, 1_024, 1_025, 3_000])
@pytest.mark.parametrize("most", [0, 1, 10, 2_000])
def test_what_is_kept_of_a_text(size: int, most: int) -> None:
    text = "x" * size
    assert hiding.cleaned_start(text, most) == text[:most]
    assert hiding.start_of(text[: most + hiding.MARGIN], most, size) == text[:most]
    assert hiding.cut_mark(size) == f"[cut, {size} bytes]"


def test_numbers_that_are_given_stay() -> None:
    text = f"{NUMBER} and 4111 1111 1111 1111, {NUMBER}"
    assert hiding.without_numbers(text, {NUMBER}) == f"{NUMBER} and {HIDDEN}, {NUMBER}"
    assert hiding.without_numbers(NUMBER, {NUMBER}) == NUMBER
    assert hiding.without_numbers(NUMBER) == HIDDEN
    assert hiding.without_numbers("4242424242424243") == "4242424242424243"
