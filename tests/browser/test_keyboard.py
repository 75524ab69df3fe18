"""Pages by keyboard alone and without script: they end as they do for a person with a mouse."""

from __future__ import annotations

import pytest

from tests.browser.catalogue import BY_NAME, FORMS, Case
from tests.browser.customer import Customer
from tests.browser.merchant import Merchant, link
from tests.browser.shop import Shop
from tests.pages.browser import verified


def ends(case: Case) -> tuple[str, ...]:
    """All endings of the bank's challenge; of other pages the first, which may ask for more, and the last in sight."""
    return case.endings if case.name == "challenge" else (case.endings[0], case.endings[-3])


@pytest.fixture
def customer(onlooker: Customer) -> Customer:
    """Nothing has to be drawn to be reached by keys."""
    return onlooker


@pytest.mark.parametrize("case", FORMS, ids=lambda case: case.name)
def test_buttons_are_reached_by_keyboard(
    merchant: Merchant, onlooker: Customer, shop: Shop, base: str, case: Case
) -> None:
    for times, result in enumerate(ends(case), start=1):
        made = merchant.pay(case.body, return_url=shop.back)
        onlooker.open(link(made, base))
        onlooker.choose_by_keyboard(case, result)
        onlooker.page.wait_for_url(f"{shop.base}/**")
        assert shop.came_back(times).told["status"] == merchant.status(made) != "requires_action", result


def test_the_bank_is_chosen_by_arrow_keys(merchant: Merchant, onlooker: Customer, shop: Shop, base: str) -> None:
    made = merchant.pay(BY_NAME["ideal"].body, return_url=shop.back)
    onlooker.open(link(made, base))
    onlooker.tab_to("banks")
    onlooker.page.keyboard.press("ArrowDown")
    chosen = onlooker.page.locator(":checked").get_attribute("value")
    assert chosen == onlooker.page.get_by_role("radio").nth(1).get_attribute("value")
    onlooker.tab_to("approved")
    onlooker.page.keyboard.press("Enter")
    onlooker.page.wait_for_url(f"{shop.base}/**")
    line = merchant.get("/_sandbox/journal?operation=page.*")["data"][-1]
    assert line["because"][0]["text"] == f"the customer chose approved at {chosen}"


def test_enter_in_the_code_field_approves(merchant: Merchant, onlooker: Customer, shop: Shop, base: str) -> None:
    made = merchant.pay(BY_NAME["one_time_code"].body, return_url=shop.back)
    onlooker.open(link(made, base))
    onlooker.tab_to("code")
    onlooker.page.keyboard.type("123456")
    onlooker.page.keyboard.press("Enter")
    onlooker.page.wait_for_url(f"{shop.base}/**")
    assert merchant.status(made) == "succeeded"


@pytest.mark.parametrize("case", FORMS, ids=lambda case: case.name)
def test_buttons_work_without_script(
    merchant: Merchant, scriptless: Customer, shop: Shop, base: str, case: Case
) -> None:
    for times, result in enumerate(ends(case), start=1):
        made = merchant.pay(case.body, return_url=shop.back)
        scriptless.open(link(made, base))
        scriptless.choose(case, result)
        scriptless.page.wait_for_url(f"{shop.base}/**")
        assert shop.came_back(times).told["status"] == merchant.status(made) != "requires_action", result


def test_without_script_a_button_sends_the_form_back(
    merchant: Merchant, scriptless: Customer, shop: Shop, base: str
) -> None:
    made = merchant.pay(BY_NAME["challenge"].body, return_url=shop.back)
    merchant.profile(made, redirect_to_merchant_with_http_post=True)
    scriptless.open(link(made, base))
    scriptless.choose(BY_NAME["challenge"], "approved")
    assert scriptless.text("status") == "succeeded"
    assert shop.arrivals == []
    scriptless.find("go-on").click()
    arrival = shop.came_back()
    assert (arrival.method, arrival.told["status"]) == ("POST", "succeeded")
    assert verified(arrival.pairs, merchant.secret())


def test_without_script_a_wait_screen_goes_on(merchant: Merchant, scriptless: Customer, shop: Shop, base: str) -> None:
    made = merchant.pay(BY_NAME["upi_intent"].body, return_url=shop.back)
    scriptless.open(link(made, base))
    merchant.authenticate(made, "approved")
    scriptless.page.wait_for_url(f"{shop.base}/**")
    assert shop.came_back().told["status"] == "succeeded"
