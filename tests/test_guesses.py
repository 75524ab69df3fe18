"""The word that was probably meant: the nearest one, or none."""

from __future__ import annotations

import random
from typing import Final

import pytest

from mock_server.contract.answers.payment import PAYMENT
from mock_server.contract.operations import BY_NAME
from mock_server.domain.countries import COUNTRIES
from mock_server.domain.declines import DECLINES
from mock_server.domain.events import EventType
from mock_server.domain.money import CURRENCIES
from mock_server.domain.statuses import PaymentStatus
from mock_server.guesses import guessed, hint
from mock_server.settings.table import ROWS
from tests.counts import SOAK, times

LISTS: Final = {
    "currencies": tuple(row.code for row in CURRENCIES),
    "countries": tuple(sorted(COUNTRIES)),
    "months": tuple(f"{month:02}" for month in range(1, 13)),
    "statuses": tuple(map(str, PaymentStatus)),
    "declines": tuple(row.name for row in DECLINES),
    "events": tuple(map(str, EventType)),
    "operations": tuple(BY_NAME),
    "settings": tuple(ROWS),
    "fields": tuple(sorted(PAYMENT.fields)),
}
SIGNS: Final = "abcdefghijklmnopqrstuvwxyz0123456789_."


def slips(word: str) -> list[str]:
    """The word with two letters swapped, one left out, one doubled, and one that is wrong."""
    found = [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)]
    for at in range(len(word)):
        found += [word[:at] + word[at + 1 :], word[: at + 1] + word[at:], f"{word[:at]}x{word[at + 1 :]}"]
    return [slip for slip in found if slip]


def one_slip_from(word: str) -> set[str]:
    """All that one slip leads to, in lower case."""
    word = word.lower()
    found = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)}
    for at in range(len(word) + 1):
        found |= {word[:at] + sign + word[at:] for sign in SIGNS}
        found |= {word[:at] + sign + word[at + 1 :] for sign in SIGNS if at < len(word)} | {word[:at] + word[at + 1 :]}
    return found


def shared(one: str, other: str) -> int:
    """How many letters two words share, in the same order."""
    row = [0] * (len(other) + 1)
    for letter in one:
        last = 0
        for at, sign in enumerate(other, 1):
            last, row[at] = row[at], last + 1 if letter == sign else max(row[at], row[at - 1])
    return row[-1]


@pytest.mark.parametrize("name", LISTS)
def test_one_slip_leads_to_no_other_word(name: str) -> None:
    dice = random.Random(7)
    words = LISTS[name]
    known = {word.lower() for word in words}
    cases = [(word, slip) for word in words for slip in slips(word) if slip.lower() not in known]
    for word, slip in cases if SOAK else dice.sample(cases, min(12, len(cases))):
        guess = guessed(slip, words)
        near = one_slip_from(slip) & known | {other for other in known if sorted(other) == sorted(slip.lower())}
        assert guess is None or guess.lower() in near, (word, slip, guess)
        assert guess or len(near) > 1 or len(word) < 4, (word, slip)


@pytest.mark.parametrize("name", LISTS)
def test_a_stranger_is_taken_for_nothing_else(name: str) -> None:
    dice = random.Random(8)
    strangers = [word.lower() for other, words in LISTS.items() if other != name for word in words]
    for stranger in dice.sample(strangers, times(10, soak=len(strangers))):
        guess = (guessed(stranger, LISTS[name]) or stranger).lower()
        is_part = guess in stranger or stranger in guess or guess[0] == stranger[0]
        assert is_part or 8 * shared(guess, stranger) > 3 * (len(guess) + len(stranger)), (stranger, guess)


@pytest.mark.parametrize(
    ("word", "words", "meant"),
    [
        ("UDS", "currencies", "USD"),
        ("GPB", "currencies", "GBP"),
        ("eur", "currencies", "EUR"),
        ("1", "months", None),
        ("2", "months", None),
        ("3", "months", "03"),
        ("paid", "statuses", None),
        ("success", "statuses", "succeeded"),
        ("canceled", "statuses", "cancelled"),
        ("captured", "statuses", "partially_captured"),
        ("mount", "fields", "amount"),
    ],
)
def test_what_people_write(word: str, words: str, meant: str | None) -> None:
    assert guessed(word, LISTS[words]) == meant


def test_what_all_names_begin_with_makes_none_similar() -> None:
    names = [row.variable for row in ROWS.values()]
    begins = "PAYMENT_SANDBOX_"
    assert hint(f"{begins}FOO", names, begins) == ""
    assert hint(f"{begins}RATE_LIMT", names, begins) == f" (did you mean {begins}RATE_LIMIT?)"
    assert hint("lost_respons", ["lost_response"]) == " (did you mean lost_response?)"
