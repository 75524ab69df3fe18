"""Which scenarios are on: kept as one small fact of the workspace, most recent first.

Each activation is a run with a number of its own; counters are kept per run, so activating again starts anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec import Struct, structs

from mock_server.domain.outcomes import DecisionRequest
from mock_server.scenario.model.decision_state import DecisionState, InForce, Memory

if TYPE_CHECKING:
    from mock_server.scenario.model.scenario import Scenario

ACTIVE: Final = "scenarios.active"
RUNS: Final = "scenarios.runs"
NAMED_SINCE: Final = "scenarios.named."
QUEUE: Final = "scenarios.next"
NONE: Final = "none"
"""The name that ends the search (scenario language, "Which scenario is on")."""

Names = tuple[str, ...] | None
BY_CONTROL: Final = "active"
BY_SERVER: Final = "--scenario"


class Activation(Struct, frozen=True):
    """A scenario that is on: since when (ms of the workspace), which run, and who turned it on."""

    name: str
    at: int
    run: int
    by: str = BY_CONTROL


def activations(memory: Memory) -> tuple[Activation, ...]:
    """What is on, most recent first, with the server's own at the end."""
    return tuple(Activation(**row) for row in memory.fact(ACTIVE) or ())


def activate(memory: Memory, name: str, now: int, by: str = BY_CONTROL) -> Activation:
    """Turns a scenario on (again: its counters start anew); the server's own come after all others."""
    made = Activation(name, now, memory.add(RUNS), by)
    others = [row for row in activations(memory) if row.name != name]
    at = 0 if by == BY_CONTROL else len(others)
    _keep(memory, [*others[:at], made, *others[at:]])
    return made


def deactivate(memory: Memory, name: str) -> bool:
    """Turns a scenario off; False if it was not on."""
    before = activations(memory)
    after = [row for row in before if row.name != name]
    _keep(memory, after)
    return len(after) < len(before)


def _keep(memory: Memory, rows: list[Activation]) -> None:
    memory.set_fact(ACTIVE, [structs.asdict(row) for row in rows] or None)


def in_force(moment: DecisionRequest, state: DecisionState) -> Iterator[InForce]:
    """The scenarios that may speak on a call, in their order; each only once."""
    for scenario, label, on in _found(moment.scenarios, moment.payment_scenarios, state):
        name = scenario.name
        idle = () if on else left_out(scenario)
        label = f"{label}, without its {' and '.join(idle)}" if idle else label
        run, since = (f"{on.run}", on.at) if on else ("named", _named_since(state.memory, name, moment.now))
        yield InForce(scenario, run, since, label)


def left_out(scenario: Scenario) -> tuple[str, ...]:
    """What a scenario has and cannot bring where a call names it: that takes an activation."""
    return tuple(name for name, there in (("given", scenario.given), ("settings", scenario.settings)) if there)


def named(header: Names, metadata: Names, state: DecisionState) -> Iterator[Scenario]:
    """The same scenarios, where only what they hold is asked for."""
    return (scenario for scenario, _, _ in _found(header, metadata, state))


def _found(header: Names, metadata: Names, state: DecisionState) -> Iterator[tuple[Scenario, str, Activation | None]]:
    seen: set[str] = set()
    for name, label, on in _in_order(header, metadata, state.memory):
        if name == NONE:
            return
        scenario = None if name in seen else state.find(name)
        seen.add(name)
        if scenario is not None:
            yield scenario, label, on


def _in_order(header: Names, metadata: Names, memory: Memory) -> Iterator[tuple[str, str, Activation | None]]:
    for name in header or ():
        yield name, "header X-Sandbox-Scenario", None
    for name in metadata or ():
        yield name, "metadata.sandbox_scenario", None
    for row in activations(memory):
        yield row.name, row.by, row


def _named_since(memory: Memory, name: str, now: int) -> int:
    """A scenario that a call names was never activated: its time starts with its first use."""
    since = memory.fact(NAMED_SINCE + name)
    if since is None:
        memory.set_fact(NAMED_SINCE + name, now)
        return now
    return int(since)


def is_quiet(moment: DecisionRequest, state: DecisionState) -> bool:
    """Whether no scenario can have a word on this call: the usual case, found out in one look."""
    return not moment.scenarios and not moment.payment_scenarios and not state.memory.fact(ACTIVE)


def unknown(names: tuple[str, ...] | None, state: DecisionState) -> tuple[str, ...]:
    """The names, out of a header or metadata, that no scenario has."""
    return tuple(name for name in names or () if name != NONE and state.find(name) is None)
