"""How far the rules of a scenario that is on have come: what the control API and the dashboard show."""

from __future__ import annotations

from msgspec import Struct

from mock_server.scenario.activation import Activation
from mock_server.scenario.model import Channel, Place, Rule, Scenario
from mock_server.scenario.rules import counter_name, limit_of
from mock_server.scenario.state import Counters, InForce


class Standing(Struct, frozen=True):
    """One rule in one channel: how many answers it gave, and of how many (None: without end).

    A rule that counts per payment, customer or header has no one number: `given` is None there.
    """

    rule: int
    place: Place
    channel: Channel
    on: str
    per: str
    given: int | None
    of: int | None

    @property
    def used_up(self) -> bool:
        """Whether it has no answer left."""
        return self.given is not None and self.of is not None and self.given >= self.of


def standing(scenario: Scenario, active: Activation, memory: Counters) -> tuple[Standing, ...]:
    """Every rule of a run of a scenario, in the file's order, once for each channel it speaks in."""
    source = InForce(scenario, f"{active.run}", active.at, active.by)
    return tuple(
        _standing(source, rule, channel, memory)
        for rule in scenario.rules
        for channel in Channel
        if rule.steps(channel)
    )


def _standing(source: InForce, rule: Rule, channel: Channel, memory: Counters) -> Standing:
    given = memory.counter(counter_name(source, rule, channel, "")) if rule.per_path is None else None
    of = limit_of(rule, len(rule.steps(channel)))
    return Standing(rule.number, rule.place, channel, str(rule.on), rule.per, given, of)
