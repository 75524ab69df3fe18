"""A payment that is approved late does not take back what was changed at the saved card since it began."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.api.places import authenticate
from tests.api.saving import ACCEPTANCE, CUSTOMER, save
from tests.wire import Wire, card_data, card_payment, wire

SHOWN: Final = ("expiry_year", "card_holder_name", "nick_name")
EARLY: Final = {"card_exp_year": "2041", "card_holder_name": "Early Bird", "nick_name": "early"}
NEWER: Final = {"card_exp_year": "2042", "card_holder_name": "Newer Name", "nick_name": "newer"}


def _update(api: Wire, method: str) -> None:
    assert api.post(f"/payment_methods/{method}/update", {"card": NEWER}).status == 200


def _type(api: Wire, method: str) -> None:
    assert save(api, payment_method_data={"card": card_data(**NEWER)})["payment_method_id"] == method


def _add(api: Wire, method: str) -> None:
    body = {"customer_id": CUSTOMER, "payment_method": "card", "payment_method_data": {"card": card_data(**NEWER)}}
    assert api.post("/payment_methods", body)["payment_method_id"] == method


CHANGES: Final[dict[str, Callable[[Wire, str], None]]] = {
    "updated": _update, "typed": _type, "added": _add, "left": lambda api, method: None,
}  # fmt: skip


def begin(api: Wire, end: str) -> str:
    """The id of a payment with the saved card, typed anew, that is not approved yet."""
    asked = {"customer_id": CUSTOMER, "setup_future_usage": "off_session", "customer_acceptance": ACCEPTANCE}
    data = {"payment_method_data": {"card": card_data(**EARLY)}}
    body: dict[str, Any] = {**card_payment(), "confirm": True, **asked, **data}
    if end == "challenge":
        body["authentication_type"] = "three_ds"
        made = api.post("/payments", body)
    else:
        made = api.post("/payments", body, X_Sandbox_Outcome="pending:succeeded:1h")
    assert made["status"] in ("requires_action", "requires_customer_action", "pending", "processing"), made.raw
    return str(made["payment_id"])


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("end", ["challenge", "pending"])
@pytest.mark.parametrize("change", CHANGES)
def test_the_newer_change_of_a_saved_card_stays(dialect: Dialect, end: str, change: str) -> None:
    api = wire(dialect=dialect)
    method = str(save(api)["payment_method_id"])
    api.post("/_sandbox/clock/advance", {"by": "1m"})
    payment = begin(api, end)
    api.post("/_sandbox/clock/advance", {"by": "1m"})
    CHANGES[change](api, method)
    api.post("/_sandbox/clock/advance", {"by": "1m"})
    if end == "challenge":
        authenticate(api, payment)
    else:
        api.post("/_sandbox/clock/advance", {"by": "2h"})
    assert api.get(f"/payments/{payment}")["status"] == "succeeded"
    card = api.get(f"/payment_methods/{method}")["card"]
    wanted = EARLY if change == "left" else NEWER
    assert [card[name] for name in SHOWN] == list(wanted.values())
    listed = api.get(f"/customers/{CUSTOMER}/payment_methods")["customer_payment_methods"]
    assert [[one["card"][name] for name in SHOWN] for one in listed] == [list(wanted.values())]


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda dialect: dialect.name)
def test_the_first_of_a_card_is_as_it_was_typed(dialect: Dialect) -> None:
    api = wire(dialect=dialect)
    payment = begin(api, "challenge")
    api.post("/_sandbox/clock/advance", {"by": "1m"})
    authenticate(api, payment)
    method = api.get(f"/payments/{payment}")["payment_method_id"]
    card = api.get(f"/payment_methods/{method}")["card"]
    assert [card[name] for name in SHOWN] == list(EARLY.values())


def test_a_nickname_is_no_condition() -> None:
    rule = {"on": "charge", "when": {"card.nick_name": "early"}, "then": {"decline": "lost_card"}}
    reply = wire().put("/_sandbox/scenarios/x", {"name": "x", "summary": "S.", "rules": [rule]})
    assert reply.status == 400 and "has no field nick_name" in reply.error["message"], reply.raw
