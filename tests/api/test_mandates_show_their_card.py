"""A mandate shows the card that it charges, however the saved card was changed since: expiry, name, or typed anew."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.api.money_places import fine
from tests.api.saving import CUSTOMER, charge, mandate, save
from tests.wire import Wire, card_data, wire

Change = Callable[[Wire, str], Any]


def updated(**card: str) -> Change:
    return lambda api, method: fine(api.post(f"/payment_methods/{method}/update", {"card": card}))


def typed_anew(api: Wire, method: str) -> Any:
    data = {"card": card_data(card_exp_month="11", card_exp_year="2041", card_holder_name="Jo Doe")}
    assert save(api, payment_method_data=data)["payment_method_id"] == method


def created_anew(api: Wire, method: str) -> Any:
    card = {**card_data(card_exp_month="10", card_exp_year="2042", card_holder_name="Jim Doe")}
    body = {"customer_id": CUSTOMER, "payment_method": "card", "payment_method_data": {"card": card}}
    assert fine(api.post("/payment_methods", body))["payment_method_id"] == method


CHANGES: Final[dict[str, Change]] = {
    "month": updated(card_exp_month="12"),
    "year": updated(card_exp_year="2040"),
    "holder": updated(card_holder_name="Jane Roe"),
    "nickname": updated(nick_name="Mine"),
    "anew": typed_anew,
    "created": created_anew,
    "another mandate": lambda api, method: mandate(api, "single_use"),
}
VIEWS: Final[dict[str, Change]] = {
    "one": lambda api, made: fine(api.get(f"/mandates/{made}")),
    "customer": lambda api, made: _of(api.get(f"/customers/{CUSTOMER}/mandates").json, made),
    "list": lambda api, made: _of(api.get("/mandates/list").json, made),
}
SAME: Final = {
    "card_holder_name": ("card_holder_name",),
    "nick_name": ("nick_name",),
    "month": ("card_exp_month", "expiry_month", "exp_month"),
    "year": ("card_exp_year", "expiry_year", "exp_year"),
}
"""What a card has, by the names that the views have for it."""


def _of(listed: Any, made: str) -> Any:
    rows = listed if isinstance(listed, list) else listed["data"]
    (found,) = (one for one in rows if one["mandate_id"] == made)
    return found


def shown(card: Any) -> dict[str, Any]:
    """What a view has of a card; that of a payment has no nickname."""
    return {name: card[word] for name, words in SAME.items() for word in words if word in card}


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda dialect: dialect.name)
def test_a_mandate_shows_the_card_that_it_charges(dialect: Dialect) -> None:
    wrong = []
    for names in [(name,) for name in CHANGES] + list(product(CHANGES, repeat=2)):
        api = wire(dialect=dialect)
        made = mandate(api, "multi_use")
        method = fine(api.get(f"/mandates/{made}"))["payment_method_id"]
        for name in names:
            CHANGES[name](api, method)
        paid = fine(charge(api, off_session=True, amount=1, mandate_id=made))
        expected = shown(fine(api.get(f"/payment_methods/{method}"))["card"])
        assert shown(paid["payment_method_data"]["card"]).items() <= expected.items()
        wrong += [(names, view) for view, see in VIEWS.items() if shown(see(api, made)["card"]) != expected]
    assert not wrong, (len(wrong), wrong[:5])
