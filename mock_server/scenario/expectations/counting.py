"""What expectations count while calls are served: calls and deliveries, by counters that start with the activation.

Nothing is evaluated while serving; each expectation keeps a number, each `in_order` how far it has come.
"""

from __future__ import annotations

from collections.abc import Sequence

from mock_server.scenario.conditions.facts import CallFacts, WebhookFacts
from mock_server.scenario.conditions.on import matches
from mock_server.scenario.conditions.when import Condition
from mock_server.scenario.deciding.activation import ACTIVE, Activation, activations
from mock_server.scenario.model.scenario import Expect, Scenario
from mock_server.scenario.model.state import Find, Memory


def count_call(facts: CallFacts, memory: Memory, find: Find) -> None:
    """Counts one answered (or lost) call in every active scenario that expects something of calls."""
    for scenario, run in _counting(memory, find):
        for expect in scenario.expect:
            if expect.subject == "calls" and _is_meant(expect, facts.operation) and holds(expect.where, facts):
                memory.add(counter_of(scenario, run, expect))
            elif expect.order:
                _step(scenario, run, expect, ("calls", facts.operation), memory)


def count_webhook(facts: WebhookFacts, memory: Memory, find: Find) -> None:
    """Counts one attempt to deliver an event; only a delivered one is a step of an order."""
    for scenario, run in _counting(memory, find):
        for expect in scenario.expect:
            if expect.subject == "webhooks" and holds(expect.where, facts):
                memory.add(counter_of(scenario, run, expect))
            elif expect.order and facts.delivered:
                _step(scenario, run, expect, ("webhooks", facts.type), memory)


def _counting(memory: Memory, find: Find) -> Sequence[tuple[Scenario, str]]:
    if not memory.fact(ACTIVE):
        return ()
    found = ((find(row.name), row) for row in activations(memory))
    return [(scenario, f"{row.run}") for scenario, row in found if scenario is not None and scenario.expect]


def counter_of(scenario: Scenario, run: str, expect: Expect) -> str:
    """The counter of an expectation in one run of its scenario."""
    return f"scenario/{scenario.name}/{scenario.stamp}/{run}/expect/{expect.number}"


def run_of(active: Activation) -> str:
    """The run's part of a counter's name."""
    return f"{active.run}"


def _is_meant(expect: Expect, operation: str) -> bool:
    return expect.on is None or expect.on.covers(operation)


def holds(where: Sequence[Condition], facts: object) -> bool:
    """Whether everything is true of a call, a delivery or a record."""
    return all(condition.failure(condition.read(facts)) is None for condition in where)


def _step(scenario: Scenario, run: str, expect: Expect, happened: tuple[str, str], memory: Memory) -> None:
    counter = counter_of(scenario, run, expect)
    done = memory.counter(counter)
    if done < len(expect.order):
        subject, name = expect.order[done]
        if subject == happened[0] and (name == happened[1] or ("*" in name and matches(name, happened[1]))):
            memory.add(counter)
