"""What cards answer: the cards of the scenarios in force first, then the built-in table.

A charge goes by the name that was kept of a card. The answer of a table card is the same each time it is asked in the
same way, so the whole decision is made once and kept.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from mock_server.domain import cards, declines
from mock_server.domain.cards import Card
from mock_server.domain.issuer import ChargeTerms, answer
from mock_server.domain.outcomes import APPROVED, Decision, DecisionRequest, NearMiss, Outcome, OutcomeStatus, Reason
from mock_server.scenario.deciding.activation import named
from mock_server.scenario.model.answers import say, with_decline
from mock_server.scenario.model.decision_state import DecisionState, InForce

NOT_IN_TABLE: Final = Outcome(OutcomeStatus.FAILED, decline="card_not_in_table")


def recognise(
    number: str,
    state: DecisionState,
    scenarios: tuple[str, ...] | None = None,
    payment_scenarios: tuple[str, ...] | None = None,
) -> Card:
    """The card of a number: a scenario's in force, else the table's, else what stands for its brand's numbers."""
    for scenario in named(scenarios, payment_scenarios, state):
        own = scenario.cards.get(number)
        if own is not None:
            return own.card
    return cards.for_number(number)


def scenario_card(source: InForce, name: str, moment: DecisionRequest, near: list[NearMiss]) -> Decision | None:
    """The decision of a scenario's own card."""
    row = source.scenario.card_named(name)
    if row is None:
        return None
    outcome = with_decline(answer(row.card.issuer, asking_of(moment)), moment.operation)
    text = f"card {name} of scenario {source.scenario.name} ({source.because}) at {row.place}: {say(outcome)}"
    return Decision(outcome, Reason("scenario card", text, str(row.place), {"card.name": name}, tuple(near)))


def asking_of(moment: DecisionRequest) -> ChargeTerms:
    """How the charge is made: as the engine says (`records["asking"]`), else as the payment shows."""
    given = moment.records.get("asking")
    if isinstance(given, ChargeTerms):
        return given
    payment = moment.records.get("payment")
    wanted = getattr(payment, "authentication_type", None)
    present = not getattr(payment, "off_session", None)
    return _asking(wanted, present)


@lru_cache(maxsize=64)
def _asking(authentication_type: str | None, customer_present: bool) -> ChargeTerms:
    return ChargeTerms(
        authentication_type=authentication_type, customer_present=customer_present, saved=not customer_present
    )


def table_card(name: str, moment: DecisionRequest, unknown_cards: str) -> Decision:
    """The decision of a card of the table, or of a number outside it (`succeed` or `decline`, as the setting says)."""
    return _decided(name, asking_of(moment), unknown_cards)


@lru_cache(maxsize=4096)
def _decided(name: str, asking: ChargeTerms, unknown_cards: str) -> Decision:
    row = cards.by_name(name)
    inputs = _inputs(name, asking)
    if row is None:
        text = f"card {name} belongs to a scenario that is off now: succeeded"
        return Decision(APPROVED, Reason("card", text, None, inputs))
    if not row.listed:
        return _unlisted(row, asking, unknown_cards, inputs)
    outcome = answer(row.issuer, asking)
    text = f"card {name}: {say(outcome)}{_why(outcome)}"
    return Decision(outcome, Reason("card", text, name, inputs))


def _unlisted(row: Card, asking: ChargeTerms, unknown_cards: str, inputs: dict[str, object]) -> Decision:
    declined = unknown_cards == "decline"
    outcome = NOT_IN_TABLE if declined else answer(row.issuer, asking)
    what = f"{row.brand} card that is not a test card"
    text = f"{what}; setting unknown_cards={unknown_cards}: {say(outcome)}"
    return Decision(outcome, Reason("card", text, row.name, {**inputs, "unknown_cards": unknown_cards}))


def _inputs(name: str, asking: ChargeTerms) -> dict[str, object]:
    inputs: dict[str, object] = {"card.name": name}
    if asking.authentication_type is not None:
        inputs["payment.authentication_type"] = asking.authentication_type
    if not asking.customer_present:
        inputs["payment.off_session"] = True
    return inputs


def _why(outcome: Outcome) -> str:
    row = declines.find(outcome.decline or "") if outcome.word is OutcomeStatus.FAILED else None
    return "" if row is None else f": {row.error_message}"
