"""What was said first and what comes later: a reserved type with other data, and an address that is sent on its own."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.api.money_places import fine
from tests.api.saving import CHARGE, CUSTOMER, browser, reserved, save, token
from tests.wire import Wire, card_data, card_payment, wire

both = pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)

RESERVED: Final[dict[str, dict[str, Any]]] = {
    "card": {"payment_method": "card"},
    "debit": {"payment_method": "card", "payment_method_type": "debit"},
    "wallet": {"payment_method": "wallet"},
    "google": {"payment_method": "wallet", "payment_method_type": "google_pay"},
    "paypal": {"payment_method": "wallet", "payment_method_type": "paypal"},
}
DATA: Final[dict[str, tuple[str, str, dict[str, Any]]]] = {
    "card": ("card", "credit", {"card": card_data()}),
    "paypal": ("wallet", "paypal", {"wallet": {"paypal_redirect": {}}}),
}


@both
@pytest.mark.parametrize(("first", "later"), [*product(RESERVED, DATA)])
@pytest.mark.parametrize("says", [False, True], ids=["data alone", "with its method"])
def test_a_method_is_what_its_data_is(dialect: Dialect, first: str, later: str, says: bool) -> None:
    api, (category, own, data) = wire(dialect=dialect), DATA[later]
    made = reserved(api, **RESERVED[first])
    body = {"client_secret": made["client_secret"], "payment_method_data": data}
    body |= {"payment_method": category} if says else {}
    saved = fine(browser(api).post(f"/payment_methods/{made['payment_method_id']}/save", body))
    wanted = "debit" if (first, later) == ("debit", "card") else own
    assert (saved["payment_method"], saved["payment_method_type"]) == (category, wanted)


# an address on its own

B: Final = {"address": {"city": "Ulm"}}


def shown(billing: Any) -> Any:
    return billing and billing["address"]["city"]


@both
@pytest.mark.parametrize("first", ["token", "card"])
@pytest.mark.parametrize("step", ["confirm", "update"])
def test_an_address_is_added_to_a_prepared_method(dialect: Dialect, first: str, step: str) -> None:
    api = wire(dialect=dialect)
    save(api)
    typed = {name: value for name, value in card_payment().items() if name.startswith("payment_method")}
    with_ = typed if first == "card" else {"payment_method": "card", "payment_token": token(api)}
    payment = fine(api.post("/payments", {**CHARGE, "confirm": False, **with_}))["payment_id"]
    path = f"/payments/{payment}/confirm" if step == "confirm" else f"/payments/{payment}"
    answer = fine(api.post(path, {"payment_method_data": {"billing": B}}))
    assert shown(answer["payment_method_data"]["billing"]) == "Ulm"
    if step == "update":
        answer = fine(api.post(f"/payments/{payment}/confirm", {}))
        assert shown(answer["payment_method_data"]["billing"]) == "Ulm"
    assert shown(api.get(f"/payments/{payment}")["payment_method_data"]["billing"]) == "Ulm"
    assert answer["status"] == "succeeded"


def _billing(api: Wire) -> list[Any]:
    listed = fine(api.get(f"/customers/{CUSTOMER}/payment_methods"))["customer_payment_methods"]
    return [shown(one["billing"]) for one in listed]


@both
@pytest.mark.parametrize("beside", [True, False], ids=["at the top", "with the data"])
@pytest.mark.parametrize("is_known", [True, False], ids=["a known card", "a new card"])
def test_the_address_of_a_reserved_method_stays(dialect: Dialect, beside: bool, is_known: bool) -> None:
    api = wire(dialect=dialect)
    if is_known:
        save(api)
    address = {"billing": B} if beside else {"payment_method_data": {"billing": B}}
    made = reserved(api, payment_method="card", **address)
    path = f"/payment_methods/{made['payment_method_id']}/save"
    fine(api.post(path, {"payment_method_data": {"card": card_data()}}))
    assert _billing(api) == ["Ulm"]


@both
def test_a_later_address_wins(dialect: Dialect) -> None:
    api = wire(dialect=dialect)
    made = reserved(api, payment_method="card", billing={"address": {"city": "Rome"}})
    path = f"/payment_methods/{made['payment_method_id']}/save"
    fine(api.post(path, {"payment_method_data": {"card": card_data(), "billing": B}}))
    assert _billing(api) == ["Ulm"]
