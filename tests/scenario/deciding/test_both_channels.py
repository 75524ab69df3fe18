"""A rule or an entry of the queue with something for the connection and something for the issuer: a call gets both.

Each draw is compared with a list of what each call in turn should get, made without the deciders.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

import pytest

from mock_server.scenario.deciding.queue_and_scenarios import enqueue, queued
from mock_server.scenario.loading.load import load_next
from tests.counts import times
from tests.scenario.workspace import Workspace, call, charge

ANSWERS: Final[tuple[dict[str, Any], ...]] = (
    {"fault": "connection_reset"},
    {"error": "HE_00"},
    {"delay": "5ms"},
    {"decline": "lost_card"},
    {"decline": "stolen_card"},
    {"delay": "5ms", "decline": "expired_card"},
    {"error": "HE_00", "effect": "kept", "decline": "do_not_honor"},
    {"fault": "slow_body", "decline": "pickup_card"},
)
CALLS: Final = 12
Got = tuple[bool, str | None]


def ends(answer: dict[str, Any]) -> bool:
    return bool(answer.keys() & {"fault", "error"}) and "effect" not in answer and answer.get("fault") != "slow_body"


def got(answer: dict[str, Any]) -> Got:
    """Whether the connection is touched, and the decline."""
    return bool(answer.keys() - {"decline"}), answer.get("decline")


def played(workspace: Workspace) -> list[Got]:
    """What each of the calls gets, one after another."""
    found = []
    for _ in range(CALLS):
        line = workspace.connection(call())
        is_over = line is not None and line.rule.ends_call
        found.append((line is not None, None if is_over else workspace.decide(charge()).outcome.decline))
    return found


@pytest.mark.parametrize("draw", range(times(60, soak=1_000)))
def test_a_rule_answers_as_many_calls_as_it_says(draw: int) -> None:
    random = Random(draw)
    then = random.choices((*ANSWERS, {}), k=random.randint(1, 4))
    if not any(then):
        then[0] = ANSWERS[3]
    rule: dict[str, Any] = {"on": "payments.create", "then": then}
    rule |= {"times": random.randint(1, 7)} if random.random() < 0.7 else {}
    rule |= {"repeat": random.choice(("last", "cycle", "stop"))} if len(then) > 1 else {}
    turns = [
        then[at % len(then)] if rule.get("repeat") == "cycle" else then[min(at, len(then) - 1)] for at in range(CALLS)
    ]
    most = min(rule.get("times", CALLS), len(then) if rule.get("repeat") == "stop" else CALLS)
    expected = [got(answer) if at < most else (False, None) for at, answer in enumerate(turns)]
    assert played(Workspace(f"rules: [{json.dumps(rule)}]")) == expected, rule


@pytest.mark.parametrize("draw", range(times(40, soak=1_000)))
def test_an_entry_of_the_queue_gives_all_that_it_has_to_as_many_calls_as_it_says(draw: int) -> None:
    random, workspace = Random(draw), Workspace()
    entries = [(random.choice(ANSWERS), random.randint(1, 3)) for _ in range(random.randint(1, 3))]
    for then, count in entries:
        enqueue(workspace.memory, *load_next({"on": "payments.create", "then": then, "times": count}))
    said = [then for then, count in entries for _ in range(count)]
    lines = iter([then for then in said if got(then)[0]])
    declines = iter([then["decline"] for then in said if "decline" in then])
    expected: list[Got] = []
    for _ in range(CALLS):
        line = next(lines, {})
        expected.append((bool(line), None if ends(line) else next(declines, None)))
    assert played(workspace) == expected, entries
    assert queued(workspace.memory) == ()
