"""Chance that can be repeated: each draw is a function of seed, name, operation, subject and number.

The subject is the idempotency key, else the caller's own id, else nothing; the number counts per operation and
subject. So a call with a key draws the same number in any order of calls. Chaos is one draw per call, which decides
whether something fails, and what; with a chaos ticket the draws are the same again.
"""

from __future__ import annotations

import math
from hashlib import blake2b
from typing import Any
from urllib.parse import urlencode

from mock_server.domain.hiding import cleaned
from mock_server.domain.outcomes import DecisionRequest, NearMiss, Reason
from mock_server.scenario.deciding.activation import NONE
from mock_server.scenario.model.answers import Delay
from mock_server.scenario.model.decision_state import DecisionState, InForce
from mock_server.scenario.model.scenario import Channel, Scenario


def draw(what: str, source: InForce | None, request: DecisionRequest, state: DecisionState) -> float:
    """A number in [0, 1) for one question (`what`) of a scenario, or of the one-shot queue, about a call."""
    name = source.scenario.name if source else NONE
    owner = f"{name}/{source.scenario.stamp}/{source.run}" if source else name
    of = f"{request.operation}|{request.call.subject or ''}"
    is_plain = len(of) <= 80 and cleaned(of) == of
    kept = of if is_plain else blake2b(of.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    number = state.memory.add(f"scenario/{owner}/draw/{what}/{kept}")
    return state.randomness.uniform(f"scenario/{name}/{what}", of, number)


def delay_ms(delay: Delay, source: InForce | None, request: DecisionRequest, state: DecisionState) -> int:
    """The length of a delay for this call, in real milliseconds."""
    if delay.low == delay.high:
        return delay.low
    drawn = draw("delay", source, request, state)
    if not delay.percentiles:
        return delay.low + round(drawn * (delay.high - delay.low))
    from statistics import NormalDist  # late: five milliseconds that most starts never need

    # Response times are usually log-normal: half are under the median, one in a hundred is over p99.
    inverse = NormalDist().inv_cdf
    spread = math.log(delay.high / delay.low) / inverse(0.99)
    return round(delay.low * math.exp(spread * inverse(min(max(drawn, 1e-9), 0.9999))))


def ticket_of(scenario: Scenario, state: DecisionState) -> str | None:
    """A text of everything that the draws depend on; None without a seed, when they cannot be repeated."""
    if state.seed is None:
        return None
    of = {"scenario": scenario.name, "digest": scenario.digest[:12], "seed": state.seed, "name": state.workspace}
    return f"chaos?{urlencode(of)}"


def chaos(
    channel: Channel, source: InForce, request: DecisionRequest, state: DecisionState, near: list[NearMiss]
) -> tuple[Any, Reason] | None:
    """What chance does in a channel, and why; None where it does nothing."""
    scenario = source.scenario
    if scenario.chaos is None or not (chances := getattr(scenario.chaos, channel)):
        return None
    drawn, at = draw(f"chaos/{channel}", source, request, state), str(scenario.chaos.place)
    reached = 0.0
    for what, share, result in chances:
        reached += share
        if drawn < reached:
            ticket = ticket_of(scenario, state)
            again = f"ticket {ticket}" if ticket else "it cannot be repeated without a seed"
            text = f"chaos of scenario {scenario.name} at {at}: {what}, with a probability of {share * 100:g}%; {again}"
            inputs = {"operation": request.operation, "subject": request.call.subject or "", "drawn": round(drawn, 6)}
            inputs |= {"ticket": ticket} if ticket else {}
            return result, Reason("chaos", text, at, inputs, tuple(near))
    near.append(NearMiss(at, f"chaos drew {drawn:.6f}, not under {reached:g}"))
    return None
