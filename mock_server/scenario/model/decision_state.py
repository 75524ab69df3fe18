"""What the deciders use: the workspace's memory, the scenarios it can use, and those that apply to a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from mock_server.domain.faults import LinePlan
from mock_server.domain.outcomes import Reason
from mock_server.randomness import Randomness
from mock_server.scenario.model.answers import LineRule, WebhookRule

if TYPE_CHECKING:
    from mock_server.scenario.model.scenario import Scenario


class Readable(Protocol):
    """Small JSON-like values by name; None for a missing one."""

    def fact(self, name: str, /) -> Any: ...


class Memory(Readable, Protocol):
    """Counters, which start at 0, and facts, as a transaction of the store offers them."""

    def counter(self, name: str) -> int: ...
    def add(self, name: str, by: int = 1) -> int:
        """Adds to a counter and returns its new value; concurrent additions are all counted."""

    def set_fact(self, name: str, value: Any) -> None: ...
    def facts(self, prefix: str) -> Mapping[str, Any]: ...


Find = Callable[[str], "Scenario | None"]
"""The scenario of a name, with everything it extends."""


class DecisionState(Struct, eq=False):
    """One workspace in one transaction; `unknown_cards` is the setting, `seed` and `workspace` are for tickets."""

    memory: Memory
    randomness: Randomness
    find: Find
    unknown_cards: str
    seed: str | None
    workspace: str


class InForce(Struct, frozen=True):
    """A scenario that applies to a call: which run of it (counters are kept per run), since when, and why."""

    scenario: Scenario
    run: str
    since: int
    because: str


class LineDecision(Struct, frozen=True):
    """What happens to the connection of one call; `delay_ms` is drawn already, and in real time."""

    rule: LineRule
    because: Reason
    delay_ms: int = 0

    @property
    def plan(self) -> LinePlan | None:
        """What the server does to the finished answer, if anything."""
        if not self.delay_ms and self.rule.fault is None:
            return None
        return LinePlan(delay_s=self.delay_ms / 1000, fault=self.rule.fault)

    @property
    def sorts(self) -> tuple[str, ...]:
        """What is done to the call, in the words of the scenario language; headers alone do not count."""
        rule = self.rule
        given = (("delay", self.delay_ms), ("error", rule.error), ("respond", rule.respond), (rule.fault, rule.fault))
        return tuple(str(word) for word, there in given if there)


class WebhookDecision(Struct, frozen=True):
    """What happens to one delivery."""

    rule: WebhookRule
    because: Reason
