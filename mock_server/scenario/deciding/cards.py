"""The decisions of cards: of scenarios that apply to the call first, then of the built-in table.

A charge uses the stored name of the card. A card of the table always decides the same for the same terms, so the whole
decision is cached.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from mock_server.domain import cards
from mock_server.domain.cards import Card
from mock_server.domain.issuer import ChargeTerms, answer
from mock_server.domain.outcomes import APPROVED, Decision, DecisionRequest, NearMiss, Outcome, OutcomeStatus, Reason
from mock_server.scenario.deciding.activation import named_or_active
from mock_server.scenario.model.answers import say, with_decline
from mock_server.scenario.model.decision_state import DecisionState, InForce

NOT_IN_TABLE: Final = Outcome(OutcomeStatus.FAILED, decline="card_not_in_table")
_TERMS: Final = ("payment.authentication_type", "payment.off_session", "saved", "authenticated when saved", "expired")


def recognise(
    number: str, state: DecisionState, scenarios: tuple[str, ...] | None, payment_scenarios: tuple[str, ...] | None
) -> Card:
    """The card of a number: of a scenario that applies, else of the table, else the unlisted card of its brand."""
    for scenario, _, _ in named_or_active(scenarios, payment_scenarios, state):
        if (own := scenario.cards.get(number)) is not None:
            return own.card
    return cards.for_number(number)


def scenario_card(source: InForce, name: str, request: DecisionRequest, near: list[NearMiss]) -> Decision | None:
    """The decision of a scenario's own card."""
    row = next((row for row in source.scenario.cards.values() if row.card.name == name), None)
    if row is None:
        return None
    asking = asking_of(request)
    outcome = with_decline(answer(row.card.issuer, asking), request.operation)
    text = f"card {name} of scenario {source.scenario.name} ({source.because}) at {row.place}: {say(outcome)}"
    return Decision(outcome, Reason("scenario card", text, str(row.place), _inputs(name, asking), tuple(near)))


def asking_of(request: DecisionRequest) -> ChargeTerms:
    """The terms of the charge: as the engine gives them (`records["asking"]`), else as the payment shows."""
    given = request.records.get("asking")
    if isinstance(given, ChargeTerms):
        return given
    payment = request.records.get("payment")
    saved = bool(getattr(payment, "off_session", None))
    return ChargeTerms(getattr(payment, "authentication_type", None), not saved, saved)


def _inputs(name: str, asking: ChargeTerms) -> dict[str, object]:
    """What a card's decision depends on: its name, and the terms that are not the usual ones."""
    terms = zip(_TERMS, asking._replace(customer_present=not asking.customer_present), strict=True)
    return {"card.name": name, **{term: value for term, value in terms if value}}


@lru_cache(maxsize=4096)
def table_card(name: str, asking: ChargeTerms, unknown_cards: str) -> Decision:
    """The decision of a card of the table, or of a number outside it (`succeed` or `decline`, as the setting says)."""
    row = cards.by_name(name)
    inputs = _inputs(name, asking)
    if row is None:
        text = f"card {name} belongs to a scenario that is off now: succeeded"
        return Decision(APPROVED, Reason("card", text, None, inputs))
    if not row.listed:
        outcome = NOT_IN_TABLE if unknown_cards == "decline" else answer(row.issuer, asking)
        text = f"{row.brand} card that is not a test card; setting unknown_cards={unknown_cards}: {say(outcome)}"
        return Decision(outcome, Reason("card", text, row.name, {**inputs, "unknown_cards": unknown_cards}))
    outcome = answer(row.issuer, asking)
    return Decision(outcome, Reason("card", f"card {name}: {say(outcome)}", name, inputs))
