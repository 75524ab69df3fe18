"""What must be true at the end: counted while calls are served, checked when somebody asks.

Nothing is evaluated while serving; each expectation keeps a number, each `in_order` how far it has come.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from msgspec import Struct

from mock_server.scenario.conditions.on import matches
from mock_server.scenario.conditions.paths import ABSENT, CallFacts, WebhookFacts
from mock_server.scenario.conditions.when import Condition, show
from mock_server.scenario.deciding.activation import ACTIVE, Activation, activations
from mock_server.scenario.model.decision_state import Counters, Find, Memory
from mock_server.scenario.model.scenario import Expect, Place, Scenario


def count_call(facts: CallFacts, memory: Memory, find: Find) -> None:
    """Counts one answered (or lost) call in every active scenario that expects something of calls."""
    for scenario, run in _counting(memory, find):
        for expect in scenario.expect:
            if expect.subject == "calls":
                is_meant = expect.on is None or expect.on.covers(facts.operation)
                if is_meant and holds(expect.where, facts):
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


def _counting(memory: Memory, find: Find) -> Sequence[tuple[Scenario, int]]:
    if not memory.fact(ACTIVE):
        return ()
    found = ((find(row.name), row) for row in activations(memory))
    return [(scenario, row.run) for scenario, row in found if scenario is not None and scenario.expect]


def counter_of(scenario: Scenario, run: int, expect: Expect) -> str:
    """The counter of an expectation in one run of its scenario."""
    return f"scenario/{scenario.name}/{scenario.stamp}/{run}/expect/{expect.number}"


def holds(where: Sequence[Condition], facts: object) -> bool:
    """Whether everything is true of a call, a delivery or a record."""
    return all(condition.failure(condition.read(facts)) is None for condition in where)


def _step(scenario: Scenario, run: int, expect: Expect, happened: tuple[str, str], memory: Memory) -> None:
    counter = counter_of(scenario, run, expect)
    done = memory.counter(counter)
    if done < len(expect.order):
        subject, name = expect.order[done]
        if subject == happened[0] and (name == happened[1] or ("*" in name and matches(name, happened[1]))):
            memory.add(counter)


SHOWN: Final = 5
IDS: Final = {"payments": "payment_id", "refunds": "refund_id", "disputes": "dispute_id", "customers": "customer_id"}


class View(Counters, Protocol):
    """What a check looks at: the counters, and every record of a kind (`payments`, `refunds` …)."""

    def records(self, kind: str) -> Iterable[object]: ...


class ExpectationResult(Struct, frozen=True):
    """One expectation: whether it holds, how it reads, and what was found."""

    holds: bool
    text: str
    because: str
    place: Place

    def __str__(self) -> str:
        return f"{'holds' if self.holds else 'FAILS'}: {self.text} — {self.because} ({self.place})"


def check(scenario: Scenario, active: Activation, view: View) -> tuple[ExpectationResult, ...]:
    """Every expectation of a run of a scenario, in the file's order."""
    return tuple(_check(scenario, active, expect, view) for expect in scenario.expect)


def _check(scenario: Scenario, active: Activation, expect: Expect, view: View) -> ExpectationResult:
    if expect.order:
        return _order(expect, view.counter(counter_of(scenario, active.run, expect)))
    if expect.subject in ("calls", "webhooks"):
        return _counted(expect, view.counter(counter_of(scenario, active.run, expect)))
    found = [record for record in view.records(expect.subject) if holds(expect.where, record)]
    return _unique(expect, found) if expect.unique_by is not None else _records(expect, found)


def _order(expect: Expect, done: int) -> ExpectationResult:
    steps = [".".join(step) for step in expect.order]
    text = f"in order: {', '.join(steps)}"
    if done >= len(steps):
        return ExpectationResult(True, text, "all of them happened in this order", expect.place)
    before = f"after {steps[done - 1]}, " if done else ""
    return ExpectationResult(False, text, f"{before}{steps[done]} did not happen", expect.place)


def _counted(expect: Expect, count: int) -> ExpectationResult:
    text = f"{_what(expect)}: {expect.bound}"
    return ExpectationResult(expect.bound.holds(count), text, f"{count} since activation", expect.place)


def _records(expect: Expect, found: list[object]) -> ExpectationResult:
    text, because = f"{_what(expect)}: {expect.bound}", f"found {len(found)}{_named(expect, found)}"
    return ExpectationResult(expect.bound.holds(len(found)), text, because, expect.place)


def _unique(expect: Expect, found: list[object]) -> ExpectationResult:
    path = expect.unique_by
    owners: dict[str, list[object]] = defaultdict(list)
    for record in found:
        value = ABSENT if path is None else path.read(record)
        if value is not ABSENT:
            owners[show(value)].append(record)
    text = f"{_what(expect)}: all with a different {path.text if path else ''}"
    shared = next(((value, records) for value, records in owners.items() if len(records) > 1), None)
    if shared is None:
        return ExpectationResult(True, text, f"found {len(found)}, all different", expect.place)
    because = f"{len(shared[1])} share {shared[0]}{_named(expect, shared[1])}"
    return ExpectationResult(False, text, because, expect.place)


def _what(expect: Expect) -> str:
    conditions = [f"{c.path.text} {c.operator.name} {show(c.expected)}" for c in expect.where]
    on = [] if expect.on is None else [str(expect.on)]
    said = ", ".join([*on, *conditions])
    return f"{expect.subject} ({said})" if said else expect.subject


def _named(expect: Expect, found: list[object]) -> str:
    ids = [str(getattr(record, IDS[expect.subject], "")) for record in found[:SHOWN]]
    rest = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return f": {', '.join(ids)}{rest}" if ids else ""
