"""Chance that can be played again: each draw is a function of seed, name, operation, subject and number.

The subject is the idempotency key, else the caller's own id, else nothing; the number counts per operation and
subject. So a call that carries a key draws the same in any order of calls (decisions "Determinism"). Chaos is one draw
a call, which decides whether something goes wrong, and what; a ticket plays the same draws again.
"""

from __future__ import annotations

import math
from hashlib import blake2b
from typing import Any
from urllib.parse import urlencode

from mock_server.domain.hiding import cleaned
from mock_server.domain.outcomes import DecisionRequest, NearMiss, Reason
from mock_server.scenario.model.answers import Delay, DelayKind
from mock_server.scenario.model.decision_state import DecisionState, InForce
from mock_server.scenario.model.scenario import Channel, Scenario


def draw(what: str, source: InForce, moment: DecisionRequest, state: DecisionState) -> float:
    """A number in [0, 1) for one question (`what`) of a scenario about a call."""
    scenario = source.scenario
    subject = moment.subject or ""
    of = f"{moment.operation}|{subject}"
    is_plain = len(of) <= 80 and cleaned(of) == of
    kept = of if is_plain else blake2b(of.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    number = state.memory.add(f"scenario/{scenario.name}/{scenario.stamp}/{source.run}/draw/{what}/{kept}")
    return state.randomness.uniform(f"scenario/{scenario.name}/{what}", of, number)


def delay_ms(delay: Delay, source: InForce, moment: DecisionRequest, state: DecisionState) -> int:
    """How long a delay is this time, in real milliseconds."""
    if delay.kind is DelayKind.FIXED:
        return delay.low
    drawn = draw("delay", source, moment, state)
    if delay.kind is DelayKind.BETWEEN:
        return delay.low + round(drawn * (delay.high - delay.low))
    return _lognormal(delay.low, delay.high, drawn)


def _lognormal(median: int, p99: int, drawn: float) -> int:
    """The usual shape of response times: half lie under the median, one in a hundred over p99."""
    from statistics import NormalDist  # late: five milliseconds that most starts never need

    inverse = NormalDist().inv_cdf
    spread = math.log(p99 / median) / inverse(0.99)
    return round(median * math.exp(spread * inverse(min(max(drawn, 1e-9), 0.9999))))


def ticket_of(scenario: Scenario, state: DecisionState) -> str | None:
    """All that chance was made of, as a text: with it the same requests meet the same fate again.

    None without a seed, when nothing can be played again.
    """
    if state.seed is None:
        return None
    digest, name = scenario.digest[:12], state.workspace
    fields = {"scenario": scenario.name, "digest": digest, "seed": state.seed, "name": name}
    return f"chaos?{urlencode(fields)}"


def chaos(
    channel: Channel, source: InForce, moment: DecisionRequest, state: DecisionState, near: list[NearMiss]
) -> tuple[Any, Reason] | None:
    """What chance does in a channel, and why; None where it does nothing."""
    scenario = source.scenario
    chances = scenario.chaos.chances(channel) if scenario.chaos else ()
    if scenario.chaos is None or not chances:
        return None
    drawn, place = draw(f"chaos/{channel}", source, moment, state), str(scenario.chaos.place)
    reached = 0.0
    for what, share, result in chances:
        reached += share
        if drawn < reached:
            ticket = ticket_of(scenario, state)
            again = f"ticket {ticket}" if ticket else "it cannot be repeated without a seed"
            text = (
                f"chaos of scenario {scenario.name} at {place}: {what}, with a probability of {share * 100:g}%; {again}"
            )
            inputs = {"operation": moment.operation, "subject": moment.subject or "", "drawn": round(drawn, 6)}
            inputs |= {"ticket": ticket} if ticket else {}
            return result, Reason("chaos", text, place, inputs, tuple(near))
    near.append(NearMiss(place, f"chaos drew {drawn:.6f}, not under {reached:g}"))
    return None
