"""A test card's number at any place of any operation's body is found, but at the places that are made for it.

The operations, their fields and a good body of each come from the tables of the tests of routes.
"""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any, Final

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.cards import CARDS
from mock_server.http.misplaced import OWN
from tests.counts import times
from tests.routes.good import GOOD, caller
from tests.routes.hostile import AS_TEXT, places
from tests.wire import Wire, card_payment, wire

PLACES: Final = times(6, soak=1_000)
"""How many places of each operation are tried."""
IN_BODIES: Final = [
    row for row in OPERATIONS if row.reads_body(row.method) and not row.holds_keys and row.keys != {KeyKind.ADMIN}
]
"""Of other calls no body is recorded, or they belong to no workspace."""
FREE: Final[dict[str, Any]] = {
    "deep": {"a": {"b": [{"c": "{}"}]}},
    "in a list": {"a": ["none", "paid with {}"]},
    "as a name": {"{}": 1},
    "as a deep name": {"a": [{"b {}": {}}]},
}


@pytest.fixture
def api() -> Wire:
    return wire()


def found_in(api: Wire) -> list[list[str]]:
    """What the last call had in the wrong places."""
    shown: list[list[str]] = api.get("/_sandbox/journal?limit=1")["data"][0]["misplaced"]
    return shown


@pytest.mark.parametrize("row", [row for row in IN_BODIES if not row.multipart], ids=lambda row: row.name)
def test_a_number_in_a_field_is_found(api: Wire, row: Operation) -> None:
    good, chance = GOOD[row.name](api), Random(row.name)
    client = caller(api, row)
    every = [*places(row, good).items()]
    for place, body in chance.sample(every, min(PLACES, len(every))):
        number = chance.choice(CARDS).number
        raw = body.replace(AS_TEXT, json.dumps(f"no. {number}")).encode()
        client.call(row.method, good.path(row), raw=raw, headers=dict(good.headers))
        if place == "the body":  # it is no object, and no field holds it
            continue
        sorts = [sort for sort, _ in found_in(api)]
        is_own = OWN.match(re.sub(r"^\W+", "", place.removeprefix("leaf")))
        assert ("card number" in sorts) is not bool(is_own), raw


@pytest.mark.parametrize("row", IN_BODIES, ids=lambda row: row.name)
def test_nothing_is_found_in_a_good_call(api: Wire, row: Operation) -> None:
    GOOD[row.name](api).sent(caller(api, row), row)
    assert found_in(api) == []


@pytest.mark.parametrize("what", FREE)
def test_a_number_is_found_however_deep(api: Wire, what: str) -> None:
    metadata = json.loads(json.dumps(FREE[what]).replace("{}", CARDS[0].number).replace(f": {CARDS[0].number}", ": {}"))
    api.pay(metadata=metadata)
    assert [sort for sort, _ in found_in(api)] == ["card number"]


@pytest.mark.parametrize("at", ["billing", "card"])
def test_a_number_is_found_beside_the_card(api: Wire, at: str) -> None:
    """The pattern of places for card data has the address and the names there apart."""
    data = card_payment()["payment_method_data"]
    wrong = {"address": {"line1": CARDS[0].number}} if at == "billing" else {"card_holder_name": CARDS[0].number}
    api.pay(payment_method_data={**data, at: {**data.get(at, {}), **wrong}})
    (((sort, where),),) = [found_in(api)]
    assert (sort, where.partition(".")[0]) == ("card number", "payment_method_data")
