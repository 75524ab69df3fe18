"""A security code in JSON that is a text of other JSON is hidden there under every name, as in JSON itself."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any, Final

import pytest

from mock_server.domain.hiding import HIDDEN, codes_in, hidden
from mock_server.webhooks.sending import kept_answer
from tests.counts import times
from tests.wire import card_payment, wire

CODE: Final = "7391"
NAMES: Final = ("cvc", "card_cvc", "CVV2", "securityCode", "cvv")
WRAPPED: Final[dict[str, Callable[[Any], Any]]] = {
    "text": json.dumps,
    "text with blanks": lambda value: json.dumps(value, indent=1),
    "compact text": lambda value: json.dumps(value, separators=(",", ":")),
    "object": lambda value: {"data": value},
    "list": lambda value: [1, value],
}


def drawn(dice: random.Random) -> Any:
    """A code under a name of it and under another one, in up to three wrappings, one of them a text."""
    pairs = [(dice.choice(NAMES), CODE), ("note", CODE), ("amount", 6540), ("other", "7392")]
    dice.shuffle(pairs)
    ways = ["text", *dice.choices(list(WRAPPED), k=dice.randrange(3))]
    dice.shuffle(ways)
    value: Any = dict(pairs)
    for way in ways:
        value = WRAPPED[way](value)
    return value


@pytest.mark.parametrize("at", range(times(50, soak=5_000)))
def test_it_is_hidden_under_every_name(at: int) -> None:
    value = drawn(random.Random(at))
    shown = json.dumps(hidden(value, codes_in(value)))
    assert CODE not in shown
    assert shown.count(HIDDEN) == 2
    assert "6540" in shown and "7392" in shown
    answer = kept_answer(json.dumps({"data": value}).encode())
    assert CODE not in answer
    assert "7392" in answer


def test_the_journal_has_none() -> None:
    api, text = wire(), json.dumps({"note": CODE, "cvc": CODE})
    for number, raw in enumerate((text, json.dumps({"a": text}), json.dumps(text))):
        api.post("/payments", {**card_payment(), "metadata": {"raw": raw, "other": CODE}})
        api.post("/payments", {**card_payment(), "metadata": {"raw": raw}, "amount": -1})
        journal = api.get("/_sandbox/journal?limit=2").raw.decode()
        assert CODE not in journal, number
