"""Which scenarios are active: one small fact of the workspace, most recent first.

Each activation is a run with its own number. Counters are kept per run, so they start at 0 with each activation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec import Struct, structs

from mock_server.domain.instants import Instant
from mock_server.domain.outcomes import DecisionRequest
from mock_server.scenario.conditions.when import MOST_STEPS
from mock_server.scenario.model.decision_state import DecisionState, InForce, Memory

if TYPE_CHECKING:
    from mock_server.scenario.model.scenario import Scenario

ACTIVE: Final = "scenarios.active"
RUNS: Final = "scenarios.runs"
NAMED_SINCE: Final = "scenarios.named."
QUEUE: Final = "scenarios.next"
NONE: Final = "none"
"""The name after which no other scenario applies (scenario language, "Which scenario is on")."""

Names = tuple[str, ...] | None
BY_CONTROL: Final = "active"
BY_SERVER: Final = "--scenario"


class Activation(Struct, frozen=True):
    """An active scenario: since when (ms of the workspace), which run, and who activated it."""

    name: str
    at: Instant
    run: int
    by: str = BY_CONTROL


def activations(memory: Memory) -> tuple[Activation, ...]:
    """The active scenarios, most recent first; those that the server activated are last."""
    return tuple(Activation(**row) for row in memory.fact(ACTIVE) or ())


def activate(memory: Memory, name: str, now: int, by: str = BY_CONTROL) -> Activation:
    """Activates a scenario, with new counters; those of the server come after all others."""
    made = Activation(name, now, memory.add(RUNS), by)
    others = [row for row in activations(memory) if row.name != name]
    at = 0 if by == BY_CONTROL else len(others)
    _keep(memory, [*others[:at], made, *others[at:]])
    return made


def deactivate(memory: Memory, name: str) -> bool:
    """Deactivates a scenario; False if it was not active."""
    before = activations(memory)
    after = [row for row in before if row.name != name]
    _keep(memory, after)
    return len(after) < len(before)


def set_back(memory: Memory, now: int) -> None:
    """What is on since later is on since now: the clock of an empty workspace can be set back."""
    _keep(memory, [structs.replace(row, at=min(row.at, now)) for row in activations(memory)])
    for key, since in memory.facts(NAMED_SINCE).items():
        memory.set_fact(key, min(since, now))


def _keep(memory: Memory, rows: list[Activation]) -> None:
    memory.set_fact(ACTIVE, [structs.asdict(row) for row in rows] or None)


def in_force(request: DecisionRequest, state: DecisionState) -> Iterator[InForce]:
    """The scenarios that apply to a call, in order; each only once, and none after too many patterns."""
    steps = 0
    for scenario, label, on in named_or_active(request.call.scenarios, request.payment_scenarios, state):
        if (steps := steps + scenario.steps) > MOST_STEPS:
            return  # calls to which such a one applies are refused (`sandbox/deciding.py`)
        if on is not None:
            yield InForce(scenario, f"{on.run}", on.at, label)
            continue
        # A scenario that a call names was never activated: its time starts with its first use.
        key = NAMED_SINCE + scenario.name
        since = state.memory.fact(key)
        if since is None:
            state.memory.set_fact(key, request.now)
        idle = [name for name, there in (("given", scenario.given), ("settings", scenario.settings)) if there]
        label += f", without its {' and '.join(idle)}" if idle else ""
        yield InForce(scenario, "named", request.now if since is None else int(since), label)


def named_or_active(
    header: Names, metadata: Names, state: DecisionState
) -> Iterator[tuple[Scenario, str, Activation | None]]:
    """The scenarios of a header, of metadata, and the active ones, in order; each only once, with its source."""
    seen: set[str] = set()
    sources: list[tuple[str, str, Activation | None]] = [
        *((name, "header X-Sandbox-Scenario", None) for name in header or ()),
        *((name, "metadata.sandbox_scenario", None) for name in metadata or ()),
        *((row.name, row.by, row) for row in activations(state.memory)),
    ]
    for name, label, on in sources:
        if name == NONE:
            return
        scenario = None if name in seen else state.find(name)
        seen.add(name)
        if scenario is not None:
            yield scenario, label, on


def is_quiet(request: DecisionRequest, state: DecisionState) -> bool:
    """Whether no scenario applies to this call: the usual case."""
    return not request.call.scenarios and not request.payment_scenarios and not state.memory.fact(ACTIVE)


def unknown(names: tuple[str, ...] | None, state: DecisionState) -> tuple[str, ...]:
    """The names in a header or metadata that no scenario has."""
    return tuple(name for name in names or () if name != NONE and state.find(name) is None)
