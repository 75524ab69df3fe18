"""Matching rules: the first that matches and is not used up decides; those before it become near misses.

Calls are counted here, by rule, channel, run and the value of `per`. A rule's answers are counted only where it
decides. `skip` and `every` count each matching call that reached the rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Final

from msgspec import Struct

from mock_server.domain.outcomes import DecisionRequest, NearMiss, Reason
from mock_server.scenario.conditions.paths import Absent
from mock_server.scenario.conditions.when import plain, without_card_data
from mock_server.scenario.deciding.chance import draw
from mock_server.scenario.model.decision_state import DecisionState, InForce
from mock_server.scenario.model.scenario import Channel, Repeat, Rule, Then

LONGEST_KEY: Final = 48
MOST_KEPT: Final = 50
"""Near misses that one decision keeps (ours)."""


class MatchedRule(Struct, frozen=True):
    """A rule that decided: which answer, its number (from 1) of how many, and the inputs that were used."""

    source: InForce
    rule: Rule
    then: Then
    count: int
    of: int | None
    inputs: Mapping[str, object]

    def because(self, says: str, near: list[NearMiss]) -> Reason:
        """The reason; `says` is the decision in words."""
        rule = self.rule
        text = f"scenario {self.source.scenario.name} ({self.source.because}), rule {rule.number} at {rule.place}"
        turn = f"answer {self.count} of {self.of}" if self.of else f"answer {self.count}"
        return Reason("scenario", f"{text}, {turn}: {says}", str(rule.place), self.inputs, tuple(near))


def first_match(
    channel: Channel, source: InForce, request: DecisionRequest, state: DecisionState, near: list[NearMiss]
) -> MatchedRule | None:
    """The first rule of a scenario that decides in a channel; the rules before it are added to `near`."""
    for rule in source.scenario.listening(channel, request.names):
        found = _try(channel, rule, source, request, state)
        if isinstance(found, MatchedRule):
            return found
        if len(near) < MOST_KEPT:
            near.append(NearMiss(str(rule.place), found))
    return None


def _try(
    channel: Channel, rule: Rule, source: InForce, request: DecisionRequest, state: DecisionState
) -> MatchedRule | str:
    """The rule with the answer for this call, or why it does not match."""
    inputs: dict[str, object] = {}
    failed = _unmet(rule, source, request, inputs)
    if failed is not None:
        return failed
    scenario, owner = source.scenario, _owner(rule, request, inputs)
    key = f"scenario/{scenario.name}/{scenario.stamp}/{source.run}/rule/{rule.number}/{channel}/{owner}"
    steps = rule.steps(channel)
    limit = rule.times
    if rule.repeat is Repeat.STOP:
        limit = min(len(steps), rule.times or len(steps))
    given = state.memory.counter(key)
    if limit is not None and given >= limit:
        whose = "" if rule.per_path is None else f" for {rule.per} {inputs[f'per {rule.per}']}"
        return f"used up: {given} of {limit} {'answer' if limit == 1 else 'answers'} given{whose}"
    failed = _not_this_call(rule, key, source, request, state, inputs)
    if failed is not None:
        return failed
    count = state.memory.add(key)
    at = (count - 1) % len(steps) if rule.repeat is Repeat.CYCLE else min(count, len(steps)) - 1
    return MatchedRule(source, rule, steps[at], count, limit, inputs)


def _unmet(rule: Rule, source: InForce, request: DecisionRequest, inputs: dict[str, object]) -> str | None:
    """The condition of `when` or `during` that is not true."""
    for condition in rule.when:
        actual = condition.path.read(request)
        failed = condition.failure(actual, request)
        if failed is not None:
            return failed
        inputs[condition.path.text] = plain(without_card_data(condition.path, actual, request))
    if rule.during is None:
        return None
    since = request.now - source.since
    inputs["ms since activation"] = since
    if rule.during.holds(since):
        return None
    length = rule.during.length
    end = "on" if length is None else f"to {rule.during.start + length} ms"
    return f"{since} ms since activation, not between {rule.during.start} {end}"


def _owner(rule: Rule, request: DecisionRequest, inputs: dict[str, object]) -> str:
    """The value of `per`, by which counters are kept apart; calls without the value share one."""
    if rule.per_path is None:
        return ""
    value = rule.per_path.read(request)
    shown = without_card_data(rule.per_path, value, request)
    owner = "" if isinstance(value, Absent) else f"{type(value).__name__} {value}"
    inputs[f"per {rule.per}"] = plain(shown)
    is_plain = len(owner) <= LONGEST_KEY and shown == value
    return owner if is_plain else blake2b(owner.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _not_this_call(
    rule: Rule, key: str, source: InForce, request: DecisionRequest, state: DecisionState, inputs: dict[str, object]
) -> str | None:
    """Why `skip`, `every` or `probability` leaves a matching call out."""
    if rule.skip or rule.every is not None:
        seen = state.memory.add(key + "/seen")
        inputs["matching call"] = seen
        if seen <= rule.skip:
            return f"matching call {seen}, but the first {rule.skip} are skipped"
        if rule.every is not None and (seen - rule.skip) % rule.every:
            return f"matching call {seen}, and only one in {rule.every} is answered"
    if rule.probability is not None:
        drawn = draw(f"rule/{rule.number}", source, request, state)
        inputs["drawn"] = round(drawn, 6)
        if drawn >= rule.probability:
            return f"drew {drawn:.6f}, not under {rule.probability:g}"
    return None
