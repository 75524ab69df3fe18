"""How a world decides: its deciders, with what the store and the scenarios know."""

from __future__ import annotations

from typing import Any

from mock_server.domain import cards, method_answers
from mock_server.domain.cards import Card
from mock_server.domain.issuer import Asking, answer
from mock_server.domain.methods import find
from mock_server.domain.outcomes import APPROVED, Because, Decision, Moment
from mock_server.engine.desk import Words
from mock_server.randomness import Randomness
from mock_server.sandbox.host import Host
from mock_server.store.protocol import Transaction


class Deciding:
    """The deciders of one world."""

    def __init__(self, host: Host, randomness: Randomness) -> None:
        self._host = host
        self._randomness = randomness

    def decide(self, tx: Transaction, moment: Moment) -> Decision:
        """What the issuer says at this moment, and why."""
        payment: Any = moment.records.get("payment")
        if "charge" not in moment.names:
            return Decision(APPROVED, Because("default", f"{moment.operation} succeeds by default"))
        if payment.card is not None:
            row = cards.by_name(payment.card.name)
            assert row is not None
            outcome = answer(row.issuer, Asking(authentication_type=payment.authentication_type))
            return Decision(outcome, Because("card", f"card {row.name}"))
        method = find(payment.payment_method, payment.payment_method_type)
        assert method is not None
        hint = payment.method.hint if payment.method else None
        outcome = method_answers.answer(method, payment.method.name if payment.method else None, hint)
        return Decision(outcome, Because("method", f"method {method.category}/{method.type}"))

    def recognise(self, tx: Transaction, number: str, words: Words) -> Card:
        """The card of a number: of the scenarios in force, of the table, or of none."""
        return cards.for_number(number)

    def setting(self, name: str) -> Any:
        """What an active scenario sets, or None."""
        return None

    def line(self, call: Any) -> Any:
        """What a scenario does to a call's line, or None."""
        return None
