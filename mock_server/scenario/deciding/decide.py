"""Who decides: the first that has an answer, which its reason names.

The order: the call's own header or metadata → the one-shot queue → the scenarios that apply, each with its rules and
then its cards → what the charge said about later operations → the card → the method's default. A call's own header
`X-Sandbox-Outcome` and `metadata.sandbox_outcome` can request (also with the public words of the two statuses):

succeeded
failed                     failed:insufficient_funds
requires_action            requires_action:approved   requires_action:approved:insufficient_funds
pending                    pending:succeeded:30s      pending:failed   pending:failed:insufficient_funds:30s
requires_merchant_action   won | lost | cancelled | expired (disputes)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from msgspec import structs

from mock_server.contract.operations import CHARGE
from mock_server.domain import declines, issuer, methods
from mock_server.domain.outcomes import (
    APPROVED,
    Challenge,
    Decision,
    DecisionRequest,
    NearMiss,
    Outcome,
    OutcomeStatus,
    Reason,
    Settles,
)
from mock_server.domain.statuses import ALIASES
from mock_server.scenario.conditions.paths import card_of
from mock_server.scenario.deciding.activation import QUEUE, is_quiet
from mock_server.scenario.deciding.cards import asking_of, table_card
from mock_server.scenario.model.answers import allowed_on, say, with_decline
from mock_server.scenario.model.decision_state import DecisionState
from mock_server.scenario.model.mistakes import nearest
from mock_server.settings.durations import spelled_out_ms


def decide_issuer(request: DecisionRequest, state: DecisionState) -> Decision:
    """What the issuer answers, and why, with near misses. Raises RequestedOutcomeWrong for an impossible request."""
    near: list[NearMiss] = []
    decision: Decision | None = None
    if request.wanted is not None:
        outcome = with_decline(requested_outcome_on(request.wanted, request.names[0]), request.operation)
        by = request.wanted_by
        decision = Decision(outcome, Reason(by, f"{by}: {request.wanted}", None, {by: request.wanted}))
    if decision is None and state.memory.fact(QUEUE):
        from mock_server.scenario.deciding.queue_and_scenarios import queued_outcome

        decision = queued_outcome(request, state)
    if decision is None and not is_quiet(request, state):
        from mock_server.scenario.deciding.queue_and_scenarios import scenario_outcome

        decision = scenario_outcome(request, state, getattr(card_of(request), "name", None), near)
    if decision is None:
        decision = unchosen(request, state.unknown_cards)
    if not near or decision.because.near_misses:
        return decision
    return Decision(decision.outcome, structs.replace(decision.because, near_misses=tuple(near)))


def unchosen(request: DecisionRequest, unknown_cards: str) -> Decision:
    """What the issuer answers if the call requests nothing, the queue is empty and no scenario applies."""
    if CHARGE in request.names:
        name = getattr(card_of(request), "name", None)
        return method_default(request) if name is None else table_card(name, asking_of(request), unknown_cards)
    payment: Any = request.records.get("payment")
    outcome: Outcome | None = (getattr(payment, "later", None) or {}).get(request.operation)
    if outcome is None:
        return nothing_speaks(request.operation)
    outcome = with_decline(outcome, request.operation)
    text = f"the charge of {payment.payment_id} already determined the outcome of {request.operation}: {say(outcome)}"
    return Decision(outcome, Reason("charge", text, None, {"payment.payment_id": payment.payment_id}))


def method_default(request: DecisionRequest) -> Decision:
    """The decision on a charge without a card."""
    payment: Any = request.records.get("payment")
    category, type_ = getattr(payment, "payment_method", None), getattr(payment, "payment_method_type", None)
    method = getattr(payment, "method", None)
    if getattr(request.records.get("asking"), "saved", False) and category != "bank_debit":
        return _saved(category or "method")
    if category is None or type_ is None:
        return nothing_speaks(request.names[0])
    return _default(category, type_, getattr(method, "name", None), getattr(method, "hint", None))


@lru_cache(maxsize=1024)
def _default(category: str, type_: str, payload: str | None, hint: str | None) -> Decision:
    inputs: dict[str, object] = {"payment.payment_method": category, "payment.payment_method_type": type_}
    row = methods.find((category, type_))
    if row is None:
        return Decision(APPROVED, Reason("method", f"{category} {type_}: succeeded", None, inputs))
    outcome = issuer.method_answer(row, payload, hint)
    is_upi = hint is not None and category == "upi"
    if hint is not None:
        inputs["vpa_id" if is_upi else "account"] = hint
    if payload and payload != type_:
        inputs["payment_method_data"] = payload
    said = f"default of {category} {type_}" if not is_upi else f"UPI address {hint}"
    return Decision(outcome, Reason("method", f"{said}: {say(outcome)}", f"{category}/{type_}", inputs))


@lru_cache(maxsize=64)
def _saved(category: str) -> Decision:
    return Decision(APPROVED, Reason("method", f"saved {category}, charged again: succeeded"))


@lru_cache(maxsize=64)
def nothing_speaks(name: str) -> Decision:
    """The decision where nobody else decides."""
    return Decision(APPROVED, Reason("default", f"no rule matched {name}: succeeded"))


WORDS: Final = tuple(word for word in OutcomeStatus if word is not OutcomeStatus.PARTIALLY_AUTHORIZED)
SETTLES_AFTER: Final = "30s"
"""When a pending payment settles, if a text says only how (ours)."""


class RequestedOutcomeWrong(ValueError):
    """An outcome that cannot be read or is impossible for this call; the text names what is allowed."""


@lru_cache(maxsize=1024)
def parse_requested_outcome(text: str) -> Outcome:
    """The outcome that a text requests. RequestedOutcomeWrong names what is allowed."""
    first, *rest = text.strip().split(":")
    first = str(ALIASES.get(first, first))
    if first not in WORDS:
        known = (*WORDS, *(f"failed:{row.name}" for row in declines.DECLINES))
        raise RequestedOutcomeWrong(f"{first!r} is not an outcome; allowed: {', '.join(WORDS)}{nearest(first, known)}")
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
        allowed = f"{', '.join(Challenge)}{nearest(result, Challenge)}"
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
    after = _duration(more.pop() if more and more[-1][:1].isdigit() else SETTLES_AFTER)
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
