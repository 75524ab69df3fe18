"""Cards that a tool fills in for its user can still be charged when the workspace's clock is far ahead."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

import pytest

from mock_server.domain.cards import CARDS
from mock_server.scenario.story.requests import card_fields
from mock_server.testing.records import Card
from tests.counts import times
from tests.dashboard.visitor import Visitor
from tests.wire import Wire, wire

ORDER: Final = {"amount": 6540, "currency": "USD", "profile_id": "pro_shop", "confirm": True}
LISTED: Final = [row for row in CARDS if row.listed]


def by_story(api: Wire, name: str) -> Any:
    return api.post("/payments", {**ORDER, "return_url": "https://shop.example/", **card_fields(name, {})})


def by_fixture(api: Wire, name: str) -> Any:
    row = next(row for row in LISTED if row.name == name)
    card = Card(row.number, row.name, row.brand, row.type, "").as_data()
    fields = {"payment_method": "card", "payment_method_data": {"card": card}}
    return api.post("/payments", {**ORDER, "return_url": "https://shop.example/", **fields})


def by_dashboard(api: Wire, name: str) -> Any:
    fields = {"do": "payments.create", "body.amount:money": "65.40", "body.currency": "USD", "card": name}
    more = {"body.profile_id": "pro_shop", "body.confirm:flag": "true", "body.return_url": "https://shop.example/"}
    return Visitor(api).send("new-payment", fields | more)


TOOLS: Final[dict[str, Callable[[Wire, str], Any]]] = {
    "pay, trigger and a story": by_story,
    "the fixture's cards": by_fixture,
    "New payment": by_dashboard,
}
YEARS: Final = (2027, 2035, 2036, 2038, 2045, 2046, 2071, 2099)


@pytest.mark.parametrize("year", YEARS)
@pytest.mark.parametrize("tool", TOOLS)
def test_a_card_that_a_tool_fills_in_is_not_expired(tool: str, year: int) -> None:
    api, random = wire(), Random(f"{tool} {year}")
    assert api.post("/_sandbox/clock/freeze", {"at": f"{year}-{random.randint(1, 12):02}-28T23:59:59Z"}).status == 200
    for row in random.sample(LISTED, times(2, soak=len(LISTED))):
        reply = TOOLS[tool](api, row.name)
        assert reply.status == 200, (row.name, reply.raw[:300])
        newest = api.post("/payments/list", {"limit": 1})["data"][0]
        assert newest["error_code"] != "expired_card" or "expired_card" in row.name
