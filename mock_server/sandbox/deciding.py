"""How a world decides: its deciders, with what the store and the scenarios know."""

from __future__ import annotations

from typing import Any

from mock_server.domain.cards import Card
from mock_server.domain.errors import Cause, FieldError, Refusal
from mock_server.domain.outcomes import Decision, Moment
from mock_server.engine.desk import Words
from mock_server.sandbox.host import Host
from mock_server.sandbox.identity import Identity
from mock_server.sandbox.trouble import Trouble
from mock_server.scenario import decide
from mock_server.scenario.activation import ACTIVE, QUEUE
from mock_server.scenario.decide import WantedWrong
from mock_server.scenario.state import State
from mock_server.store.protocol import Space, Transaction


class Deciding:
    """The deciders of one world."""

    def __init__(self, host: Host, space: Space, who: Identity) -> None:
        self._host = host
        self._space = space
        self._who = who
        self._randomness = who.randomness()

    def state(self, tx: Transaction) -> State:
        """What the deciders stand on, in one transaction."""
        unknown_cards = str(self.setting("unknown_cards"))
        who = self._who
        return State(tx, self._randomness, self._host.find_scenario, unknown_cards, who.seed, who.name)

    @property
    def is_quiet(self) -> bool:
        """Whether no scenario is on and nothing waits in the one-shot queue: the usual case."""
        return not self._space.fact(ACTIVE) and not self._space.fact(QUEUE)

    def setting(self, name: str) -> Any:
        """What the scenarios that are on set; else the server's setting."""
        own = self.scenario_setting(name)
        return getattr(self._host.settings, name) if own is None else own

    def scenario_setting(self, name: str) -> Any:
        """What the scenarios that are on set, the most recent first; None where none does."""
        for row in self._space.fact(ACTIVE) or ():
            scenario = self._host.find_scenario(row["name"])
            if scenario is not None and name in scenario.settings:
                return scenario.settings[name]
        return None

    def decide(self, tx: Transaction, moment: Moment) -> Decision:
        """What the issuer says at this moment, and why. Refused as `value_invalid` for a wish that cannot be had."""
        try:
            return decide.decide_issuer(moment, self.state(tx))
        except WantedWrong as wrong:
            field = moment.wanted_by.removeprefix("header ")
            raise Refusal(Cause.VALUE_INVALID, fields=(FieldError(field, str(wrong)),)) from None

    def recognise(self, tx: Transaction, number: str, words: Words) -> Card:
        """The card of a number: of the scenarios in force, of the table, or of none."""
        return decide.recognise(number, self.state(tx), words.scenarios, words.payment_scenarios)

    def line(self, moment: Moment) -> Trouble | None:
        """What a scenario does to a call's line, or None."""
        if self.is_quiet and not moment.scenarios and not moment.payment_scenarios:
            return None
        drawn = self._space.transact(lambda tx: decide.decide_line(moment, self.state(tx)))
        return None if drawn is None else Trouble(drawn)
