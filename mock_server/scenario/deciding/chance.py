"""Chance that can be played again: each draw is a function of seed, name, operation, subject and number.

The subject is the idempotency key, else the caller's own id, else nothing; the number counts per operation and
subject. So a call that carries a key draws the same in any order of calls (decisions "Determinism"). Chaos is one draw
a call, which decides whether something goes wrong, and what; a ticket plays the same draws again.
"""

from __future__ import annotations

import math
from hashlib import blake2b
from typing import TypeVar
from urllib.parse import parse_qsl, urlencode

from msgspec import Struct

from mock_server.domain.hiding import cleaned
from mock_server.domain.outcomes import Decision, DecisionRequest, NearMiss, Reason
from mock_server.scenario.model.answers import Delay, DelayKind, LineRule, WebhookRule, with_decline
from mock_server.scenario.model.decision_state import DecisionState, InForce
from mock_server.scenario.model.scenario import Chaos, Scenario


def draw(what: str, source: InForce, moment: DecisionRequest, state: DecisionState) -> float:
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


T = TypeVar("T")


class Ticket(Struct, frozen=True):
    """All that chance was made of: with it the same requests meet the same fate again."""

    seed: str
    name: str
    scenario: str
    digest: str

    def __str__(self) -> str:
        fields = {"scenario": self.scenario, "digest": self.digest[:12], "seed": self.seed, "name": self.name}
        return f"chaos?{urlencode(fields)}"

    @classmethod
    def parse(cls, text: str) -> Ticket:
        """The ticket of a text. ValueError says what is wrong with it."""
        head, _, rest = text.strip().partition("?")
        found = dict(parse_qsl(rest, keep_blank_values=True))
        if head != "chaos" or set(found) != {"scenario", "digest", "seed", "name"}:
            raise ValueError("is no ticket; one begins with chaos?scenario=")
        return cls(found["seed"], found["name"], found["scenario"], found["digest"])

    def fits(self, scenario: Scenario) -> bool:
        """Whether the scenario's text is still the one that the ticket was drawn from."""
        return scenario.name == self.scenario and scenario.digest.startswith(self.digest)


def ticket_of(scenario: Scenario, state: DecisionState) -> Ticket | None:
    """The ticket of a workspace; None without a seed, when nothing can be played again."""
    return None if state.seed is None else Ticket(state.seed, state.workspace, scenario.name, scenario.digest[:12])


def chaos_line(
    source: InForce, moment: DecisionRequest, state: DecisionState, near: list[NearMiss]
) -> tuple[LineRule, Reason] | None:
    """What chance does to a call on the line."""
    chaos = source.scenario.chaos
    return None if chaos is None or not chaos.line else _drawn("line", chaos.line, source, moment, state, near)


def chaos_webhook(
    source: InForce, moment: DecisionRequest, state: DecisionState, near: list[NearMiss]
) -> tuple[WebhookRule, Reason] | None:
    """What chance does to a delivery."""
    chaos = source.scenario.chaos
    return None if chaos is None or not chaos.webhook else _drawn("webhook", chaos.webhook, source, moment, state, near)


def chaos_issuer(
    source: InForce, moment: DecisionRequest, state: DecisionState, near: list[NearMiss]
) -> Decision | None:
    """What chance makes the issuer say to a charge."""
    chaos = source.scenario.chaos
    if chaos is None or not chaos.issuer or "charge" not in moment.names:
        return None
    drawn = _drawn("issuer", chaos.issuer, source, moment, state, near)
    if drawn is None:
        return None
    outcome = with_decline(drawn[0], moment.operation)
    return Decision(outcome, drawn[1])


def _drawn(
    channel: str,
    chances: tuple[tuple[str, float, T], ...],
    source: InForce,
    moment: DecisionRequest,
    state: DecisionState,
    near: list[NearMiss],
) -> tuple[T, Reason] | None:
    drawn = draw(f"chaos/{channel}", source, moment, state)
    place = _place(source.scenario.chaos)
    reached = 0.0
    for what, share, result in chances:
        reached += share
        if drawn < reached:
            return result, _because(what, share, drawn, place, source, state, moment, near)
    near.append(NearMiss(place, f"chaos drew {drawn:.6f}, not under {reached:g}"))
    return None


def _place(chaos: Chaos | None) -> str:
    return "" if chaos is None else str(chaos.place)


def _because(
    what: str,
    share: float,
    drawn: float,
    place: str,
    source: InForce,
    state: DecisionState,
    moment: DecisionRequest,
    near: list[NearMiss],
) -> Reason:
    ticket = ticket_of(source.scenario, state)
    inputs: dict[str, object] = {"operation": moment.operation, "subject": moment.subject or ""}
    inputs["drawn"] = round(drawn, 6)
    again = "without a seed it cannot be played again" if ticket is None else f"ticket {ticket}"
    if ticket is not None:
        inputs["ticket"] = str(ticket)
    text = f"chaos of scenario {source.scenario.name} at {place}: {what}, a chance of {share * 100:g}%; {again}"
    return Reason("chaos", text, place, inputs, tuple(near))
