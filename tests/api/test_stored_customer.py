"""What a rule says of a payment's customer holds in the same way for the one it has and for the one that a call names.

Every rule about a customer, with the customer stored with the payment before and with the customer in the request, at
update and confirm, in both dialects.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.api.saving import ACCEPTANCE, CUSTOMER, mandate, saved, token
from tests.wire import Reply, Wire, card_data, wire

OTHER: Final = "cus_other"
PAYS: Final = {"amount": 6540, "currency": "USD", "profile_id": "pro_shop"}
CARD: Final = {"payment_method": "card", "payment_method_data": {"card": card_data()}}
Made = dict[str, Any]
"""What is sent beside the customer."""


def redacted(api: Wire) -> Made:
    return CARD


def mandate_asked(api: Wire) -> Made:
    agreed = {"customer_acceptance": ACCEPTANCE, "mandate_type": {"multi_use": {"amount": 6540, "currency": "USD"}}}
    return {**CARD, "setup_future_usage": "off_session", "mandate_data": agreed}


def token_of_another(api: Wire) -> Made:
    saved(api)
    return {"payment_token": token(api)}


def method_of_another(api: Wire) -> Made:
    return {"off_session": True, "recurring_details": {"type": "payment_method_id", "data": saved(api)}}


def mandate_of_another(api: Wire) -> Made:
    return {"off_session": True, "mandate_id": mandate(api, "multi_use")}


RULES: Final[dict[Callable[[Wire], Made], str]] = {
    redacted: "customer_redacted",
    mandate_asked: "customer_redacted",
    token_of_another: "payment_token_over",
    method_of_another: "object_unknown",
    mandate_of_another: "mandate_differs",
}
"""What a call asks for, and the cause for which it is refused."""
ONLY_CHARGED: Final = {method_of_another, mandate_of_another}
"""What can only be asked for by a confirmation."""
dialects = pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)


def cause_of(api: Wire, reply: Reply) -> object:
    assert reply.status in (400, 404, 422), reply.raw
    return api.get("/_sandbox/journal?limit=1")["data"][0]["cause"]


def acted(api: Wire, act: str, payment: str, body: Made) -> Reply:
    return api.post(f"/payments/{payment}{'/confirm' if act == 'confirm' else ''}", body)


@dialects
@pytest.mark.parametrize("where", ["stored", "request"])
@pytest.mark.parametrize(
    ("rule", "act"),
    [
        pytest.param(rule, act, id=f"{rule.__name__}-{act}")
        for rule in RULES
        for act in ("update", "confirm")
        if act == "confirm" or rule not in ONLY_CHARGED
    ],
)
def test_a_rule_holds_for_the_customer_that_the_payment_has(
    dialect: Dialect, act: str, where: str, rule: Callable[[Wire], Made]
) -> None:
    api = wire(dialect=dialect)
    asked = rule(api)
    api.post("/customers", {"customer_id": OTHER})
    named = {"customer_id": OTHER}
    payment = api.post("/payments", {**PAYS, **(named if where == "stored" else {})})["payment_id"]
    if RULES[rule] == "customer_redacted":
        assert api.delete(f"/customers/{OTHER}").status == 200
    reply = acted(api, act, payment, {**asked, **(named if where == "request" else {})})
    assert cause_of(api, reply) == RULES[rule], reply.raw
    assert api.get(f"/payments/{payment}")["payment_method"] is None


@dialects
def test_a_saved_method_stays_with_its_customer(dialect: Dialect) -> None:
    api = wire(dialect=dialect)
    saved(api)
    body = {**PAYS, "customer_id": CUSTOMER, "payment_token": token(api)}
    payment = api.post("/payments", body)["payment_id"]
    api.post("/customers", {"customer_id": OTHER})
    assert acted(api, "confirm", payment, {"customer_id": OTHER}).status in (400, 422)
    assert api.get(f"/payments/{payment}")["customer_id"] == CUSTOMER
    moved = acted(api, "update", payment, {"customer_id": OTHER})
    assert (moved["status"], moved["customer_id"]) == ("requires_payment_method", OTHER)
    assert moved["payment_method_id"] is moved["payment_token"] is moved["payment_method_data"] is None
    assert acted(api, "confirm", payment, CARD)["status"] == "succeeded"


@dialects
def test_who_has_another_customer_now_pays(dialect: Dialect) -> None:
    api = wire(dialect=dialect)
    payment = api.post("/payments", {**PAYS, **CARD, "customer_id": CUSTOMER})["payment_id"]
    assert api.delete(f"/customers/{CUSTOMER}").status == 200
    assert acted(api, "confirm", payment, {"customer_id": OTHER})["status"] == "succeeded"
