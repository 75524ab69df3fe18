"""Customer pages of what is paid in another place: they notice that it was, and their codes and details are copied."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.catalogue import BY_NAME
from tests.browser.customer import Customer
from tests.browser.merchant import Merchant, link
from tests.browser.shop import Shop


@pytest.mark.parametrize("name", ["ali_pay", "pix", "boleto", "sepa"])
def test_a_page_notices_what_happened_elsewhere(
    merchant: Merchant, hasty: Customer, shop: Shop, base: str, name: str
) -> None:
    made = merchant.pay(BY_NAME[name].body, return_url=shop.back)
    hasty.open(link(made, base))
    with hasty.page.expect_response(lambda answer: answer.status == 204):  # still open: nothing moves
        hasty.page.clock.fast_forward(3_000)
    hasty.find("more").click()
    expect(hasty.find("expired")).to_be_visible()
    merchant.post(f"/_sandbox/payments/{made['payment_id']}/settle", {"as": "succeeded"})
    hasty.page.clock.fast_forward(3_000)
    hasty.page.wait_for_url(f"{shop.base}/**")
    assert shop.came_back().told["status"] == "succeeded"


def test_details_are_copied_by_a_button(merchant: Merchant, customer: Customer, shop: Shop, base: str) -> None:
    made = merchant.pay(BY_NAME["sepa"].body, return_url=shop.back)
    details = made["next_action"]["bank_transfer_steps_and_charges_details"]["sepa_bank_instructions"]
    customer.open(link(made, base))
    button = customer.page.get_by_role("button", name="Copy IBAN")
    button.click()
    expect(button).to_have_text("Copied")
    assert customer.page.evaluate("navigator.clipboard.readText()") == details["iban"]
    customer.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('not here')) }")
    customer.page.get_by_role("button", name="Copy BIC").click()
    expect(customer.page.get_by_role("button", name="Copy BIC")).to_have_text("Copied")
    assert customer.page.evaluate("() => getSelection().toString()") == details["bic"]
    assert customer.page.evaluate("navigator.clipboard.readText()") == details["bic"]


def test_without_script_a_code_is_selected_by_one_click(
    merchant: Merchant, scriptless: Customer, shop: Shop, base: str
) -> None:
    made = merchant.pay(BY_NAME["pix"].body, return_url=shop.back)
    scriptless.open(link(made, base))
    assert not scriptless.find("copy").is_visible()
    code = scriptless.find("instructions").locator(".code")
    code.click()
    assert scriptless.page.evaluate("() => getSelection().toString()") == code.inner_text()
