"""`payment_method_data.billing` counts whenever it is sent: before a method, without one, and beside a stored one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.api.money_places import fine
from tests.api.saving import CUSTOMER, saved
from tests.wire import Wire, card_data, wire

BARE: Final = {"amount": 6540, "currency": "USD", "profile_id": "pro_shop"}
EMAIL: Final = "payer@example.com"
BILLING: Final = {"billing": {"email": EMAIL, "address": {"country": "DE", "city": "Berlin"}}}
NAMED: Final = {"payment_method": "card", "payment_method_type": "credit"}
CARD: Final = {**NAMED, "payment_method_data": {"card": card_data()}}
BOTH: Final = {**NAMED, "payment_method_data": {"card": card_data(), **BILLING}}
ALONE: Final = {"payment_method_data": BILLING}
Body = dict[str, Any]

ORDERS: Final[dict[str, tuple[Body, ...]]] = {
    "with the method": (BOTH,),
    "alone": (ALONE,),
    "alone, then the method": (ALONE, CARD),
    "the method, then alone": (CARD, ALONE),
    "alone, and changed": ({"payment_method_data": {"billing": {"email": "old@example.com"}}}, CARD, ALONE),
    "with the method, and changed": (
        {**NAMED, "payment_method_data": {"card": card_data(), "billing": {"email": "old@example.com"}}}, ALONE,
    ),
}  # fmt: skip
"""What a create and the updates after it send; the last one confirms, if there is a method by then."""


def told(shown: Any) -> tuple[str, str, str]:
    billing = shown["payment_method_data"]["billing"]
    return billing["email"], billing["address"]["country"], billing["address"]["city"]


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)
@pytest.mark.parametrize("last", ["an update", "the confirmation"])
@pytest.mark.parametrize("order", ORDERS)
def test_it_is_shown_from_then_on(dialect: Dialect, last: str, order: str) -> None:
    api, (first, *others) = wire(dialect=dialect), ORDERS[order]
    path = f"/payments/{fine(api.post('/payments', {**BARE, **first}))['payment_id']}"
    for number, body in enumerate(others, 1):
        confirms = number == len(others) and last == "the confirmation"
        fine(api.post(f"{path}/confirm" if confirms else path, body))
    assert told(fine(api.get(path))) == (EMAIL, "DE", "Berlin")


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)
@pytest.mark.parametrize("at", ["the create", "an update", "the confirmation"])
def test_it_is_what_a_method_needs(dialect: Dialect, at: str) -> None:
    api = wire(dialect=dialect)
    late: Body = {"payment_method": "pay_later", "payment_method_type": "klarna"}
    late["payment_method_data"] = {"pay_later": {"klarna_redirect": {}}}
    created = {**BARE, "return_url": "https://shop.example.com/", **(ALONE if at == "the create" else {})}
    path = f"/payments/{fine(api.post('/payments', created))['payment_id']}"
    if at == "an update":
        fine(api.post(path, ALONE))
    if at == "the confirmation":
        fine(api.post(path, late))
    assert fine(api.post(f"{path}/confirm", ALONE if at == "the confirmation" else late))["next_action"]


TOKENS: Final[dict[str, Callable[[Wire], Body]]] = {
    "a saved card": lambda api: {"payment_token": _token(api)},
    "another card": lambda api: CARD,
}


def _token(api: Wire) -> str:
    kept = fine(api.get(f"/customers/{CUSTOMER}/payment_methods"))
    (one,) = kept["customer_payment_methods" if "customer_payment_methods" in kept.json else "data"]
    return str(one["payment_token"])


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)
@pytest.mark.parametrize("with_", TOKENS)
def test_it_stands_beside_what_was_chosen_later(dialect: Dialect, with_: str) -> None:
    api = wire(dialect=dialect)
    saved(api)
    path = f"/payments/{fine(api.post('/payments', {**BARE, 'customer_id': CUSTOMER, **ALONE}))['payment_id']}"
    fine(api.post(f"{path}/confirm", {**NAMED, **TOKENS[with_](api)}))
    assert told(fine(api.get(path))) == (EMAIL, "DE", "Berlin")
