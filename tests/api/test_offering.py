"""Which methods are on offer: as the connector accounts enable them, and as the payment allows (facts §1.4)."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.api.money_places import fine
from tests.api.saving import CUSTOMER, saved
from tests.routes.good import merchant
from tests.wire import Wire, wire

CARD: dict[str, Any] = {
    "payment_method": "card",
    "payment_method_types": [
        {
            "payment_method_type": "credit",
            "card_networks": ["Visa", "Mastercard"],
            "minimum_amount": 100,
            "maximum_amount": 10_000,
            "accepted_currencies": {"type": "enable_only", "list": ["USD", "EUR"]},
            "accepted_countries": {"type": "disable_only", "list": ["FR"]},
        }
    ],
}


@pytest.fixture
def api(api: Wire) -> Wire:
    account(api, "adyen", CARD, {"payment_method": "bank_redirect", "payment_method_types": None})
    return api


def account(api: Wire, name: str, *enabled: Any) -> None:
    fields = {"connector_name": name, "profile_id": "pro_shop", "payment_methods_enabled": list(enabled)}
    fine(api.post(f"/account/{merchant(api)}/connectors", fields))


def offer(api: Wire, **fields: Any) -> dict[str, dict[str, Any]]:
    """What a payment can be made by: each type with what is said of it."""
    made = fine(api.pay(**{"confirm": False, "amount": 6540, **fields}))
    shown = fine(api.page().get(f"/account/payment_methods?client_secret={made['client_secret']}"))
    assert shown["intent_data"]["payment_id"] == made["payment_id"]
    return {
        one["payment_method_type"]: one for group in shown["payment_methods"] for one in group["payment_method_types"]
    }


def test_what_an_account_enables_is_on_offer_with_its_networks(api: Wire) -> None:
    found = offer(api)
    assert [*found] == ["credit", "ideal", "sofort", "bancontact", "eps", "giropay"]
    assert [one["card_network"] for one in found["credit"]["card_networks"]] == ["Mastercard", "Visa"]
    assert found["credit"]["card_networks"][0]["eligible_connectors"] == ["adyen"]
    account(api, "stripe", {"payment_method": "card", "payment_method_types": [{"payment_method_type": "credit"}]})
    again = offer(api)
    assert {network["card_network"] for network in again["credit"]["card_networks"]} > {"Visa", "AmericanExpress"}
    assert again["credit"]["card_networks"][0]["eligible_connectors"] == ["adyen", "stripe"]


@pytest.mark.parametrize(
    "beyond",
    [{"amount": 99}, {"amount": 10_001}, {"currency": "GBP"}, {"billing": {"address": {"country": "FR"}}}],
    ids=repr,
)
def test_a_payment_beyond_the_accounts_limits_is_not_offered_the_card(api: Wire, beyond: dict[str, Any]) -> None:
    assert "credit" not in offer(api, **beyond)
    assert "ideal" in offer(api, **beyond)


@pytest.mark.parametrize(
    ("query", "there"),
    [("", True), ("accepted_currencies=USD", True), ("accepted_currencies=GBP", False), ("amount=99", False)],
)
def test_a_query_narrows_what_no_payment_does(api: Wire, query: str, there: bool) -> None:
    body = {"connector_name": "stripe", "connector_label": "own", "payment_methods_enabled": [CARD]}
    fine(api.post(f"/account/{merchant(api)}/connectors", body))
    assert any(one["payment_method"] == "card" for one in offered(api, query)) is there
    networks = offered(api, "card_networks=Visa")[0]["payment_method_types"][0]["card_networks"]
    assert [one["card_network"] for one in networks] == ["Visa"]


def offered(api: Wire, query: str) -> Any:
    return fine(api.get(f"/account/payment_methods?{query}"))["payment_methods"]


def test_a_payment_names_the_types_that_it_allows(api: Wire) -> None:
    assert [*offer(api, allowed_payment_method_types=["bancontact_card", "credit"])] == ["credit", "bancontact"]


def test_an_account_that_says_nothing_takes_everything(api: Wire) -> None:
    path = f"/account/{merchant(api)}/connectors"
    fine(api.post(path, {"connector_name": "worldpay", "profile_id": "pro_shop"}))
    assert {"debit", "klarna", "pix"} <= offer(api).keys()


def test_a_form_is_told_what_to_ask_for(api: Wire) -> None:
    assert offer(api)["credit"]["required_fields"]["payment_method_data.card.card_number"] == {
        "required_field": "payment_method_data.card.card_number",
        "display_name": "card_number",
        "field_type": "user_card_number",
        "value": None,
    }
    account(api, "klarna", {"payment_method": "pay_later"})
    asked = offer(api, email="jo@shop.example")["klarna"]["required_fields"]
    assert asked["email"]["value"] == "jo@shop.example"
    assert asked["billing.address.country"]["field_type"] == {"user_address_country": {"options": ["ALL"]}}


def test_banks_and_experiences(api: Wire) -> None:
    found = offer(api)["ideal"]
    assert found["bank_names"] == [{"bank_name": ["abn_amro", "ing", "rabobank"], "eligible_connectors": ["adyen"]}]
    assert found["payment_experience"] == [
        {"payment_experience_type": "redirect_to_url", "eligible_connectors": ["adyen"]}
    ]
    account(api, "wallets", {"payment_method": "wallet"})
    (experience,) = offer(api)["google_pay"]["payment_experience"]
    assert experience["payment_experience_type"] == "invoke_sdk_client"


@pytest.mark.parametrize("need", [{"billing": {"email": "jo@shop.example", "address": {"country": "DE"}}}])
def test_what_the_methods_own_address_says_counts(api: Wire, need: dict[str, Any]) -> None:
    made = fine(api.post("/payments", {"amount": 100, "currency": "EUR", "profile_id": "pro_shop"}))
    body = {"payment_method": "pay_later", "payment_method_type": "klarna", "return_url": "https://shop.example/"}
    path = f"/payments/{made['payment_id']}/confirm"
    assert api.post(path, {**body, "payment_method_data": {"pay_later": {"klarna_redirect": {}}}}).status == 400
    shown = fine(api.post(path, {**body, "payment_method_data": {"pay_later": {"klarna_redirect": {}}, **need}}))
    assert shown["status"] == "requires_action"


def test_the_public_words() -> None:
    api = wire(dialect=HYPERSWITCH)
    groups = {one["payment_method"]: one["payment_method_types"] for one in offered(api, "")}
    assert "boleto" in {one["payment_method_type"] for one in groups["voucher"]}
    types = {one["payment_method_type"] for types in groups.values() for one in types}
    assert {"bancontact_card", "sepa_bank_transfer"} <= types


GUEST_DOORS = ("/customers/payment_methods?{}", "/account/payment_methods?{}", "/payments/{payment_id}/client?{}")
"""Each call of a page that says whether the payment's customer is a guest."""


@pytest.mark.parametrize("door", GUEST_DOORS)
def test_who_is_no_customer_is_a_guest_without_saved_methods(api: Wire, door: str) -> None:
    saved(api)
    for customer, is_guest in ((None, True), ("cus_new", False), (CUSTOMER, False)):
        made = api.pay(confirm=False, **({"customer_id": customer} if customer else {}))
        path = door.format(f"client_secret={made['client_secret']}", payment_id=made["payment_id"])
        shown = api.page().get(path).json
        assert (shown.get("intent_data") or shown).get("is_guest_customer", shown.get("is_guest_customer")) is is_guest
        if "customer_payment_methods" in shown:
            assert len(shown["customer_payment_methods"]) == (customer == CUSTOMER)
