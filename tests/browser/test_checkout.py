"""A customer pays at a shop's own page, by the stand-in: each way to pay, and each way that it can end."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import Page, Route

from mock_server.domain.cards import by_name
from tests.browser.customer import pick, press, until
from tests.browser.till import PAY, Till

_ONE_CLICK = """goesOn => Promise.race([
  hyper.confirmOneClickPayment({confirmParams: {return_url: given.back}}, goesOn).then(result => result.status),
  ...(goesOn ? [] : [new Promise(resolve => setTimeout(() => resolve("waits"), 300))]),
])"""


_INVALID = "() => [...document.querySelectorAll('[aria-invalid]')].map(one => one.dataset.testid)"
"""The fields that are said to be wrong; there is no other value than that they are."""
_NUMBER = "() => document.querySelector('[name=cardNoInput]').value"
OVER_THE_SHOP: Final = "() => document.querySelector('dialog[open]')?.ariaLabel"
"""The name of what is shown over the shop's page."""


def number(name: str) -> str:
    row = by_name(name)
    assert row is not None
    return row.number


def test_a_card_is_paid_and_the_shop_gets_the_payment(till: Till) -> None:
    till.order()
    till.open()
    till.type_card("4242424242424242")
    till.pay()
    assert till.result["status"] == till.status() == "succeeded"
    assert till.result["payment_id"] == till.payment["payment_id"]
    assert till.events("change")[-1] == {
        "elementType": "payment", "complete": True, "empty": False, "value": {"type": "card"},
    }  # fmt: skip


def test_a_decline_resolves_with_the_payment_and_its_reason(till: Till) -> None:
    till.order()
    till.open()
    till.type_card(number("visa_insufficient_funds"))
    till.pay()
    assert (till.result["status"], till.result["error_code"]) == ("failed", "DC_08")
    assert "insufficient funds" in till.result["error_message"]


@pytest.mark.parametrize("status", ["succeeded", "failed"])
def test_a_shop_may_want_its_customer_back_whatever_comes_of_it(till: Till, status: str) -> None:
    till.order()
    till.open(redirect="always")
    till.type_card(number("visa_success" if status == "succeeded" else "visa_lost_card"))
    till.pay()
    till.page.wait_for_url(f"{till.shop.base}/back**")
    secret = till.payment["client_secret"]
    told = {"payment_id": till.payment["payment_id"], "payment_intent_client_secret": secret, "status": status}
    assert till.shop.came_back().told == {"order": "42", **told}


@pytest.mark.parametrize(("result", "status"), [("approved", "succeeded"), ("declined", "failed")])
def test_a_challenge_is_met_on_the_banks_page_and_leads_back_signed(till: Till, result: str, status: str) -> None:
    till.order()
    till.open()
    till.type_card(number("visa_3ds_required"))
    till.pay()
    till.page.wait_for_url("**/payments/redirect/**")
    till.customer.press(result)
    till.page.wait_for_url(f"{till.shop.base}/back**")
    told = till.shop.came_back().told
    assert (told["status"], "signature" in told) == (status, True)
    assert till.status() == status


def test_a_challenge_that_is_left_stays_open_and_the_form_says_so(till: Till) -> None:
    till.order()
    till.open()
    till.type_card(number("visa_3ds_required"))
    till.pay()
    till.page.wait_for_url("**/payments/redirect/**")
    till.open()
    till.type_card()
    till.pay()
    assert "requires_action" in till.result["error"]["message"]
    assert till.status() == "requires_action"
    till.customer.alarms.clear()  # the browser's console tells of the refusal


@pytest.mark.parametrize(("result", "status"), [("approved", "succeeded"), ("declined", "failed")])
@pytest.mark.parametrize("by", ["shop", "payment"])
def test_a_challenge_is_met_in_a_frame_over_the_shops_page(drawn: Till, result: str, status: str, by: str) -> None:
    drawn.order(**({"is_iframe_redirection_enabled": True} if by == "payment" else {}))
    drawn.open(hyper={"redirectIn": "frame"} if by == "shop" else {})
    drawn.type_card(number("visa_3ds_required"))
    press(drawn.meet(), result)
    assert drawn.result["status"] == drawn.status() == status
    assert not drawn.page.evaluate(OVER_THE_SHOP)


def test_who_closes_the_frame_gets_the_payment_as_it_stands(drawn: Till) -> None:
    drawn.order()
    drawn.open(hyper={"redirectIn": "frame"})
    drawn.type_card(number("visa_3ds_required"))
    drawn.meet()
    assert drawn.page.evaluate(OVER_THE_SHOP) == "Confirm the payment"
    drawn.customer.press("checkout-challenge-close")
    assert drawn.result["status"] == "requires_action"


@pytest.mark.parametrize("ending", ["approved", "declined", "closed"])
def test_a_challenge_is_met_in_a_window_of_its_own(till: Till, ending: str) -> None:
    till.order()
    till.open(hyper={"redirectIn": "popup"})
    till.type_card(number("visa_3ds_required"))
    with till.page.expect_popup() as opened:
        till.pay()
    popup: Page = opened.value
    with till.page.expect_response("**/poll/status/*") as polled:
        pass
    assert polled.value.json()["status"] == "pending"
    if ending == "closed":
        popup.close()
    else:
        popup.wait_for_load_state()
        press(popup.main_frame, ending)
    expected = {"approved": "succeeded", "declined": "failed", "closed": "requires_action"}[ending]
    assert till.result["status"] == till.status() == expected
    till.customer.alarms.clear()  # the window is what was wanted


def test_a_window_that_the_browser_does_not_open_is_an_error(till: Till) -> None:
    till.order()
    till.open(hyper={"redirectIn": "popup"})
    till.page.evaluate("() => { window.open = () => null }")
    till.type_card(number("visa_3ds_required"))
    till.pay()
    assert till.result["error"]["type"] == "popup_blocked"


def test_a_saved_card_is_paid_with_its_security_code_alone(till: Till) -> None:
    till.merchant.post("/customers", {"customer_id": "cus_ada"})
    till.order(customer_id="cus_ada", setup_future_usage="on_session")
    till.open()
    till.type_card()
    till.press("saveCard")
    till.pay()
    assert till.result["status"] == "succeeded"
    till.order(customer_id="cus_ada")
    till.open(options={"displaySavedPaymentMethods": False})
    assert till.count("saved-method") == 0
    till.open()
    assert till.form.get_by_role("radio", name="Visa ending in 4242").is_checked()
    till.pay()
    assert till.result == {
        "submitSuccessful": False,
        "error": {"type": "validation_error", "message": "Please enter all fields"},
    }
    till.write("cvvInput", "123")
    till.pay()
    assert till.told(2)["status"] == till.status() == "succeeded"


@pytest.mark.parametrize("wallet", ["google_pay", "apple_pay", "samsung_pay"])
def test_a_wallets_button_pays(till: Till, wallet: str) -> None:
    till.order()
    till.open(options={"wallets": {"walletReturnUrl": till.shop.back}})
    till.press(f"wallet-{wallet}")
    till.page.wait_for_url(f"{till.shop.base}/back**")
    assert till.shop.came_back().told["status"] == till.status() == "succeeded"


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_shop_may_confirm_a_wallet_itself(till: Till, goes_on: bool) -> None:
    till.order()
    till.open(options={"sdkHandleOneClickConfirmPayment": False})
    till.press("wallet-google_pay")
    until(till.page, "() => events.some(e => e[1] === 'clickTriggered')")
    result = till.page.evaluate(_ONE_CLICK, goes_on)
    assert result == ("succeeded" if goes_on else "waits")
    assert till.status() == ("succeeded" if goes_on else "requires_payment_method")


@pytest.mark.parametrize("method", ["ideal", "klarna"])
def test_a_method_with_a_page_of_its_own_leads_there_and_back(till: Till, method: str) -> None:
    till.order()
    till.open()
    till.choose(method)
    if method == "klarna":
        till.pay()
        assert till.result["error"]["type"] == "validation_error"
        till.write("email", "ada@example.test")
        till.write("billing.address.country", "NL")
    till.pay()
    till.page.wait_for_url("**/payments/redirect/**")
    till.customer.press("approved")
    till.page.wait_for_url(f"{till.shop.base}/back**")
    assert till.shop.came_back().told["status"] == till.status() == "succeeded"


@pytest.mark.parametrize(
    ("method", "currency"), [("pix", "BRL"), ("upi_intent", "INR"), ("sepa", "EUR"), ("boleto", "BRL")]
)
def test_codes_and_instructions_are_shown_over_the_shops_page(drawn: Till, method: str, currency: str) -> None:
    drawn.order(currency=currency)
    drawn.open()
    drawn.choose(method)
    press(drawn.meet(), "approved")
    assert drawn.result["status"] == drawn.status(), "the shop's page stays, and is told"
    assert drawn.status() in ("succeeded", "pending")
    assert drawn.page.url == drawn.shop.base + PAY


def test_a_page_that_is_loaded_again_begins_anew(till: Till) -> None:
    till.order()
    till.open()
    till.type_card("4242")
    till.page.reload()
    till.is_ready()
    assert till.ask(_NUMBER) == ""
    till.type_card()
    till.pay()
    assert till.result["status"] == "succeeded"


def test_a_double_click_pays_once(till: Till) -> None:
    till.order()
    till.open()
    till.type_card()
    sent: list[Route] = []

    def first_goes_first(route: Route) -> None:
        """Two connections may overtake each other: the second call waits for the answer to the first."""
        sent.append(route)
        if len(sent) > 1:
            till.told(1)
        route.continue_()

    till.page.route("**/confirm", first_goes_first)
    with till.page.expect_response(lambda answer: answer.status == 400):
        till.pay_twice()
    assert till.result["status"] == "succeeded", "the second confirmation gets the answer that comes first"
    assert till.page.evaluate("() => said.length") == 1
    assert till.merchant.get(f"/payments/{till.payment['payment_id']}")["amount_received"] == 6540
    till.customer.alarms.clear()  # the browser's console tells of the refusal


@pytest.mark.parametrize(
    ("card", "expiry", "cvc", "field"),
    [("4242424242424241", "12/34", "123", "cardNoInput"), ("4242", "12/34", "123", "cardNoInput"),
     ("4242424242424242", "13/34", "123", "expiryInput"), ("4242424242424242", "12", "123", "expiryInput"),
     ("4242424242424242", "12/34", "12", "cvvInput"), ("378282246310005", "12/34", "123", "cvvInput")],
)  # fmt: skip
def test_what_is_not_whole_is_told_beside_its_field_and_sent_nowhere(
    till: Till, card: str, expiry: str, cvc: str, field: str
) -> None:
    till.order()
    till.open()
    till.type_card(card, expiry, cvc)
    till.pay()
    assert till.result["error"]["type"] == "validation_error"
    assert till.ask(_INVALID) == [field]
    assert till.status() == "requires_payment_method"


def test_a_test_card_is_picked_by_what_happens(till: Till) -> None:
    till.order()
    till.open()
    till.press("[data-testid=testCards] summary")
    picked = "declined: stolen_card · visa_stolen_card"
    until(till.forms[0], "label => [...document.querySelectorAll('option')].some(one => one.label === label)", picked)
    pick(till.forms[0], "testCard", picked)
    assert till.ask(_NUMBER) == "4000 0000 0000 9979"
    till.pay()
    assert till.result["status"] == "failed"
    assert "stolen" in till.result["error_message"].lower()
