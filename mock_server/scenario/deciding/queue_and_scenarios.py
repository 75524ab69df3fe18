"""The one-shot queue of a workspace "the next charge fails with …", and the scenarios in force, channel by channel.

An entry is kept as plain JSON in one fact of the workspace; it was checked when it came in, by `loading/load.py`.
Imported only where one of them has something to say: most workspaces never queue an outcome or turn a scenario on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from msgspec import Struct, structs

from mock_server.contract.operations import CHARGE
from mock_server.domain.outcomes import Decision, DecisionRequest, NearMiss, Reason
from mock_server.scenario.conditions.on import on_of
from mock_server.scenario.deciding.activation import QUEUE, in_force
from mock_server.scenario.deciding.cards import scenario_card
from mock_server.scenario.deciding.chance import chaos, delay_ms
from mock_server.scenario.deciding.matching_and_near_misses import MatchedRule, first_match
from mock_server.scenario.model.answers import LineRule, say, say_line, say_webhook, with_decline
from mock_server.scenario.model.decision_state import DecisionState, InForce, LineDecision, Memory, WebhookDecision
from mock_server.scenario.model.scenario import Channel, Then

NUMBERS: Final = "scenarios.next.number"


class Queued(Struct, frozen=True):
    """One entry: on which calls, what is answered (as the rule's `then`, plain), and how many times still."""

    number: int
    on: tuple[str, ...]
    then: str
    left: int

    def check(self) -> None:
        """Raises ScenarioErrors where what it answers is no outcome."""
        on_of(self.on)
        _then(self.then)

    def listens(self, names: tuple[str, ...]) -> bool:
        """Whether a call of these names takes the entry."""
        on = on_of(self.on)
        return any(on.covers(name) for name in names)


def queued(memory: Memory) -> tuple[Queued, ...]:
    """What is queued, first in first out."""
    kept = memory.fact(QUEUE)
    return tuple(Queued(**{**row, "on": tuple(row["on"])}) for row in kept or ())


def enqueue(memory: Memory, on: tuple[str, ...], then: str, times: int = 1) -> Queued:
    """Puts an entry at the end; `then` is the JSON text of an outcome that was found sound."""
    made = Queued(memory.add(NUMBERS), on, then, times)
    _keep(memory, (*queued(memory), made))
    return made


def clear(memory: Memory) -> int:
    """Empties the queue and gives how many entries went."""
    gone = len(queued(memory))
    memory.set_fact(QUEUE, None)
    return gone


def take(channel: Channel, moment: DecisionRequest, memory: Memory) -> tuple[Then, Reason] | None:
    """Takes the first entry that listens to the call and has a word in the channel."""
    rows = queued(memory)
    for at, row in enumerate(rows):
        then = _then(row.then)
        if row.listens(moment.names) and then.part(channel) is not None:
            used = structs.replace(row, left=row.left - 1)
            _keep(memory, (*rows[:at], *([used] if used.left else []), *rows[at + 1 :]))
            return then, _because(row, moment)
    return None


def _because(row: Queued, moment: DecisionRequest) -> Reason:
    on = ", ".join(row.on)
    text = f"one-shot queue, entry {row.number} (on {on}, {row.left} left before this call)"
    inputs: dict[str, object] = {"operation": moment.operation, "queue entry": row.number}
    return Reason("queue", text, f"queue entry {row.number}", inputs)


@lru_cache(maxsize=256)
def _then(text: str) -> Then:
    from mock_server.scenario.loading.load import load_then  # late: only a queue that holds something reads it

    return load_then(text)


def _keep(memory: Memory, rows: tuple[Queued, ...]) -> None:
    kept = [{**structs.asdict(row), "on": list(row.on)} for row in rows]
    memory.set_fact(QUEUE, kept or None)


def queued_outcome(moment: DecisionRequest, state: DecisionState) -> Decision | None:
    """What the one-shot queue makes the issuer say."""
    taken = take(Channel.ISSUER, moment, state.memory)
    if taken is None or taken[0].issuer is None:
        return None
    outcome = with_decline(taken[0].issuer, moment.operation)
    return Decision(outcome, _with(taken[1], say(outcome)))


def scenario_outcome(
    moment: DecisionRequest, state: DecisionState, card: str | None, near: list[NearMiss]
) -> Decision | None:
    """The rules of each scenario in force, then its chances, then its cards; the next scenario only after that."""
    for source in in_force(moment, state):
        played = first_match(Channel.ISSUER, source, moment, state, near)
        decision = _of_rule(played, moment, near) if played else _by_chance(source, moment, state, near)
        if decision is None and card is not None and CHARGE in moment.names:
            decision = scenario_card(source, card, moment, near)
        if decision is not None or played is not None:
            return decision
    return None


def _of_rule(played: MatchedRule, moment: DecisionRequest, near: list[NearMiss]) -> Decision | None:
    """The decision of a rule; one whose answer leaves the issuer out leaves the call to the card."""
    if played.then.issuer is None:
        near.append(NearMiss(str(played.rule.place), f"answer {played.count} does not apply here"))
        return None
    outcome = with_decline(played.then.issuer, moment.operation)
    return Decision(outcome, played.because(say(outcome), near))


def _by_chance(source: InForce, moment: DecisionRequest, state: DecisionState, near: list[NearMiss]) -> Decision | None:
    drawn = chaos(Channel.ISSUER, source, moment, state, near) if CHARGE in moment.names else None
    return None if drawn is None else Decision(with_decline(drawn[0], moment.operation), drawn[1])


def _said(
    channel: Channel,
    say: Callable[[Any], str],
    moment: DecisionRequest,
    state: DecisionState,
    near: list[NearMiss],
) -> tuple[Any, Reason, InForce | None] | None:
    """What the queue, a rule or chance says in a channel, why, and the scenario that it comes from."""
    taken = take(channel, moment, state.memory)
    if taken is not None:
        rule = taken[0].part(channel)
        return rule, _with(taken[1], say(rule)), None
    for source in in_force(moment, state):
        played = first_match(channel, source, moment, state, near)
        if played is not None:
            rule = played.then.part(channel)
            if rule is not None:
                return rule, played.because(say(rule), near), source
            near.append(NearMiss(str(played.rule.place), f"answer {played.count} does not apply here"))
            return None
        drawn = chaos(channel, source, moment, state, near)
        if drawn is not None:
            return *drawn, source
    return None


def line(moment: DecisionRequest, state: DecisionState, near: list[NearMiss]) -> LineDecision | None:
    """What the queue, a rule or chance does to a call."""
    said = _said(Channel.LINE, say_line, moment, state, near)
    return None if said is None else _line(*said, moment, state)


def _line(
    rule: LineRule, because: Reason, source: InForce | None, moment: DecisionRequest, state: DecisionState
) -> LineDecision:
    if rule.delay is None:
        return LineDecision(rule, because)
    wait = rule.delay.low if source is None else delay_ms(rule.delay, source, moment, state)
    said = structs.replace(because, text=f"{because.text}, {wait} ms", inputs={**because.inputs, "delay ms": wait})
    return LineDecision(rule, said, wait)


def webhook(moment: DecisionRequest, state: DecisionState) -> WebhookDecision | None:
    """What the queue, a rule or chance does to a delivery."""
    said = _said(Channel.WEBHOOK, say_webhook, moment, state, [])
    return None if said is None else WebhookDecision(*said[:2])


def _with(because: Reason, says: str) -> Reason:
    return structs.replace(because, text=f"{because.text}: {says}")
