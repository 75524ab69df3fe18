"""Mandates by the public server's rules: each rule, by every way in which a charge or a set-up can break it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.api.saving import ACCEPTANCE, CUSTOMER, charge, mandate
from tests.wire import Reply, Wire, card_data, card_payment, wire

Told = tuple[str, str, str | None]
HE_03: Final = "Mandate Validation Failed"
BY: Final[dict[str, Callable[[str], dict[str, Any]]]] = {
    "mandate_id": lambda made: {"mandate_id": made},
    "recurring_details": lambda made: {"recurring_details": {"type": "mandate_id", "data": made}},
}


class Rule(NamedTuple):
    """What breaks it: the mandate's kind, and what is done before a charge and said in it."""

    kind: str
    charged: dict[str, Any]
    told: Told
    before: str = ""


AGREED: Final[Told] = ("HE_03", HE_03, "request amount is greater than mandate amount")
CHARGES: Final[dict[str, Rule]] = {
    "over a single-use mandate's amount": Rule("single_use", {"amount": 10_001}, AGREED),
    "over a multi-use mandate's amount": Rule("multi_use", {"amount": 10_001}, AGREED),
    "over what is left": Rule("multi_use", {"amount": 4_001}, AGREED, "charge"),
    "another currency": Rule(
        "multi_use", {"currency": "EUR"}, ("HE_03", HE_03, "cross currency mandates not supported")
    ),
    "after a single use": Rule("single_use", {}, ("IR_16", "mandate is not active", None), "charge"),
    "after it was revoked": Rule("multi_use", {}, ("IR_16", "mandate is not active", None), "revoke"),
    "another customer's": Rule(
        "multi_use", {"customer_id": "cus_other"}, ("IR_16", "customer_id must match mandate customer_id", None)
    ),
    "not confirmed": Rule("multi_use", {"confirm": False}, ("IR_16", "`confirm` must be `true` for mandates", None)),
    "the customer is there": Rule(
        "multi_use", {"off_session": False}, ("IR_16", "`off_session` should be `true` for mandates", None)
    ),
    "without a customer": Rule(
        "multi_use", {"customer_id": None}, ("IR_04", "Missing required param: customer_id", None)
    ),
}


@pytest.fixture
def api() -> Wire:
    return wire(dialect=HYPERSWITCH)


def told(reply: Reply) -> Told:
    assert reply.status == 400, reply.raw
    return reply.error["code"], reply.error["message"], reply.error.get("reason")


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("name", CHARGES)
def test_a_charge(api: Wire, name: str, by: str) -> None:
    rule = CHARGES[name]
    made = mandate(api, rule.kind)
    if rule.before == "charge":
        assert charge(api, off_session=True, amount=6_000, **BY[by](made))["status"] == "succeeded"
    if rule.before == "revoke":
        assert api.post(f"/mandates/revoke/{made}").status == 200
    body = {"off_session": True, **BY[by](made), **rule.charged}
    reply = charge(api, **body)
    assert told(reply) == rule.told
    assert reply.headers["X-Sandbox-Because"]
    fine = charge(api, off_session=True, amount=1, **BY[by](mandate(api, rule.kind)))
    assert fine["status"] == "succeeded"


def test_a_spent_one_and_a_revoked_one(api: Wire) -> None:
    spent, revoked = mandate(api, "single_use"), mandate(api, "multi_use")
    charge(api, off_session=True, mandate_id=spent)
    api.post(f"/mandates/revoke/{revoked}")
    for made in (spent, revoked):
        assert api.get(f"/mandates/{made}")["status"] == "revoked"
        expected = ("HE_03", HE_03, "Mandate has already been revoked")
        assert told(api.post(f"/mandates/revoke/{made}")) == expected


DATA: Final = {"customer_acceptance": ACCEPTANCE, "mandate_type": {"multi_use": {"amount": 1_000, "currency": "USD"}}}
BACKWARDS: Final = {"start_date": "2027-01-01T00:00:00Z", "end_date": "2026-01-01T00:00:00Z"}
DETAILS: Final = {"type": "payment_method_id", "data": "pm_nobody"}


def bounds(kind: str) -> dict[str, Any]:
    return {**DATA, "mandate_type": {kind: {"amount": 1_000, "currency": "USD", **BACKWARDS}}}


def reversed_dates(kind: str) -> Told:
    start = f"`mandate_data.mandate_type.{kind}"
    return "IR_16", f"{start}.start_date` should be greater than {start}.end_date`", None


ONLINE: Final = (
    "`mandate_data.customer_acceptance.online` is required when "
    "`mandate_data.customer_acceptance.acceptance_type` is `online`"
)
SETUPS: Final[dict[str, tuple[dict[str, Any], Told]]] = {
    "no customer": ({"customer_id": None}, ("IR_16", "`customer_id` is mandatory for mandates", None)),
    "dates of a single use": ({"mandate_data": bounds("single_use")}, reversed_dates("single_use")),
    "dates of many uses": ({"mandate_data": bounds("multi_use")}, reversed_dates("multi_use")),
    "acceptance without its object": (
        {"mandate_data": {**DATA, "customer_acceptance": {"acceptance_type": "online"}}},
        ("IR_16", ONLINE, None),
    ),
    "a saved method beside it": (
        {
            "recurring_details": DETAILS,
            "payment_method": None,
            "payment_method_type": None,
            "payment_method_data": None,
        },
        ("HE_03", HE_03, "Expected one out of recurring_details and mandate_data but got both"),
    ),
}


@pytest.mark.parametrize("way", ["create", "create and confirm", "update", "confirm"])
@pytest.mark.parametrize("name", SETUPS)
def test_a_mandate_that_is_set_up_wrongly(api: Wire, name: str, way: str) -> None:
    fields, expected = SETUPS[name]
    body = {"customer_id": CUSTOMER, "setup_future_usage": "off_session", "mandate_data": DATA, **fields}
    if way.startswith("create"):
        reply = api.post("/payments", card_payment(confirm=way != "create", **body))
    else:
        path = f"/payments/{api.post('/payments', {'amount': 6540, 'currency': 'USD'})['payment_id']}"
        same = {name: value for name, value in card_payment(**body).items() if name not in ("amount", "currency")}
        same.pop("profile_id")
        reply = api.post(f"{path}/confirm" if way == "confirm" else path, same)
    assert told(reply) == expected


def test_what_can_be_charged_is_said_once(api: Wire) -> None:
    made = mandate(api, "multi_use")
    for other, value in (("payment_token", "token_1"), ("mandate_id", made)):
        reply = charge(api, off_session=True, recurring_details=DETAILS, **{other: value})
        assert told(reply) == ("IR_16", f"Expected one out of recurring_details and {other} but got both", None)


def test_acceptance_can_come_with_the_confirmation(api: Wire) -> None:
    unaccepted = {"mandate_type": DATA["mandate_type"]}
    body = card_payment(customer_id=CUSTOMER, setup_future_usage="off_session", mandate_data=unaccepted)
    refused = api.post("/payments", {**body, "confirm": True})
    assert told(refused) == ("IR_04", "Missing required param: mandate_data.customer_acceptance", None)
    made = api.post("/payments", body)
    assert made.status == 200
    path = f"/payments/{made['payment_id']}/confirm"
    assert told(api.post(path, {}))[0] == "IR_04"
    assert api.post(path, {"customer_acceptance": ACCEPTANCE})["mandate_id"]


def test_saving_needs_a_customer(api: Wire) -> None:
    expected = ("IR_16", "customer_id is mandatory when setup_future_usage is given", None)
    assert told(api.pay(setup_future_usage="on_session")) == expected


def test_a_networks_reference_needs_no_customer(api: Wire) -> None:
    card = {name: value for name, value in card_data().items() if name != "card_cvc"}
    details = {"type": "network_transaction_id_and_card_details", "data": {**card, "network_transaction_id": "123"}}
    body = {"amount": 1, "currency": "USD", "confirm": True, "off_session": True, "recurring_details": details}
    paid = api.post("/payments", body)
    assert (paid["status"], paid["customer_id"]) == ("succeeded", None)


def test_the_default_dialect_stays_as_it_is() -> None:
    api = wire()
    spent = mandate(api, "single_use")
    charge(api, off_session=True, mandate_id=spent)
    assert api.get(f"/mandates/{spent}")["status"] == "inactive"
    body = card_payment(customer_id=CUSTOMER, setup_future_usage="off_session")
    assert api.post("/payments", {**body, "mandate_data": bounds("multi_use")}).error["code"] == "IR_16"
    assert (
        api.post("/payments", {**body, "mandate_data": {"mandate_type": {"multi_use": None}}}).error["code"] == "IR_04"
    )


@pytest.mark.parametrize("sort", ["single_use", "multi_use", None])
def test_the_list_of_methods_shows_the_mandate_that_a_payment_asks_for(sort: str | None) -> None:
    api = wire(dialect=HYPERSWITCH)
    terms = {"amount": 6540, "currency": "USD", "start_date": None, "end_date": None, "metadata": None}
    kind = {sort: terms} if sort else None
    mandate = {"mandate_data": {"customer_acceptance": {"acceptance_type": "offline"}, "mandate_type": kind}}
    payment = api.post(
        "/payments",
        {"amount": 6540, "currency": "USD", "customer_id": "cus_1", "setup_future_usage": "off_session"}
        | (mandate if sort else {}),
    )
    found = api.page().get(f"/account/payment_methods?client_secret={payment['client_secret']}")
    assert found["mandate_payment"] == kind
    assert (found["intent_data"]["mandate_payment"] or {"mandate_type": None})["mandate_type"] == kind
