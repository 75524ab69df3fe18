"""The tables of the sandbox: cards, errors, and the states of records."""

from __future__ import annotations

from mock_server.contract.answers.common import MACHINE
from mock_server.contract.answers.writing import write
from mock_server.control.answers import answer
from mock_server.control.answers.server import CARDS as CARD_LIST
from mock_server.control.answers.server import ERRORS
from mock_server.control.stages import view
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.cards import CARDS
from mock_server.domain.declines import DECLINES
from mock_server.domain.errors import Cause
from mock_server.domain.machines import MACHINES
from mock_server.http.binding import show
from mock_server.http.running import Answer, Call


@view("control.cards")
def cards(call: Call) -> Answer:
    return answer(CARD_LIST, data=CARDS)


@view("control.errors")
def errors(call: Call) -> Answer:
    dialect = call.dialect
    causes = [(cause, dialect.errors[cause]) for cause in Cause]
    return answer(ERRORS, causes=causes, codes=dialect.codes.values(), declines=DECLINES)


@view("control.states")
def states(call: Call) -> Answer:
    return show({machine.name: write(MACHINE, machine, INTERFACE) for machine in MACHINES})
