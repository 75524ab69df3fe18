"""Sets of outcomes of a payment to run a test with (`@pytest.mark.payment_outcomes`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from mock_server.guesses import hint

SCENARIO: Final = "payment_outcome"
NO_CHARGE: Final = ("refund_", "authorization_")
"""The prefixes of declines that no charge has."""


@dataclass(frozen=True, slots=True)
class PaymentOutcome:
    """One outcome: `then` as in the scenario language, and `times` for how many calls."""

    name: str
    then: Mapping[str, Any]
    on: str = "charge"
    times: int | None = None

    @property
    def decline(self) -> str | None:
        """The decline's name, if the outcome is one."""
        return self.then.get("decline")

    def as_scenario(self) -> dict[str, Any]:
        """The scenario that causes it."""
        rule: dict[str, Any] = {"on": self.on, "then": dict(self.then)}
        if self.times is not None:
            rule["times"] = self.times
        return {"version": 1, "name": SCENARIO, "summary": f"outcome {self.name}", "rules": [rule]}


SETS: Final = ("declines", "asynchronous", "challenges", "faults")


@cache
def _sets() -> dict[str, list[PaymentOutcome]]:
    from mock_server.domain.declines import DECLINES, Origin
    from mock_server.domain.faults import LineFault
    from mock_server.domain.outcomes import Challenge

    names = [row.name for row in DECLINES if row.origin is Origin.ISSUER and not row.name.startswith(NO_CHARGE)]
    declines = [PaymentOutcome(name, {"decline": name}) for name in names]
    asynchronous = [PaymentOutcome(f"pending_{word}", _read(f"pending:{word}")) for word in ("succeeded", "failed")]
    asynchronous.append(PaymentOutcome("pending_for_ever", {"outcome": "pending"}))
    challenges = [PaymentOutcome(f"challenge_{word}", {"challenge": str(word)}) for word in Challenge]
    faults = [
        PaymentOutcome(f"{fault}_{word}", {"fault": str(fault), "effect": effect}, "payments.create", 1)
        for effect, word in (("none", "not_done"), ("kept", "kept"))
        for fault in LineFault
        if word == "kept" or fault is not LineFault.SLOW_BODY  # whose call is performed
    ]
    faults.append(PaymentOutcome("server_error", {"error": "HE_00"}, "payments.create", 1))
    return dict(zip(SETS, (declines, asynchronous, challenges, faults), strict=True))


def outcomes(
    given: Iterable[str | Mapping[str, Any]], *, on: str | None = None, times: int | None = None
) -> list[PaymentOutcome]:
    """The outcomes of sets, of words as in the header, and of mappings as in scenarios.

    `on` and `times` replace those of each outcome. Raises ValueError for an unknown word.
    """
    if not (found := [outcome for one in given for outcome in _of(one)]):
        raise ValueError(f"give outcomes or sets of outcomes: {', '.join(SETS)}")
    return [replace(one, on=one.on if on is None else on, times=one.times if times is None else times) for one in found]


def _of(given: str | Mapping[str, Any]) -> Iterable[PaymentOutcome]:
    if isinstance(given, Mapping):
        words = (
            (name, "-".join(map(str, value.values())) if isinstance(value, Mapping) else str(value))
            for name, value in given.items()
        )
        return [PaymentOutcome("-".join(f"{name}_{word}" for name, word in words), given)]
    if not isinstance(given, str):
        raise ValueError(f"an outcome is a word or a mapping, each an argument of its own, not {given!r}")
    if given in SETS:
        return _sets()[given]
    known = [one for members in _sets().values() for one in members if one.name == given]
    return known or [PaymentOutcome(given.replace(":", "_"), _read(given))]


def _read(text: str) -> dict[str, Any]:
    """A word of the header `X-Sandbox-Outcome`, or a decline's name, as `then` of a scenario."""
    from mock_server.domain import declines
    from mock_server.scenario.deciding.decide import WORDS, RequestedOutcomeWrong, parse_requested_outcome
    from mock_server.scenario.model.answers import outcome_as_then

    meant = f"failed:{text}" if declines.find(text) else re.sub("^challenge:", "requires_action:", text)
    try:
        return outcome_as_then(parse_requested_outcome(meant))
    except RequestedOutcomeWrong:
        known = [*SETS, *declines.names(), *(one.name for made in _sets().values() for one in made), *WORDS]
        raise ValueError(f"{text!r} is neither an outcome nor a set of outcomes{hint(text, known)}") from None
