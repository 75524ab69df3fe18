"""Events that wait for each other are never sent: `check` warns of every such circle of rules, and of nothing else."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import pytest

from mock_server.domain.events import EventType
from mock_server.scenario.loading.load import load_mapping
from tests.counts import times

EVENTS = [event.value for event in EventType]


def rule(event: str, first: str, **limits: Any) -> dict[str, Any]:
    return {"on": f"webhook.{event}", "then": {"deliver": {"following": first}}, **limits}


def said(rules: list[dict[str, Any]]) -> list[str]:
    return [warning.message for warning in load_mapping({"rules": rules}).warnings if " waits for " in warning.message]


def waits_for_itself(after: dict[str, str], event: str) -> bool:
    """Whether who starts at an event comes back to it; nothing waits for more events than there are."""
    at: str | None = event
    for _ in EVENTS:
        at = after.get(at or "")
        if at == event:
            return True
    return False


@pytest.mark.parametrize("seed", range(times(60, soak=3_000)))
def test_a_circle_is_found_whatever_its_length_and_order(seed: int) -> None:
    draw = Random(seed)
    some = draw.sample(EVENTS, draw.randint(2, 5))
    after = {event: draw.choice([one for one in EVENTS if one != event and (one in some or draw.random() < 0.1)])
             for event in draw.sample(some, draw.randint(1, len(some)))}  # fmt: skip
    circle = {event for event in after if waits_for_itself(after, event)}
    told = said([rule(event, first) for event, first in after.items()])
    assert bool(told) is bool(circle), (after, told)
    for event in circle:
        assert sum(event in message and after[event] in message for message in told) == 1, (after, told)


ONE, OTHER, THIRD = EVENTS[:3]


@pytest.mark.parametrize("name", ["times", "skip", "probability", "during"])
def test_rules_that_leave_out_some_events_may_be_no_circle(name: str) -> None:
    limit: Any = {"for": "1h"} if name == "during" else 0.5 if name == "probability" else 1
    assert said([rule(ONE, OTHER), rule(OTHER, ONE, **{name: limit})]) == []


@pytest.mark.parametrize("seed", range(times(20, soak=500)))
def test_a_circle_is_found_among_rules_of_the_same_conditions(seed: int) -> None:
    """Also beside rules of other conditions or of none, which decide for the other events."""
    draw = Random(seed)
    some = draw.sample(EVENTS, draw.randint(2, 4))
    when = {"payment.currency": "EUR", "payment.amount": {"gt": draw.choice((1, 1.5, 900))}}
    circle = [
        rule(event, first, **({"when": when} if at else {}))
        for at, (event, first) in enumerate(pairwise([*some, some[0]]))
    ]
    draw.shuffle(circle)
    assert len(said(circle)) == 1 and said(circle)[0].startswith("never sent if the conditions hold: ")
    assert said(circle[:-1]) == []
    dollars = {"payment.currency": "USD"}
    other = [rule(event, next(one for one in EVENTS if one not in some), when=dollars) for event in some]
    assert len(said([*other, *circle])) == 1


def test_conditions_count() -> None:
    euros, dollars = ({"event.object.currency": currency} for currency in ("EUR", "USD"))
    assert said([rule(ONE, OTHER, when=euros), rule(OTHER, ONE, when=dollars)]) == []
    assert said([rule(ONE, THIRD), rule(OTHER, ONE)]) == []


def test_the_first_rule_decides_and_no_event_waits_for_itself() -> None:
    sent = {"on": f"webhook.{OTHER}", "then": {"copies": 2}}
    assert said([sent, rule("*", OTHER)]) == []
    assert said([rule(OTHER, ONE), rule("*", OTHER)]) == [
        "never sent: {0} waits for {1} waits for {0}".format(*sorted(map("webhook.{}".format, (ONE, OTHER))))
    ]
