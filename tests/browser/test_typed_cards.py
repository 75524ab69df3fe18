"""The card's fields take a card however it is written: each length of each network, each way to write a date, and edits
in the middle of what stands there.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from itertools import product
from typing import Any, Final

import pytest

from tests.architecture.sources import ROOT
from tests.browser.till import Till
from tests.counts import times

CARD_JS: Final = (ROOT / "mock_server/checkout/assets/card.js").read_text("utf-8")
LENGTHS: Final = {
    name: [int(one) for one in lengths.split(",")]
    for name, lengths in re.findall(r'^  \["(\w+)", /.*/, \[([\d, ]+)\], \[', CARD_JS, re.MULTILINE)
}
"""The lengths of each network's numbers, from the form's own table."""
STARTS: Final = {
    "AmericanExpress": "34", "DinersClub": "36", "JCB": "35", "Visa": "4", "Mastercard": "51", "RuPay": "81",
    "Discover": "6011", "UnionPay": "62", "Maestro": "56",
}  # fmt: skip
MONTHS: Final = {"12": "12", "01": "01", "1": "01", "3": "03", "09": "09"}
BETWEEN: Final = ("/", " / ", "-", " ", ".", "")
DATES: Final = {
    f"{typed}{between}{year}": f"{month} / 30"
    for (typed, month), between, year in product(MONTHS.items(), BETWEEN, ("30", "2030"))
    if between or typed != "1"  # 130 is no date yet
}
"""Dates as people write them, and as they stand in the field then."""


_INSERT: Final = """const insert = (input, data) => {
  const event = new InputEvent("beforeinput", {inputType: "insertText", data, bubbles: true, cancelable: true});
  if (input.dispatchEvent(event)) document.execCommand("insertText", false, data);
};"""
"""As the keyboard does; a command alone does not tell that it will."""
_WRITE: Final = """(input, [how, texts]) => texts.map(text => {
  INSERT
  input.focus();
  input.select();
  document.execCommand("delete");
  if (how === "typed") for (const one of text) insert(input, one);
  else if (how === "pasted") insert(input, text);
  else { input.value = text; input.dispatchEvent(new Event("input")) }
  input.blur();
  return [input.value, input.getAttribute("aria-invalid") === "true"];
})""".replace("INSERT", _INSERT)
"""What stands in a field once each text is written and it is left, and whether it is said to be wrong. The browser
takes each of them as what is typed or pasted, or, `filled`, as what it knows of the card.
"""
WAYS: Final = ("typed", "pasted", "filled")
Seen = dict[str, tuple[str, bool]]


def number_of(network: str, length: int) -> str:
    """A number with the right check digit."""
    begun = (STARTS[network] + "0123456789012345678")[: length - 1]
    doubled = [int(digit) * (2 - at % 2) for at, digit in enumerate(reversed(begun))]
    return begun + str(-sum(one // 10 + one % 10 for one in doubled) % 10)


@pytest.fixture
def card(till: Till) -> Till:
    """The card's three fields on a shop's page that may be pasted into."""
    till.order()
    till.open("card")
    return till


def in_field(card: Till, name: str, does: str, given: object) -> Any:
    """What a function gives for a field."""
    return card.ask(f"given => ({does})(document.querySelector('[name={name}]'), given)", given)


def written(card: Till, name: str, how: str, texts: Iterable[str]) -> Seen:
    given = [*texts]
    seen = in_field(card, name, _WRITE, [how, given])
    return {text: (shown, is_wrong) for text, (shown, is_wrong) in zip(given, seen, strict=True)}


def test_every_network_is_tried() -> None:
    assert STARTS.keys() == LENGTHS.keys()


def test_every_length_of_every_network_is_taken_whole(card: Till) -> None:
    numbers = [number_of(network, length) for network, lengths in LENGTHS.items() for length in lengths]
    for how in WAYS:
        texts: dict[str, str] = {}
        for number in numbers:
            groups = [number[at : at + 4] for at in range(0, len(number), 4)]
            texts |= dict.fromkeys((number, "-".join(groups), f"  {' '.join(groups)}  "), number)
        seen = written(card, "cardNoInput", how, texts)
        assert {
            text: one for text, one in seen.items() if (one[0].replace(" ", ""), one[1]) != (texts[text], False)
        } == {}


def test_every_way_to_write_a_date_is_taken(card: Till) -> None:
    for how in WAYS:
        dates = {**DATES, **({} if how == "typed" else {"2030-12": "12 / 30", " 12/2030 ": "12 / 30"})}
        seen = written(card, "expiryInput", how, dates)
        assert {text: one for text, one in seen.items() if one != (dates[text], False)} == {}, how
        past = written(card, "expiryInput", how, ("12/1999", "12/2130", "12/19", "32/30", "13/30", "0/30"))
        assert [text for text, (_, is_wrong) in past.items() if not is_wrong] == [], "another century, or no month"


def test_the_keyboard_and_the_clipboard_do_so_too(drawn: Till) -> None:
    card = drawn
    card.order()
    card.open("card")
    number, expiry = card.find("cardNoInput"), card.find("expiryInput")
    number.press_sequentially(number_of("DinersClub", 19))
    expiry.press_sequentially("1/2030")
    assert (number.input_value(), expiry.input_value()) == ("3601 2345 6789 0123 456", "01 / 30")
    card.page.evaluate("() => navigator.clipboard.writeText('12 / 2031')")
    expiry.press("Control+a")
    expiry.press("Control+v")
    assert expiry.input_value() == "12 / 31"


KEYS: Final = ("delete", "delete", "forwardDelete", "left", "left", "right", "start", "end", *"0123456789")
_EDIT: Final = """(input, keys) => keys.map(key => {
  INSERT
  const value = input.value, at = input.selectionStart;
  const to = {left: at - 1, right: at + 1, start: 0, end: value.length}[key];
  if (to !== undefined) input.setSelectionRange(Math.max(0, to), Math.max(0, to));
  else if (key.length > 1) document.execCommand(key);
  else insert(input, key);
  return [key, value, at, input.value];
})""".replace("INSERT", _INSERT)
STARTING: Final = ("4242424242424242", "36700102000000", "378282246310005", "6200000000000000005", "12 / 30")


@pytest.mark.parametrize("start", STARTING)
def test_an_edit_in_the_middle_changes_what_it_stands_at_alone(card: Till, start: str) -> None:
    chosen, name = random.Random(start), "expiryInput" if "/" in start else "cardNoInput"
    for _ in range(times(8, soak=100)):
        card.write(name, start)
        keys = [*["left"] * chosen.randrange(12), *chosen.choices(KEYS, k=40)]
        steps = in_field(card, name, _EDIT, keys)
        for number, (key, value, at, now) in enumerate(steps):
            before, after, digits = (re.sub(r"\D", "", one) for one in (value[:at], value[at:], now))
            is_end = at == len(value)
            if (key == "delete" and at) or (key == "forwardDelete" and not is_end):
                assert len(now) < len(value) or len(digits) < len(before + after), f"{value!r} stays at {at}"
                kept = before[:-1] + after if key == "delete" else before + after[1:]
                allowed = {kept, before + after}  # the latter where only a space goes
            elif key.isdigit() and now != value:
                allowed = {before + key + after}
            else:
                allowed = {before + after}
            is_written = "/" in start and is_end  # a month of one digit gets its zero, a long year loses its 20
            assert is_written or digits in allowed, steps[: number + 1]
