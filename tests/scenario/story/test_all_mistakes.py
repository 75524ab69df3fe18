"""A story's mistakes are all reported at once: those of two places together are those of each of them alone."""

from __future__ import annotations

import json
from itertools import combinations
from random import Random
from typing import Any, Final

import pytest

from mock_server.scenario.loading.load import load_json
from mock_server.scenario.model.mistakes import ScenarioErrors
from tests.counts import times

STORY: Final[list[dict[str, Any]]] = [
    {"do": "payments.create", "with": {"amount": 100, "card": "success"}, "see": {"http": 200}, "as": "pay"},
    {"do": "clock.advance", "by": "1h"},
    {"do": "payments.capture", "of": "$pay", "with": {"amount_to_capture": 50}, "see": {"status": "succeeded"}},
    {"do": "again", "see": {"replayed": True}},
    {"do": "payments.retrieve", "of": "$pay", "see": {"amount": {"gt": 1}}},
    {"see": {"webhooks": ["payment_succeeded"], "payments": 1}},
]
MISTAKES: Final[list[tuple[int, str, Any]]] = [
    *((step, "see", {"webhooks": ["payment_suceeded"]}) for step in (0, 2, 3, 4, 5)),
    *((step, "see", {"connection": "rest"}) for step in (0, 2, 3, 4, 5)),
    *((step, "see", {"sattus": "failed"}) for step in (0, 2, 3, 4)),
    *((step, "see", {"http": "200"}) for step in (0, 2, 3, 4, 5)),
    *((step, "with", {"ammount": 1}) for step in (0, 2)),
    (0, "with", {"card": "sucess"}),
    *((step, "with", [1]) for step in (0, 2)),
    *((step, "of", "$pya") for step in (2, 4)),
    *((step, "of", 7) for step in (2, 4)),
    *((step, "key", "a\nb") for step in (0, 2, 3, 4)),
    *((step, "hedders", {}) for step in range(6)),
    *((step, "headers", {"a b": "c"}) for step in range(5)),
    *((step, "by", 60) for step in range(5)),
    (5, "of", "$pay"),
    (5, "bare", True),
    (3, "of", "$pay"),
    (3, "with", {"amount": 1}),
]
"""What is written where: step, key, value."""
PAIRS: Final = [pair for pair in combinations(MISTAKES, 2) if pair[0][:2] != pair[1][:2]]


def reported(*made: tuple[int, str, Any]) -> set[str]:
    steps = [dict(step) for step in STORY]
    for number, key, value in made:
        steps[number][key] = value
    with pytest.raises(ScenarioErrors) as found:
        load_json(json.dumps({"story": steps}), "a.json", name="a")
    return {mistake.message for mistake in found.value.mistakes}


def test_two_mistakes_are_both_reported() -> None:
    """Every pair of mistakes in different places; no more is reported either."""
    few = Random("pairs").sample(PAIRS, times(150, soak=len(PAIRS)))
    wrong = [pair for pair in few if reported(*pair) != reported(pair[0]) | reported(pair[1])]
    assert wrong == []


def test_an_unknown_step_does_not_hide_the_mistakes_of_its_other_keys() -> None:
    broken = {"do": "payments.creat", "see": {"connection": "rest"}, "as": "pay"}
    with pytest.raises(ScenarioErrors) as found:
        load_json(json.dumps({"story": [broken, {"do": "payments.retrieve", "of": "$pay"}]}), "a.json", name="a")
    assert [mistake.message.split(" ")[0] for mistake in found.value.mistakes] == ["do", "connection"]
