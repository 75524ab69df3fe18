"""The tables that the sandbox works by: its cards, its refusals, the states of its records."""

from __future__ import annotations

from typing import Any

from mock_server.contract.dialect import Dialect
from mock_server.control.binding import view
from mock_server.domain.card_words import card_effect
from mock_server.domain.cards import CARDS
from mock_server.domain.declines import DECLINES
from mock_server.domain.errors import Cause
from mock_server.domain.machines import MACHINES
from mock_server.http.context import Answer, Call
from mock_server.http.show import show


@view("control.cards")
def cards(call: Call) -> Answer:
    rows = [
        {
            "number": c.number,
            "name": c.name,
            "brand": c.brand,
            "type": c.type,
            "effect": card_effect(c.issuer),
            "source": c.source,
        }
        for c in CARDS
    ]
    return show({"data": rows, "total_count": len(rows)})


@view("control.errors")
def errors(call: Call) -> Answer:
    dialect = call.dialect
    return show({"causes": _causes(dialect), "codes": _codes(dialect), "declines": _declines()})


@view("control.states")
def states(call: Call) -> Answer:
    return show({machine.name: machine.as_record() for machine in MACHINES})


def _causes(dialect: Dialect) -> list[dict[str, Any]]:
    """Every reason of this server's for a refusal, and how it reads on the wire."""
    found = []
    for cause in Cause:
        said = dialect.errors[cause]
        wire = {"status": said.status, "type": said.type, "code": said.code, "message": said.message}
        found.append({"cause": cause, "about": cause.about, **wire, "source": cause.source})
    return found


def _codes(dialect: Dialect) -> list[dict[str, Any]]:
    """The public codes; `never` says why this server does not answer with one by itself."""
    return [
        {"code": c.code, "status": c.status, "type": c.type, "message": c.message, "never": c.never or None}
        for c in dialect.codes.values()
    ]


def _declines() -> list[dict[str, Any]]:
    return [
        {"name": d.name, "error_code": d.error_code, "error_message": d.error_message, "unified_code": d.unified_code}
        for d in DECLINES
    ]
