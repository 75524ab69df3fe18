"""A rule behind a broader one never applies: it is refused exactly if every value that it asks for goes to the first.

Whether one condition takes all of another is asked of the operators themselves, with values around those of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from random import Random
from typing import Any, Final

import pytest

from mock_server.scenario.conditions.paths import ABSENT
from mock_server.scenario.conditions.when import Condition
from mock_server.scenario.schema.rule import When
from tests.counts import times
from tests.scenario.refusals import problems

Asked = Mapping[str, Any]
THEN: Final = {"decline": "lost_card"}
TAKEN: Final = "rule 2 can never match: rule 1 matches all its calls first"
SINGLE: Final[list[Asked]] = [
    *({name: value} for name, value in product(("eq", "ne", "gt", "gte", "lt", "lte"), (100, 200, "ab"))),
    *({name: value} for name, value in product(("in", "not_in"), ([100], [100, 200], [200, "ab"]))),
    *({"starts_with": text} for text in ("a", "ab", "b")),
    {"exists": True},
    {"exists": False},
]
UNSURE: Final = {("starts_with", "gt"), ("starts_with", "gte"), ("starts_with", "lt"), ("starts_with", "lte")}
"""Pairs about which nothing is said: a file that has them is always valid. So is a list of one value after it."""
VALUES: Final = (ABSENT, True, [100], {"ab": 1}, *range(98, 103), 100.5, *range(198, 203), 199.5)
TEXTS: Final = ("", "a", "aa", "ab", "aba", "abc", "ac", "b", "ba", "100", "200", "+100")


def conditions(path: str, asked: Asked) -> tuple[Condition, ...]:
    return When().read({path: asked})


def pass_all(found: tuple[Condition, ...], value: Any) -> bool:
    return all(condition.failure(value) is None for condition in found)


def takes(path: str, first: Asked, second: Asked) -> bool:
    """Whether every value that passes the second passes the first."""
    values = (ABSENT, *TEXTS) if path.startswith("header.") else (*VALUES, *TEXTS)
    broad, narrow = conditions(path, first), conditions(path, second)
    return all(pass_all(broad, value) for value in values if pass_all(narrow, value))


def rules(path: str, first: Asked, second: Asked, **limits: Any) -> dict[str, Any]:
    one, two = ({"on": "charge", "when": {path: asked}, "then": THEN} for asked in (first, second))
    return {"rules": [{**one, **limits}, two]}


def drawn() -> list[tuple[Asked, Asked]]:
    """Some of all pairs, each with as good a chance to be drawn as another."""
    every = list(product(SINGLE, SINGLE))
    return Random("broader").sample(every, min(times(250, soak=len(every)), len(every)))


def pairs() -> Iterator[tuple[Asked, Asked]]:
    for first, second in drawn():
        if (*second, *first) not in UNSURE and (*first, *second) != ("eq", "in"):
            yield first, second


def test_a_rule_that_a_broader_one_takes_is_refused_and_no_other_is() -> None:
    path = "body.metadata.a"
    wrong = [
        (first, second, found)
        for first, second in pairs()
        if (found := problems(rules(path, first, second))) != [TAKEN] * takes(path, first, second)
    ]
    assert wrong == []


def test_a_header_that_may_be_a_number_is_never_refused_wrongly() -> None:
    wrong = [
        (first, second)
        for first, second in drawn()
        if problems(rules("header.X-A", first, second)) and not takes("header.X-A", first, second)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("limits", "taken"),
    [
        ({}, True), ({"every": 1}, True), ({"probability": 1}, True), ({"probability": "100%"}, True),
        ({"skip": 0}, True), ({"every": 2}, False), ({"times": 9}, False),
        ({"probability": "99%"}, False), ({"skip": 1}, False), ({"during": {"for": "1h"}}, False),
        ({"during": {"from": "1s"}}, False), ({"repeat": "stop"}, False),
    ],
    ids=str,
)  # fmt: skip
def test_a_limit_that_limits_nothing_leaves_nothing_over(limits: dict[str, Any], taken: bool) -> None:
    assert problems(rules("payment.amount", {"gt": 100}, {"gt": 200}, **limits)) == [TAKEN] * taken


@pytest.mark.parametrize("seed", range(times(20, soak=2_000)))
def test_several_conditions_are_all_taken(seed: int) -> None:
    """Of two paths each: nothing is refused that a call could still reach."""
    lot, paths = Random(seed), ("body.metadata.a", "body.metadata.b")
    first, second = ({path: lot.choice(SINGLE) for path in lot.sample(paths, lot.randint(1, 2))} for _ in range(2))
    found = problems({"rules": [{"on": "charge", "when": one, "then": THEN} for one in (first, second)]})
    if found:
        assert found == [TAKEN]
        assert first.keys() <= second.keys()
        assert all(takes(path, first[path], second[path]) for path in first)


def test_a_book_of_rules_by_amount_says_each_that_is_in_vain() -> None:
    """Spans of amounts beside each other are well; one inside another that came before is not."""
    spans = [{"payment.amount": {"gte": at * 100, "lt": at * 100 + 100}} for at in range(10)]
    inside = {"payment.amount": {"gte": 320, "lt": 350}}
    listed = [{"on": "charge", "when": when, "then": THEN} for when in (*spans, inside)]
    assert problems({"rules": listed}) == ["rule 11 can never match: rule 4 matches all its calls first"]
