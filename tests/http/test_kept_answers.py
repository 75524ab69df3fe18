"""Answers and accepted bodies in the journal: whether a quick look finds all that a walk through every value hides."""

from __future__ import annotations

import json
import random
from typing import Final

from mock_server import jsontext
from mock_server.domain import hiding
from mock_server.http.redaction import cleaned_accepted, cleaned_answer, known_names
from tests.counts import times

PIECES: Final = (
    "cv", "c", "CVC", "cvv", "cid", "csc", "cav", "Security", "validation", "verif", "cardn", "umber", "code", "value",
    "_", "-", " ", ": ", " is ", "1", "123", "737", "card", "sec", "was", " (cvc)", "4111111111111111",
    "é", '"', "\\", ":", "\n", "x",
)  # fmt: skip
NAMES: Final = (
    "id",
    "status",
    "metadata",
    "card_code",
    "secCode",
    "cc-code",
    "country_code",
    "card_cvc",
    "cvc",
    "cardNumber",
    "note",
    "cid",
    "amount",
    "last4",
)


def word(dice: random.Random) -> str:
    return "".join(dice.choices(PIECES, k=dice.randint(1, 6)))


def value(dice: random.Random, depth: int = 0) -> object:
    match dice.randrange(3 if depth > 2 else 6):
        case 0:
            return dice.choice((123, 4111111111111111, 7, None, True, "737", "12"))
        case 1 | 2:
            return word(dice)
        case 3:
            return [value(dice, depth + 1) for _ in range(dice.randrange(3))]
        case _:
            return {
                dice.choice((word(dice), dice.choice(NAMES))): value(dice, depth + 1) for _ in range(dice.randrange(4))
            }


def test_a_quick_look_finds_what_a_walk_hides() -> None:
    """Whichever piece of a code's name stands in a name, an id or a text, and however it is written."""
    dice = random.Random(31)
    kept_as_sent = hidden = 0
    for _ in range(times(3_000, soak=200_000)):
        sent = {"id": word(dice), "data": value(dice)}
        body = json.dumps(sent, ensure_ascii=dice.random() < 0.2).encode()
        shown = hiding.hidden(jsontext.parse(body), known=known_names())
        assert json.loads(cleaned_answer(body)) == shown, body
        kept_as_sent += shown == sent
        hidden += shown != sent
    assert min(kept_as_sent, hidden) > 300


CARD: Final = {"card_number": "4111111111111111", "card_cvc": "737", "card_exp_month": "12"}


def test_a_quick_look_at_an_accepted_body_finds_what_a_walk_hides() -> None:
    dice = random.Random(32)
    kept_as_sent = left = 0
    for _ in range(times(3_000, soak=200_000)):
        sent = {"customer_id": word(dice), "payment_method_data": {"card": CARD}, "metadata": value(dice)}
        raw = json.dumps(sent, ensure_ascii=dice.random() < 0.2).encode()
        kept = cleaned_accepted(raw)
        left += kept is None
        if kept is not None and raw.count(b'"card_cvc"') == 1:  # of another one even a word is hidden
            assert json.loads(kept) == hiding.hidden(sent, frozenset({"737"}), known_names()), raw
            kept_as_sent += any(part in raw.replace(b"card_cvc", b"") for part in (b"cv", b"cid", b"csc", b"cav"))
    assert min(kept_as_sent, left) > 300
