"""Looking through rules: the first that matches and is not used up decides; the others say why they did not.

Everything that is counted is counted here, in the memory handed in: by rule, channel, run and whatever `per` names.
A rule's answers are counted only where it decides. `skip` and `every` count each matching call that reached the rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Final

from msgspec import Struct, field

from mock_server.domain.outcomes import DecisionRequest, NearMiss, Reason
from mock_server.scenario.conditions.paths import Absent
from mock_server.scenario.conditions.when import plain, without_card_data
from mock_server.scenario.deciding.chance import draw
from mock_server.scenario.model.decision_state import DecisionState, InForce
from mock_server.scenario.model.scenario import Channel, Repeat, Rule, Then

LONGEST_KEY: Final = 48
MOST_KEPT: Final = 50
"""Near misses that one decision remembers (ours)."""


class MatchedRule(Struct, frozen=True):
    """A rule that decided: which answer, the how-manieth (from 1), and the inputs that counted."""

    source: InForce
    rule: Rule
    then: Then
    count: int
    of: int | None
    inputs: Mapping[str, object]

    def because(self, says: str, near: list[NearMiss]) -> Reason:
        """The reason, with what was decided put into words."""
        rule = self.rule
        text = f"scenario {self.source.scenario.name} ({self.source.because}), rule {rule.number} at {rule.place}"
        turn = f"answer {self.count} of {self.of}" if self.of else f"answer {self.count}"
        return Reason("scenario", f"{text}, {turn}: {says}", str(rule.place), self.inputs, tuple(near))


class _Look(Struct, eq=False):
    """One look at one rule: what it read, and why it failed."""

    inputs: dict[str, object] = field(default_factory=dict)
    failed: str | None = None


def first_match(
    channel: Channel, source: InForce, moment: DecisionRequest, state: DecisionState, near: list[NearMiss]
) -> MatchedRule | None:
    """The first rule of a scenario that decides in a channel; every rule before it leaves a near miss."""
    for rule in source.scenario.listening(channel, moment.names):
        look = _Look()
        played = _try(channel, rule, source, moment, state, look)
        if played is not None:
            return played
        if len(near) < MOST_KEPT:
            near.append(NearMiss(str(rule.place), look.failed or "did not match"))
    return None


def _try(
    channel: Channel, rule: Rule, source: InForce, moment: DecisionRequest, state: DecisionState, look: _Look
) -> MatchedRule | None:
    if not _holds(rule, moment, look) or not _in_time(rule, source, moment, look):
        return None
    key = counter_name(source, rule, channel, _whose(rule, moment, look))
    steps = rule.steps(channel)
    limit = limit_of(rule, len(steps))
    played = state.memory.counter(key)
    if limit is not None and played >= limit:
        look.failed = f"used up: {played} of {limit} {'answer' if limit == 1 else 'answers'} given{_for(rule, look)}"
        return None
    if not _its_turn(rule, key, state, look) or not _drawn(rule, source, moment, state, look):
        return None
    count = state.memory.add(key)
    return MatchedRule(source, rule, steps[_position(rule, count, len(steps))], count, limit, look.inputs)


def limit_of(rule: Rule, steps: int) -> int | None:
    """After how many answers a rule is used up."""
    if rule.repeat is Repeat.STOP:
        return steps if rule.times is None else min(steps, rule.times)
    return rule.times


def _holds(rule: Rule, moment: DecisionRequest, look: _Look) -> bool:
    for condition in rule.when:
        actual = condition.read(moment)
        look.failed = condition.failure(actual, moment)
        if look.failed is not None:
            return False
        look.inputs[condition.path.text] = plain(condition.without_card_data(actual, moment))
    return True


def _in_time(rule: Rule, source: InForce, moment: DecisionRequest, look: _Look) -> bool:
    if rule.during is None:
        return True
    since = moment.now - source.since
    look.inputs["ms since activation"] = since
    if rule.during.holds(since):
        return True
    length = rule.during.length
    end = "on" if length is None else f"to {rule.during.start + length} ms"
    look.failed = f"{since} ms since activation, not between {rule.during.start} {end}"
    return False


def _whose(rule: Rule, moment: DecisionRequest, look: _Look) -> str:
    """The text that keeps one counter apart from the next; calls without the value share one."""
    if rule.per_path is None:
        return ""
    value = rule.per_path.read(moment)
    shown = without_card_data(rule.per_path, value, moment)
    owner = "" if isinstance(value, Absent) else f"{type(value).__name__} {value}"
    look.inputs[f"per {rule.per}"] = plain(shown)
    is_plain = len(owner) <= LONGEST_KEY and shown == value
    return owner if is_plain else blake2b(owner.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _for(rule: Rule, look: _Look) -> str:
    owner = look.inputs.get(f"per {rule.per}")
    return "" if owner is None else f" for {rule.per} {owner}"


def counter_name(source: InForce, rule: Rule, channel: Channel, owner: str) -> str:
    """The counter of a rule's answers."""
    scenario = source.scenario
    return f"scenario/{scenario.name}/{scenario.stamp}/{source.run}/rule/{rule.number}/{channel}/{owner}"


def _its_turn(rule: Rule, key: str, state: DecisionState, look: _Look) -> bool:
    if not rule.skip and rule.every is None:
        return True
    seen = state.memory.add(key + "/seen")
    look.inputs["matching call"] = seen
    if seen <= rule.skip:
        look.failed = f"matching call {seen}, but the first {rule.skip} are skipped"
        return False
    if rule.every is not None and (seen - rule.skip) % rule.every:
        look.failed = f"matching call {seen}, and only each {rule.every}. is answered"
        return False
    return True


def _drawn(rule: Rule, source: InForce, moment: DecisionRequest, state: DecisionState, look: _Look) -> bool:
    if rule.probability is None:
        return True
    drawn = draw(f"rule/{rule.number}", source, moment, state)
    look.inputs["drawn"] = round(drawn, 6)
    if drawn < rule.probability:
        return True
    look.failed = f"drew {drawn:.6f}, not under {rule.probability:g}"
    return False


def _position(rule: Rule, count: int, steps: int) -> int:
    if rule.repeat is Repeat.CYCLE:
        return (count - 1) % steps
    return min(count, steps) - 1
