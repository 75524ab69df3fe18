"""Chance that can be played again: each draw is a function of seed, name, operation, subject and number.

The subject is the idempotency key, else the caller's own id, else nothing; the number counts per operation and
subject. So a call that carries a key draws the same in any order of calls (decisions "Determinism").
"""

from __future__ import annotations

import math
from hashlib import blake2b

from mock_server.domain.hiding import cleaned
from mock_server.domain.outcomes import DecisionRequest
from mock_server.scenario.model.answers import Delay, DelayKind
from mock_server.scenario.model.state import InForce, State


def draw(what: str, source: InForce, moment: DecisionRequest, state: State) -> float:
    """A number in [0, 1) for one question (`what`) of a scenario about a call."""
    scenario = source.scenario
    subject = moment.subject or ""
    of = f"{moment.operation}|{subject}"
    kept = (
        of
        if len(of) <= 80 and cleaned(of) == of
        else blake2b(of.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    )
    number = state.memory.add(f"scenario/{scenario.name}/{scenario.stamp}/{source.run}/draw/{what}/{kept}")
    return state.randomness.uniform(f"scenario/{scenario.name}/{what}", of, number)


def delay_ms(delay: Delay, source: InForce, moment: DecisionRequest, state: State) -> int:
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
