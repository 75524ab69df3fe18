"""What the one-shot queue and the scenarios in force say, channel by channel.

Imported only where one of them has something to say: most workspaces never queue an outcome or turn a scenario on.
"""

from __future__ import annotations

from msgspec import structs

from mock_server.contract.operations import CHARGE
from mock_server.domain.outcomes import Decision, DecisionRequest, NearMiss, Reason
from mock_server.scenario.deciding import queue
from mock_server.scenario.deciding.activation import in_force
from mock_server.scenario.deciding.cards import scenario_card
from mock_server.scenario.deciding.chaos import chaos_issuer, chaos_line, chaos_webhook
from mock_server.scenario.deciding.draws import delay_ms
from mock_server.scenario.deciding.matching import Played, first_match
from mock_server.scenario.model.allowed_outcomes import say, with_decline
from mock_server.scenario.model.answers import LineRule, say_line, say_webhook
from mock_server.scenario.model.scenario import Channel
from mock_server.scenario.model.state import InForce, LineDecision, State, WebhookDecision


def queued_outcome(moment: DecisionRequest, state: State) -> Decision | None:
    """What the one-shot queue makes the issuer say."""
    taken = queue.take(Channel.ISSUER, moment, state.memory)
    if taken is None or taken[0].issuer is None:
        return None
    outcome = with_decline(taken[0].issuer, moment.operation)
    return Decision(outcome, _with(taken[1], say(outcome)))


def scenario_outcome(moment: DecisionRequest, state: State, card: str | None, near: list[NearMiss]) -> Decision | None:
    """The rules of each scenario in force, then its chances, then its cards; the next scenario only after that."""
    for source in in_force(moment, state):
        played = first_match(Channel.ISSUER, source, moment, state, near)
        decision = _spoken(played, moment, near) if played else chaos_issuer(source, moment, state, near)
        if decision is None and card is not None and CHARGE in moment.names:
            decision = scenario_card(source, card, moment, near)
        if decision is not None or played is not None:
            return decision
    return None


def _spoken(played: Played, moment: DecisionRequest, near: list[NearMiss]) -> Decision | None:
    """The decision of a rule; one whose answer leaves the issuer out leaves the call to the card."""
    if played.then.issuer is None:
        near.append(NearMiss(str(played.rule.place), f"answer {played.count} leaves the issuer to itself"))
        return None
    outcome = with_decline(played.then.issuer, moment.operation)
    return Decision(outcome, played.because(say(outcome), near))


def line(moment: DecisionRequest, state: State, near: list[NearMiss]) -> LineDecision | None:
    """What the queue, a rule or chance does to a call."""
    taken = queue.take(Channel.LINE, moment, state.memory)
    if taken is not None and taken[0].line is not None:
        return _line(taken[0].line, _with(taken[1], say_line(taken[0].line)), None, moment, state)
    for source in in_force(moment, state):
        played = first_match(Channel.LINE, source, moment, state, near)
        if played is not None:
            rule = played.then.line
            if rule is not None:
                return _line(rule, played.because(say_line(rule), near), source, moment, state)
            near.append(NearMiss(str(played.rule.place), f"answer {played.count} leaves the line to itself"))
            return None
        drawn = chaos_line(source, moment, state, near)
        if drawn is not None:
            return _line(*drawn, source, moment, state)
    return None


def _line(
    rule: LineRule, because: Reason, source: InForce | None, moment: DecisionRequest, state: State
) -> LineDecision:
    if rule.delay is None:
        return LineDecision(rule, because)
    wait = rule.delay.low if source is None else delay_ms(rule.delay, source, moment, state)
    said = structs.replace(because, text=f"{because.text}, {wait} ms", inputs={**because.inputs, "delay ms": wait})
    return LineDecision(rule, said, wait)


def webhook(moment: DecisionRequest, state: State) -> WebhookDecision | None:
    """What the queue, a rule or chance does to a delivery."""
    near: list[NearMiss] = []
    taken = queue.take(Channel.WEBHOOK, moment, state.memory)
    if taken is not None and taken[0].webhook is not None:
        return WebhookDecision(taken[0].webhook, _with(taken[1], say_webhook(taken[0].webhook)))
    for source in in_force(moment, state):
        played = first_match(Channel.WEBHOOK, source, moment, state, near)
        if played is not None:
            rule = played.then.webhook
            return None if rule is None else WebhookDecision(rule, played.because(say_webhook(rule), near))
        drawn = chaos_webhook(source, moment, state, near)
        if drawn is not None:
            return WebhookDecision(*drawn)
    return None


def _with(because: Reason, says: str) -> Reason:
    return structs.replace(because, text=f"{because.text}: {says}")
