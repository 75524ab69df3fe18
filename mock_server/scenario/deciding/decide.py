"""The deciders: the first that has a word on a moment decides, and its reason says which and why.

Order (decisions "Ways to choose an outcome"): the call's own header or metadata → the one-shot queue → the scenarios
in force, each with its rules and then its cards → what the charge foretold → the card → the method's default.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from msgspec import structs

from mock_server.contract.operations import CHARGE
from mock_server.domain import issuer, methods
from mock_server.domain.outcomes import APPROVED, Decision, DecisionRequest, NearMiss, Outcome, Reason
from mock_server.scenario.deciding.activation import QUEUE, is_quiet
from mock_server.scenario.deciding.cards import table_card
from mock_server.scenario.deciding.requested_outcome import requested_outcome_on
from mock_server.scenario.model.answers import say, with_decline
from mock_server.scenario.model.decision_state import DecisionState, LineDecision, WebhookDecision

Decider = Callable[[DecisionRequest, DecisionState, list[NearMiss]], Decision | None]


def requested_outcome(moment: DecisionRequest, state: DecisionState, near: list[NearMiss]) -> Decision | None:
    """What the call itself asked for. Raises RequestedOutcomeWrong for what cannot be had."""
    wanted = moment.wanted
    if wanted is None:
        return None
    outcome = with_decline(requested_outcome_on(wanted, moment.names[0]), moment.operation)
    by = moment.wanted_by
    return Decision(outcome, Reason(by, f"{by}: {wanted}", None, {by: wanted}))


def next_in_queue(moment: DecisionRequest, state: DecisionState, near: list[NearMiss]) -> Decision | None:
    """What the one-shot queue holds for such a call."""
    if not state.memory.fact(QUEUE):
        return None
    from mock_server.scenario.deciding.queue_and_scenarios import queued_outcome

    return queued_outcome(moment, state)


def scenarios_in_force(moment: DecisionRequest, state: DecisionState, near: list[NearMiss]) -> Decision | None:
    """What the scenarios in force say: their rules, their chances, their cards."""
    if is_quiet(moment, state):
        return None
    from mock_server.scenario.deciding.queue_and_scenarios import scenario_outcome

    return scenario_outcome(moment, state, _card_name(moment), near)


def foretold(moment: DecisionRequest, state: DecisionState, near: list[NearMiss]) -> Decision | None:
    """What the charge of the payment said about its later operations."""
    return None if CHARGE in moment.names else _foretold(moment)


def _foretold(moment: DecisionRequest) -> Decision | None:
    payment: Any = moment.records.get("payment")
    outcome: Outcome | None = (getattr(payment, "later", None) or {}).get(moment.operation)
    if outcome is None:
        return None
    outcome = with_decline(outcome, moment.operation)
    text = f"the charge of {payment.payment_id} already determined the outcome of {moment.operation}: {say(outcome)}"
    return Decision(outcome, Reason("charge", text, None, {"payment.payment_id": payment.payment_id}))


def card(moment: DecisionRequest, state: DecisionState, near: list[NearMiss]) -> Decision | None:
    """What the built-in table, or the setting for numbers outside it, says of the card."""
    name = _card_name(moment)
    return None if name is None or CHARGE not in moment.names else table_card(name, moment, state.unknown_cards)


def default(moment: DecisionRequest, state: DecisionState, near: list[NearMiss]) -> Decision | None:
    """What the method comes to by itself."""
    return method_default(moment) if CHARGE in moment.names else nothing_speaks(moment.operation)


CHOSEN: Final[tuple[Decider, ...]] = (requested_outcome, next_in_queue, scenarios_in_force, foretold)
"""Those that speak only where somebody chose the outcome."""
DECIDERS: Final[tuple[Decider, ...]] = (*CHOSEN, card, default)


def decide_issuer(moment: DecisionRequest, state: DecisionState) -> Decision:
    """What the issuer says now, and why; rules that were looked at and did not match are kept as near misses.

    Raises RequestedOutcomeWrong where the call asks for what cannot be had.
    """
    found = _first_of(DECIDERS, moment, state)
    assert found is not None, "the default always applies"
    return found


def unchosen(moment: DecisionRequest, unknown_cards: str) -> Decision:
    """What the issuer says where the call asks for nothing, the queue is empty and no scenario is in force."""
    if CHARGE not in moment.names:
        return _foretold(moment) or nothing_speaks(moment.operation)
    name = _card_name(moment)
    return method_default(moment) if name is None else table_card(name, moment, unknown_cards)


def decided(moment: DecisionRequest, state: DecisionState) -> Decision | None:
    """As `decide_issuer`, or None where nobody chose an outcome: for refunds and disputes with laws of their own."""
    return _first_of(CHOSEN, moment, state)


def _first_of(deciders: tuple[Decider, ...], moment: DecisionRequest, state: DecisionState) -> Decision | None:
    near: list[NearMiss] = []
    for decider in deciders:
        decision = decider(moment, state, near)
        if decision is not None:
            if not near or decision.because.near_misses:
                return decision
            return Decision(decision.outcome, structs.replace(decision.because, near_misses=tuple(near)))
    return None


def _card_name(moment: DecisionRequest) -> str | None:
    kept: Any = moment.records.get("card")
    if kept is None:
        kept = getattr(moment.records.get("payment"), "card", None)
    name: str | None = getattr(kept, "name", None)
    return name


def decide_line(moment: DecisionRequest, state: DecisionState, near: list[NearMiss]) -> LineDecision | None:
    """What the line does to a call; None leaves it alone, and `near` says what nearly did something.

    `moment.names` holds the operation (or `page.…`) alone.
    """
    if is_quiet(moment, state) and not state.memory.fact(QUEUE):
        return None
    from mock_server.scenario.deciding.queue_and_scenarios import line

    return line(moment, state, near)


def decide_webhook(moment: DecisionRequest, state: DecisionState) -> WebhookDecision | None:
    """What happens to a delivery (`moment.names` is `webhook.<event>`); None delivers it as usual."""
    if is_quiet(moment, state) and not state.memory.fact(QUEUE):
        return None
    from mock_server.scenario.deciding.queue_and_scenarios import webhook

    return webhook(moment, state)


def method_default(moment: DecisionRequest) -> Decision:
    """What a charge without a card comes to; it always answers."""
    payment: Any = moment.records.get("payment")
    category, type_ = getattr(payment, "payment_method", None), getattr(payment, "payment_method_type", None)
    kept = getattr(payment, "method", None)
    if getattr(moment.records.get("asking"), "saved", False):
        return _saved(category or "method")
    if category is None or type_ is None:
        return nothing_speaks(moment.names[0])
    return _default(category, type_, getattr(kept, "name", None), getattr(kept, "hint", None))


@lru_cache(maxsize=1024)
def _default(category: str, type_: str, payload: str | None, vpa: str | None) -> Decision:
    inputs: dict[str, object] = {"payment.payment_method": category, "payment.payment_method_type": type_}
    row = methods.find(category, type_)
    if row is None:
        return Decision(APPROVED, Reason("method", f"{category} {type_}: succeeded", None, inputs))
    outcome = issuer.method_answer(row, payload, vpa)
    if vpa is not None:
        inputs["vpa_id"] = vpa
    if payload and payload != type_:
        inputs["payment_method_data"] = payload
    said = f"default of {category} {type_}" if vpa is None else f"UPI address {vpa}"
    return Decision(outcome, Reason("method", f"{said}: {say(outcome)}", f"{category}/{type_}", inputs))


@lru_cache(maxsize=64)
def _saved(category: str) -> Decision:
    return Decision(APPROVED, Reason("method", f"saved {category}, charged again: succeeded"))


@lru_cache(maxsize=64)
def nothing_speaks(name: str) -> Decision:
    """What is left where nobody has a word."""
    return Decision(APPROVED, Reason("default", f"no rule matched {name}: succeeded"))
