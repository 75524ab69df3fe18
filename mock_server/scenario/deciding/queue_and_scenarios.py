"""The one-shot queue of a workspace ("the next charge fails with …"), and the scenarios that apply to a call.

The queue is kept as plain JSON in one fact of the workspace; `loading/load.py` checked each entry before. The first
rule that matches and is not used up decides; those before it become near misses. Calls are counted here, by rule,
channel, run and the value of `per`. A rule's answers are counted only where it decides; `skip` and `every` count each
matching call that reached the rule. This module is imported late: most workspaces never queue an outcome or activate a
scenario.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Any, Final

from msgspec import Struct, structs

from mock_server.contract.operations import CHARGE
from mock_server.domain.nouns import noun
from mock_server.domain.outcomes import Decision, DecisionRequest, NearMiss, OutcomeStatus, Reason
from mock_server.recent import of_short
from mock_server.scenario.conditions.on import on_of
from mock_server.scenario.conditions.paths import ABSENT
from mock_server.scenario.conditions.when import plain, without_card_data
from mock_server.scenario.deciding.activation import QUEUE, in_force
from mock_server.scenario.deciding.cards import scenario_card
from mock_server.scenario.deciding.chance import chaos, delay_ms, draw
from mock_server.scenario.model.answers import say, say_line, say_webhook, with_decline
from mock_server.scenario.model.decision_state import DecisionState, InForce, LineDecision, Memory, WebhookDecision
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


def _first_match(
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
    limit = rule.limit(channel)
    given = state.memory.counter(key)
    if limit is not None and given >= limit:
        whose = "" if not rule.per_paths else f" for {rule.per} {inputs[f'per {rule.per}']}"
        return f"used up: {given} of {limit} {noun(limit, 'answer')} given{whose}"
    failed = _not_this_call(rule, key, source, request, state, inputs)
    if failed is not None:
        return failed
    count = state.memory.add(key)
    at = (count - 1) % len(steps) if rule.repeat is Repeat.CYCLE else min(count, len(steps)) - 1
    return MatchedRule(source, rule, steps[at], count, limit, inputs)


def _unmet(rule: Rule, source: InForce, request: DecisionRequest, inputs: dict[str, object]) -> str | None:
    """The condition of `when` or `during` that is not true."""
    for condition in rule.when:
        actual = condition.path.stored(condition.path.read(request))
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
    if not rule.per_paths:
        return ""
    value = next((found for path in rule.per_paths if (found := path.read(request)) is not ABSENT), ABSENT)
    shown = without_card_data(rule.per_paths[0], value, request)
    owner = "" if value is ABSENT else f"{type(value).__name__} {value}"
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


NUMBERS: Final = "scenarios.next.number"


class Queued(Struct, frozen=True):
    """One entry: its calls, the answer (`then` as JSON text), how many are `left`, how many a channel `used`."""

    number: int
    on: tuple[str, ...]
    then: str
    left: int
    used: Mapping[str, int] = {}

    def check(self) -> None:
        """Raises ScenarioErrors if its answer is not valid."""
        _then(self.then)


def queued(memory: Memory) -> tuple[Queued, ...]:
    """The entries, first in first out."""
    return tuple(Queued(**{**row, "on": tuple(row["on"])}) for row in memory.fact(QUEUE) or ())


def enqueue(memory: Memory, on: tuple[str, ...], then: str, times: int = 1) -> Queued:
    """Adds an entry at the end; `then` is the JSON text of a valid outcome."""
    made = Queued(memory.add(NUMBERS), on, then, times)
    _keep(memory, (*queued(memory), made))
    return made


def clear(memory: Memory, number: int | None = None) -> int:
    """Empties the queue, or removes one entry, and returns how many are gone."""
    rows = queued(memory)
    _keep(memory, left := tuple(row for row in rows if number not in (None, row.number)))
    return len(rows) - len(left)


def take(channel: Channel, request: DecisionRequest, memory: Memory) -> tuple[Then, Reason] | None:
    """Takes the first entry for this call with an answer in the channel; after a challenge, none that asks for one."""
    rows = queued(memory)
    for at, row in enumerate(rows):
        then, on = _then(row.then), on_of(row.on)
        if then.issuer is not None and then.issuer.word is OutcomeStatus.REQUIRES_ACTION and is_challenged(request):
            continue
        given = row.used.get(channel, 0)
        if then.part(channel) is not None and given < row.left and any(on.covers(name) for name in request.names):
            used = {one: row.used.get(one, 0) + (one is channel) for one in Channel if then.part(one) is not None}
            done = min(used.values())
            rest = structs.replace(row, left=row.left - done, used={one: count - done for one, count in used.items()})
            _keep(memory, (*rows[:at], *([rest] if rest.left else []), *rows[at + 1 :]))
            which = f"(on {', '.join(row.on)}, {row.left - given} left before this call)"
            text = f"one-shot queue, entry {row.number} {which}"
            inputs = {"operation": request.operation, "queue entry": row.number}
            return then, Reason("queue", text, f"queue entry {row.number}", inputs)
    return None


def _then(text: str) -> Then:
    return of_short(_short_then, len(text))(text)


@lru_cache(maxsize=256)
def _short_then(text: str) -> Then:
    from mock_server.scenario.loading.load import load_then  # late: only a queue that holds something reads it

    return load_then(text)


def _keep(memory: Memory, rows: tuple[Queued, ...]) -> None:
    memory.set_fact(QUEUE, [{**structs.asdict(row), "on": list(row.on)} for row in rows] or None)


def is_challenged(request: DecisionRequest) -> bool:
    """Whether the customer has passed the challenge of this charge, so that only its end is to be decided."""
    return CHARGE in request.names and getattr(request.records.get("payment"), "authenticated", False)


def queued_outcome(request: DecisionRequest, state: DecisionState) -> Decision | None:
    """What the one-shot queue decides for the issuer."""
    taken = take(Channel.ISSUER, request, state.memory)
    if taken is None or taken[0].issuer is None:
        return None
    outcome = with_decline(taken[0].issuer, request.operation)
    return Decision(outcome, _with(taken[1], say(outcome)))


def scenario_outcome(
    request: DecisionRequest, state: DecisionState, card: str | None, near: list[NearMiss]
) -> Decision | None:
    """The rules of each scenario that applies, then its chaos, then its cards; only then the next scenario.

    A sale takes one answer: after its challenge, only rules for the call that completes it are asked, and no chaos.
    """
    is_charge, is_over = CHARGE in request.names, is_challenged(request)
    asked = structs.replace(request, names=tuple(n for n in request.names if n != CHARGE)) if is_over else request
    for source in in_force(request, state):
        decision: Decision | None = None
        played = _first_match(Channel.ISSUER, source, asked, state, near)
        if played is None:
            drawn = chaos(Channel.ISSUER, source, request, state, near) if is_charge and not is_over else None
            decision = drawn and Decision(with_decline(drawn[0], request.operation), drawn[1])
        elif played.then.issuer is None:  # the answer has nothing for the issuer, so the card decides
            near.append(NearMiss(str(played.rule.place), f"answer {played.count} does not apply here"))
        else:
            outcome = with_decline(played.then.issuer, request.operation)
            return Decision(outcome, played.because(say(outcome), near))
        if decision is None and card is not None and is_charge:
            decision = scenario_card(source, card, request, near)
        if decision is not None or played is not None:
            return decision
    return None


def _said(
    channel: Channel, say: Callable[[Any], str], request: DecisionRequest, state: DecisionState, near: list[NearMiss]
) -> tuple[Any, Reason, InForce | None] | None:
    """What the queue, a rule or chaos decides in a channel, why, and the scenario that it comes from."""
    taken = take(channel, request, state.memory)
    if taken is not None:
        rule = taken[0].part(channel)
        return rule, _with(taken[1], say(rule)), None
    for source in in_force(request, state):
        played = _first_match(channel, source, request, state, near)
        if played is not None:
            rule = played.then.part(channel)
            if rule is not None:
                return rule, played.because(say(rule), near), source
            near.append(NearMiss(str(played.rule.place), f"answer {played.count} does not apply here"))
            return None
        drawn = chaos(channel, source, request, state, near)
        if drawn is not None:
            return *drawn, source
    return None


def connection(request: DecisionRequest, state: DecisionState, near: list[NearMiss]) -> LineDecision | None:
    """What the queue, a rule or chaos does to a call's connection."""
    said = _said(Channel.LINE, say_line, request, state, near)
    if said is None:
        return None
    rule, because, source = said
    if rule.delay is None:
        return LineDecision(rule, because)
    wait = delay_ms(rule.delay, source, request, state)
    text, inputs = f"{because.text}, {wait} ms", {**because.inputs, "delay ms": wait}
    return LineDecision(rule, structs.replace(because, text=text, inputs=inputs), wait)


def webhook(request: DecisionRequest, state: DecisionState) -> WebhookDecision | None:
    """What the queue, a rule or chaos does to a delivery."""
    said = _said(Channel.WEBHOOK, partial(say_webhook, again=request.again), request, state, [])
    return None if said is None else WebhookDecision(*said[:2])


def _with(because: Reason, says: str) -> Reason:
    return structs.replace(because, text=f"{because.text}: {says}")
