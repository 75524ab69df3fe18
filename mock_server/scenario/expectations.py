"""Assertions, counted while calls are served, checked on request; `in_order` counts the steps that happened."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct

from mock_server.scenario.conditions.on import RECORDS, matches
from mock_server.scenario.conditions.paths import ABSENT, CallFacts, Path, WebhookFacts
from mock_server.scenario.conditions.when import MOST_STEPS, Condition, show
from mock_server.scenario.deciding.activation import ACTIVE, Activation, activations
from mock_server.scenario.model.decision_state import Find, Memory
from mock_server.scenario.model.scenario import Expect, Place, Scenario


def count_call(facts: CallFacts, memory: Memory, find: Find) -> None:
    """Counts one answered (or lost) call for the assertions of each active scenario."""
    for scenario, run in _counting(memory, find):
        for expect in scenario.expect:
            if expect.subject == "calls":
                is_meant = expect.on is None or expect.on.covers(facts.operation)
                if is_meant and holds(expect.where, facts):
                    memory.add(counter_of(scenario, run, expect))
            elif expect.order:
                _step(scenario, run, expect, ("calls", facts.operation), memory)


def count_webhook(facts: WebhookFacts, memory: Memory, find: Find) -> None:
    """Counts one attempt to deliver an event; `in_order` counts only successful ones."""
    for scenario, run in _counting(memory, find):
        for expect in scenario.expect:
            if expect.subject == "webhooks" and holds(expect.where, facts):
                memory.add(counter_of(scenario, run, expect))
            elif expect.order and facts.delivered:
                _step(scenario, run, expect, ("webhooks", facts.type), memory)


def _counting(memory: Memory, find: Find) -> Sequence[tuple[Scenario, int]]:
    if not memory.fact(ACTIVE):
        return ()
    found = [(scenario, row.run) for row in activations(memory) if (scenario := find(row.name)) is not None]
    return [one for one in found if one[0].expect] if sum(one.steps for one, _ in found) <= MOST_STEPS else ()


def counter_of(scenario: Scenario, run: int, expect: Expect) -> str:
    """The counter of an assertion in one run of its scenario."""
    return f"scenario/{scenario.name}/{scenario.stamp}/{run}/expect/{expect.number}"


def holds(where: Sequence[Condition], facts: object) -> bool:
    """Whether everything is true of a call, a delivery or a record."""
    return all(condition.failure(condition.path.read(facts)) is None for condition in where)


def _step(scenario: Scenario, run: int, expect: Expect, happened: tuple[str, str], memory: Memory) -> None:
    counter = counter_of(scenario, run, expect)
    done = memory.counter(counter)
    if done < len(expect.order):
        subject, name = expect.order[done]
        if subject == happened[0] and (name == happened[1] or ("*" in name and matches(name, happened[1]))):
            memory.add(counter)


SHOWN: Final = 5


class ExpectationResult(Struct, frozen=True):
    """One assertion: whether it holds, its text, and what was found; `is_empty`: there was nothing to compare."""

    holds: bool
    text: str
    because: str
    place: Place
    is_empty: bool = False

    def __str__(self) -> str:
        return f"{'ok  ' if self.holds else 'FAIL'} expect {self.text} — {self.because} ({self.place})"


def check(
    scenario: Scenario, active: Activation, counter: Callable[[str], int], records: Callable[[str], Iterable[object]]
) -> tuple[ExpectationResult, ...]:
    """Every assertion of a run of a scenario, in the file's order; `records` gives those of a kind (`payments` …)."""
    runs = ((expect, counter(counter_of(scenario, active.run, expect))) for expect in scenario.expect)
    return tuple(_check(expect, count, records) for expect, count in runs)


def _check(expect: Expect, count: int, records: Callable[[str], Iterable[object]]) -> ExpectationResult:
    if expect.order:
        return _order(expect, count)
    text, because = f"{_what(expect)}: {expect.bound}", f"{count} since activation"
    if expect.subject not in ("calls", "webhooks"):
        # One record at a time: all of a large workspace would be gigabytes, and work for the garbage collector.
        found = (record for record in records(expect.subject) if holds(expect.where, record))
        if expect.unique_by is not None:
            return _unique(expect, expect.unique_by, found)
        ids = [str(getattr(record, RECORDS[expect.subject], "")) for record in found]
        count, because = len(ids), f"found {len(ids)}{_named(ids)}"
    return ExpectationResult(expect.bound.holds(count), text, because, expect.place)


def _order(expect: Expect, done: int) -> ExpectationResult:
    steps = [".".join(step) for step in expect.order]
    text = f"in order: {', '.join(steps)}"
    if done >= len(steps):
        return ExpectationResult(True, text, "all of them happened in this order", expect.place)
    before = f"after {steps[done - 1]}, " if done else ""
    return ExpectationResult(False, text, f"{before}{steps[done]} did not happen", expect.place)


def _unique(expect: Expect, path: Path, found: Iterable[object]) -> ExpectationResult:
    owners: dict[str, list[str]] = defaultdict(list)
    count = 0
    for record in found:
        count += 1
        value = path.read(record)
        if value is not ABSENT:
            owners[show(value)].append(str(getattr(record, RECORDS[expect.subject], "")))
    text = f"{_what(expect)}: all with a different {path.text}"
    for value, ids in owners.items():
        if len(ids) > 1:
            return ExpectationResult(False, text, f"{len(ids)} share {value}{_named(ids)}", expect.place)
    if not owners:
        nothing = f"nothing compared: found {count}, none with {path.text}"
        return ExpectationResult(True, text, nothing, expect.place, is_empty=True)
    return ExpectationResult(True, text, f"found {count}, all different", expect.place)


def _what(expect: Expect) -> str:
    on = [] if expect.on is None else [str(expect.on)]
    said = ", ".join([*on, *(f"{c.path.text} {c.operator.name} {show(c.expected)}" for c in expect.where)])
    return f"{expect.subject} ({said})" if said else expect.subject


def _named(ids: Sequence[str]) -> str:
    rest = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
    return f": {', '.join(ids[:SHOWN])}{rest}" if ids else ""
