"""Saved methods pay without a form and are removed in one, and tax is asked for."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

import pytest

from mock_server.domain.money import CURRENCIES, exponent_of
from tests.browser.merchant import Merchant
from tests.browser.till import Till
from tests.counts import SOAK

ORDER = {"customer_id": "cus_ada", "setup_future_usage": "on_session"}
WALLET = {
    "payment_method": "wallet", "payment_method_type": "google_pay",
    "payment_method_data": {"wallet": {"google_pay": {
        "type": "CARD", "description": "Visa 4242", "info": {"card_network": "VISA", "card_details": "4242"},
        "tokenization_data": {"type": "PAYMENT_GATEWAY", "token": "sandbox"},
    }}},
}  # fmt: skip
TOTALS: Final = [row.code for row in CURRENCIES] if SOAK else ["HUF", "IQD", "JPY"]
"""Currencies of two, three and no decimals; of the first two a browser by itself shows none."""
READ = {"CustomerDefault": "CustomerDefaultSavedPaymentMethod", "LastUsed": "CustomerLastUsedPaymentMethod"}
SAVED = "hyper.initPaymentSession({clientSecret: given.secret}).getCustomerSavedPaymentMethods()"


@pytest.fixture
def known(till: Till) -> Till:
    return with_a_card(till)


def with_a_card(till: Till) -> Till:
    """A customer who has saved a card, before a payment of theirs."""
    till.merchant.post("/customers", {"customer_id": "cus_ada"})
    till.order(**ORDER)
    till.open()
    till.type_card()
    till.press("saveCard")
    till.pay()
    assert till.result["status"] == "succeeded"
    till.order(**ORDER)
    return till


def called(till: Till, expression: str) -> Any:
    """What a promise in the shop's page gives."""
    return till.page.evaluate(f"async () => await ({expression})")


@pytest.mark.parametrize("which", READ)
def test_a_saved_card_that_needs_its_code_does_not_pay_without_a_form(known: Till, which: str) -> None:
    known.open()
    data = called(known, f"(await {SAVED}).get{READ[which]}Data()")
    assert (data["card"]["last4Digits"], data["requiresCvv"]) == ("4242", True)
    said = called(
        known, f"(await {SAVED}).confirmWith{which}PaymentMethod({{confirmParams: {{return_url: given.back}}}})"
    )
    assert said["error"]["type"] == "invalid_request"
    assert known.status() == "requires_payment_method"


@pytest.mark.parametrize("which", READ)
def test_a_saved_wallet_pays_without_a_form(till: Till, merchant: Merchant, which: str) -> None:
    merchant.post("/customers", {"customer_id": "cus_ada"})
    wallet = {
        **WALLET, "confirm": True, "customer_acceptance": {"acceptance_type": "offline"},
        "setup_future_usage": "off_session", "customer_id": "cus_ada", "return_url": till.shop.back,
    }  # fmt: skip
    saved = till.order(**wallet)
    if saved["status"] == "requires_action":
        merchant.authenticate(saved, "approved")
    till.order(**ORDER)
    till.open()
    paid = called(
        till, f"(await {SAVED}).confirmWith{which}PaymentMethod({{confirmParams: {{return_url: given.back}}}})"
    )
    assert paid["status"] == till.status() == "succeeded", paid


def test_a_saved_method_is_made_the_default_and_removed(drawn: Till) -> None:
    known = with_a_card(drawn)
    known.open()
    known.find("method-card").check()
    known.type_card("5555555555554444")
    known.find("saveCard").check()
    known.pay()
    assert known.result["status"] == "succeeded"
    known.order(**ORDER)
    key = known.merchant.post("/ephemeral_keys", {"customer_id": "cus_ada"})["secret"]
    known.open("paymentMethodsManagement", group={"ephemeralKey": key})
    rows = known.form.locator(".Item")
    rows.nth(1).wait_for()
    known.form.get_by_role("button", name="Make default").click()
    known.form.get_by_role("button", name="Make default").wait_for()
    wallet = known.merchant.get("/customers/cus_ada/payment_methods")["customer_payment_methods"]
    (standard,) = (one["card"]["last4_digits"] for one in wallet if one["default_payment_method_set"])
    (other,) = {"4242", "4444"} - {standard}
    known.form.get_by_role("button", name="Remove").filter(has_text="Remove").and_(
        known.form.get_by_role("button", name=other)
    ).click()
    rows.nth(1).wait_for(state="detached")
    left = known.merchant.get("/customers/cus_ada/payment_methods")["customer_payment_methods"]
    assert [one["card"]["last4_digits"] for one in left] == [standard]


@pytest.mark.parametrize("kind", ["payment", "expressCheckout"])
def test_the_total_with_its_tax_is_shown_where_the_profile_has_it_asked_for(till: Till, kind: str) -> None:
    made = till.order(order_tax_amount=540)
    till.open(kind)
    assert till.count("total") == 0
    till.merchant.profile(made, is_tax_connector_enabled=True)
    with till.page.expect_response("**/calculate_tax") as asked:
        till.open(kind)
    assert asked.value.json()["order_tax_amount"] == 540
    assert till.find("total").inner_text() == "€70.80 in total, with €5.40 of tax"
    till.order(order_tax_amount=540, skip_external_tax_calculation=True)
    till.open(kind)
    assert till.count("total") == 0


@pytest.mark.parametrize("code", TOTALS)
def test_the_total_is_shown_to_the_last_decimal_that_is_charged(till: Till, code: str) -> None:
    made = till.order(currency=code, amount=1_234_567, order_tax_amount=1_002)
    till.merchant.profile(made, is_tax_connector_enabled=True)
    till.open()
    exponent = exponent_of(code)
    whole, tax = (f"{Decimal(sum_).scaleb(-exponent):,.{exponent}f}" for sum_ in (1_235_569, 1_002))
    total = re.sub(r"[^\d.,]+", " ", till.find("total").inner_text()).replace(" , ", " ").split()
    assert [one.rstrip(",") for one in total] == [whole, tax]


@pytest.mark.parametrize("amount", [6540, 0])
def test_a_payment_for_later_charges_makes_their_mandate(till: Till, merchant: Merchant, amount: int) -> None:
    merchant.post("/customers", {"customer_id": "cus_ada"})
    made = till.order(**{**ORDER, "setup_future_usage": "off_session", "amount": amount})
    till.open()
    till.type_card()
    till.pay()
    assert till.result["status"] == "succeeded"
    paid = merchant.get(f"/payments/{made['payment_id']}")
    assert paid["mandate_data"]["customer_acceptance"]["acceptance_type"] == "online"
    assert merchant.get(f"/mandates/{paid['mandate_id']}")["status"] == "active"
