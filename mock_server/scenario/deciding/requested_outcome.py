"""The outcomes that `X-Sandbox-Outcome` and `metadata.sandbox_outcome` can request.

succeeded
failed                     failed:insufficient_funds
requires_action            requires_action:approved   requires_action:approved:insufficient_funds
pending                    pending:succeeded:30s      pending:failed   pending:failed:insufficient_funds:30s
requires_merchant_action   won | lost | cancelled | expired (disputes)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from mock_server.domain import declines
from mock_server.domain.outcomes import Challenge, Outcome, OutcomeStatus, Settles
from mock_server.scenario.model.answers import allowed_on
from mock_server.scenario.model.mistakes import nearest
from mock_server.settings.durations import spelled_out_ms

WORDS: Final = tuple(word for word in OutcomeStatus if word is not OutcomeStatus.PARTIALLY_AUTHORIZED)
MOST_PARTS: Final = 3


class RequestedOutcomeWrong(ValueError):
    """An outcome that cannot be read or is impossible for this call; the text names what is allowed."""


@lru_cache(maxsize=1024)
def parse_requested_outcome(text: str) -> Outcome:
    """The outcome that a text requests. RequestedOutcomeWrong names what is allowed."""
    first, *rest = text.strip().split(":")
    if first not in WORDS:
        names = [word.value for word in WORDS]
        raise RequestedOutcomeWrong(f"{first!r} is not an outcome; allowed: {', '.join(names)}{nearest(first, names)}")
    if len(rest) > MOST_PARTS:
        raise RequestedOutcomeWrong(f"{text!r} has too many parts")
    word = OutcomeStatus(first)
    if rest and word not in _READERS:
        raise RequestedOutcomeWrong(f"{word} cannot be followed by {':'.join(rest)!r}")
    return _READERS[word](word, rest) if rest else Outcome(word)


def requested_outcome_on(text: str, name: str) -> Outcome:
    """The outcome requested of a call with this name (`charge` …). RequestedOutcomeWrong if it is impossible there."""
    outcome = parse_requested_outcome(text)
    row = allowed_on(name)
    if row is None:
        raise RequestedOutcomeWrong(f"{name} does not involve the issuer, so its outcome cannot be chosen")
    if outcome.word.value not in row.words:
        raise RequestedOutcomeWrong(f"{outcome.word} is not an outcome of {name}; allowed: {', '.join(row.words)}")
    return outcome


def _failed(word: OutcomeStatus, rest: list[str]) -> Outcome:
    if len(rest) > 1:
        raise RequestedOutcomeWrong(f"failed can be followed by one decline, not by {':'.join(rest)!r}")
    return Outcome(word, decline=_decline(rest[0]))


def _decline(name: str) -> str:
    if declines.find(name) is None:
        hint = nearest(name, declines.names())
        raise RequestedOutcomeWrong(f"{name!r} is not a decline{hint}; GET /_sandbox/errors lists them")
    return name


def _requires_action(word: OutcomeStatus, rest: list[str]) -> Outcome:
    result, *after = rest
    try:
        challenge = Challenge(result)
    except ValueError:
        names = [challenge.value for challenge in Challenge]
        allowed = f"{', '.join(names)}{nearest(result, names)}"
        raise RequestedOutcomeWrong(f"{result!r} is not a result of a challenge; allowed: {allowed}") from None
    if not after:
        return Outcome(word, challenge=challenge)
    if challenge is not Challenge.APPROVED:
        what = "only requires_action:approved can be followed by a decline"
        raise RequestedOutcomeWrong(f"{what}, not {challenge}")
    is_approved = after == [OutcomeStatus.SUCCEEDED.value]
    then = Outcome(OutcomeStatus.SUCCEEDED) if is_approved else _failed(OutcomeStatus.FAILED, after)
    return Outcome(word, challenge=challenge, then=then)


def _pending(word: OutcomeStatus, rest: list[str]) -> Outcome:
    as_, *more = rest
    if as_ not in (OutcomeStatus.SUCCEEDED.value, OutcomeStatus.FAILED.value):
        raise RequestedOutcomeWrong(f"pending can become succeeded or failed, not {as_!r}")
    after = _duration(more.pop()) if more and more[-1][:1].isdigit() else None
    decline = _decline(more.pop()) if more and as_ == OutcomeStatus.FAILED.value else None
    if more:
        raise RequestedOutcomeWrong(f"{':'.join(more)!r} is not a duration such as 30s")
    return Outcome(word, settles=Settles(OutcomeStatus(as_), after_ms=after, decline=decline))


def _duration(text: str) -> int:
    try:
        return spelled_out_ms(text)
    except ValueError as wrong:
        raise RequestedOutcomeWrong(f"{text!r} {wrong}") from None


_READERS: Final[dict[OutcomeStatus, Callable[[OutcomeStatus, list[str]], Outcome]]] = {
    OutcomeStatus.FAILED: _failed,
    OutcomeStatus.REQUIRES_ACTION: _requires_action,
    OutcomeStatus.PENDING: _pending,
}
