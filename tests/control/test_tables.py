"""The tables over HTTP are the tables in the code."""

from __future__ import annotations

from mock_server import __version__
from mock_server.domain.cards import CARDS
from mock_server.domain.declines import DECLINES
from mock_server.domain.errors import Cause
from mock_server.domain.machines import MACHINES
from mock_server.domain.statuses import PaymentStatus
from tests.wire import Wire


def test_cards(api: Wire) -> None:
    rows = api.get("/_sandbox/cards")["data"]
    assert [(row["number"], row["name"]) for row in rows] == [(card.number, card.name) for card in CARDS]
    assert all(row["effect"] for row in rows)


def test_errors(api: Wire) -> None:
    reply = api.get("/_sandbox/errors").json
    assert [row["cause"] for row in reply["causes"]] == list(Cause)
    assert {row["code"] for row in reply["causes"]} <= {row["code"] for row in reply["codes"]} | {"RL_01"}
    assert [row["name"] for row in reply["declines"]] == [row.name for row in DECLINES]


def test_states(api: Wire) -> None:
    reply = api.get("/_sandbox/states").json
    assert list(reply) == [machine.name for machine in MACHINES]
    assert [row["status"] for row in reply["payments"]["states"]] == list(PaymentStatus)
    for machine in MACHINES:
        assert len(reply[machine.name]["transitions"]) == len(machine.ways)


def test_the_server_itself(api: Wire) -> None:
    nobody = api.as_key(None)
    assert nobody.get("/_sandbox/livez").json == {"status": "ok"}
    assert nobody.get("/_sandbox/readyz")["status"] == "ok"
    assert nobody.get("/_sandbox/version")["version"] == __version__
