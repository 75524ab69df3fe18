"""What the deciders stand on: the workspace's memory, the scenarios within reach, and the ones in force."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from mock_server.domain.outcomes import Reason
from mock_server.randomness import Randomness
from mock_server.scenario.model.answers import LineRule, WebhookRule

if TYPE_CHECKING:
    from mock_server.scenario.model.scenario import Scenario


class Counters(Protocol):
    """Named numbers that start at 0; two additions are never lost in one another."""

    def counter(self, name: str) -> int: ...
    def add(self, name: str, by: int = 1) -> int:
        """Adds to a counter and gives its new value."""
        ...


class Readable(Protocol):
    """Small JSON-like values by name, to look at; None is "not there"."""

    def fact(self, name: str, /) -> Any: ...


class Facts(Readable, Protocol):
    """The same, to change."""

    def set_fact(self, name: str, value: Any) -> None: ...


class Memory(Counters, Facts, Protocol):
    """What a transaction of the store offers; all that the deciders ever change goes through it."""


Find = Callable[[str], "Scenario | None"]
"""The scenario of a name, `extends` already followed."""


def _nothing(name: str) -> None:
    return None


class DecisionState(Struct, eq=False):
    """One workspace, in one transaction, as the deciders see it; made anew for each transaction.

    `unknown_cards` is the setting of that name: `succeed` or `decline`. `seed` and `workspace` stand in chaos tickets.
    """

    memory: Memory
    randomness: Randomness
    find: Find = _nothing
    unknown_cards: str = "succeed"
    seed: str | None = None
    workspace: str = ""


class InForce(Struct, frozen=True):
    """A scenario that may speak on a call: which run of it (counters are kept per run), since when, and why it may."""

    scenario: Scenario
    run: str
    since: int
    because: str


class LineDecision(Struct, frozen=True):
    """What is done to one call; `delay_ms` is drawn already and in real time."""

    rule: LineRule
    because: Reason
    delay_ms: int = 0


class WebhookDecision(Struct, frozen=True):
    """What is done to one delivery."""

    rule: WebhookRule
    because: Reason
