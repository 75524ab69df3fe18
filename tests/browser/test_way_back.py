"""How pages end: by themselves, by another device, by a form, in a frame, without a shop, and when it is too late."""

from __future__ import annotations

import pytest

from tests.browser.catalogue import BY_NAME
from tests.browser.customer import Customer
from tests.browser.merchant import Merchant, card, link
from tests.browser.shop import Shop
from tests.pages.browser import verified

CHALLENGE = BY_NAME["challenge"]
FIXED = [("approved", "succeeded"), ("declined", "failed"), ("cancelled", "failed"), ("expired", "failed"),
         ("unavailable", "failed")]  # fmt: skip
LOOKS_MS = 3_000
"""How often a wait screen looks whether it is still open."""


@pytest.mark.parametrize(("result", "status"), FIXED)
def test_a_page_that_a_scenario_ends_goes_on_by_itself(
    merchant: Merchant, onlooker: Customer, shop: Shop, base: str, result: str, status: str
) -> None:
    text = f"version: 1\nname: fixed_end\nrules:\n  - on: charge\n    then: {{challenge: {result}}}\n"
    merchant.activate("fixed_end", text)
    by_page, by_call = (merchant.pay(card("visa_success"), return_url=shop.back) for _ in range(2))
    onlooker.page.goto(link(by_page, base), wait_until="commit")
    onlooker.page.wait_for_url(f"{shop.base}/**")
    merchant.authenticate(by_call, result)
    assert shop.came_back().told["status"] == merchant.status(by_page) == status
    assert merchant.timeline(by_page) == merchant.timeline(by_call)


def test_a_page_that_the_queue_ends_goes_on_by_itself(
    merchant: Merchant, onlooker: Customer, shop: Shop, base: str
) -> None:
    merchant.post("/_sandbox/next", {"on": "charge", "then": {"challenge": "approved"}})
    made = merchant.pay(card("visa_success"), return_url=shop.back)
    onlooker.page.goto(link(made, base), wait_until="commit")
    onlooker.page.wait_for_url(f"{shop.base}/**")
    assert shop.came_back().told["status"] == merchant.status(made) == "succeeded"


def test_nobody_comes_back_where_a_scenario_says_so(
    merchant: Merchant, onlooker: Customer, shop: Shop, base: str
) -> None:
    merchant.post("/_sandbox/next", {"on": "charge", "then": {"challenge": "abandoned"}})
    made = merchant.pay(card("visa_success"), return_url=shop.back)
    onlooker.open(link(made, base))
    assert onlooker.page.get_by_role("heading").inner_text() == "The customer does not return"
    assert merchant.status(made) == "requires_action"


def test_a_wait_screen_goes_on_when_the_app_has_approved(
    merchant: Merchant, hasty: Customer, shop: Shop, base: str
) -> None:
    made = merchant.pay(BY_NAME["upi_collect"].body, metadata={}, return_url=shop.back)
    hasty.open(link(made, base))
    hasty.find("more").click()
    merchant.post("/_sandbox/clock/advance", {"by": "2s"})
    hasty.page.clock.run_for(LOOKS_MS)
    hasty.page.wait_for_url(f"{shop.base}/**")
    assert shop.came_back().told["status"] == "succeeded"


def test_a_wait_screen_leaves_its_reader_in_peace(merchant: Merchant, hasty: Customer, shop: Shop, base: str) -> None:
    made = merchant.pay(BY_NAME["upi_intent"].body, return_url=shop.back)
    hasty.open(link(made, base))
    hasty.find("more").click()
    with hasty.page.expect_response("**/payments/redirect/**"):  # it has looked once
        hasty.page.clock.run_for(LOOKS_MS)
    assert hasty.find("expired").is_visible()
    merchant.authenticate(made, "declined")
    hasty.page.clock.run_for(LOOKS_MS)
    hasty.page.wait_for_url(f"{shop.base}/**")
    assert shop.came_back().told["status"] == "failed"


@pytest.mark.parametrize("result", ["approved", "declined"])
def test_a_profile_can_want_a_form_that_sends_itself(
    merchant: Merchant, onlooker: Customer, shop: Shop, base: str, result: str
) -> None:
    made = merchant.pay(CHALLENGE.body, return_url=shop.back)
    merchant.profile(made, redirect_to_merchant_with_http_post=True)
    onlooker.open(link(made, base))
    onlooker.choose(CHALLENGE, result)
    onlooker.page.wait_for_url(f"{shop.base}/**")
    arrival = shop.came_back()
    assert (arrival.method, arrival.path) == ("POST", "/back")
    assert arrival.told["status"] == merchant.status(made)
    assert arrival.told["order"] == "42"
    assert verified(arrival.pairs, merchant.secret())


@pytest.mark.parametrize("result", ["approved", "cancelled"])
def test_a_payment_is_paid_in_a_frame(
    merchant: Merchant, onlooker: Customer, shop: Shop, base: str, result: str
) -> None:
    made = merchant.pay(CHALLENGE.body, return_url=shop.back)
    onlooker.page.goto(f"{shop.base}/frame?of={link(made, base)}")
    frame = onlooker.page.frame("pay")
    assert frame is not None
    onlooker.choose(CHALLENGE, result, within=frame)
    frame.wait_for_url(f"{shop.base}/back**")
    assert shop.came_back().told["status"] == merchant.status(made)
    assert onlooker.page.url.startswith(f"{shop.base}/frame"), "the shop's own page stays"


def test_without_a_return_url_a_page_of_ours_says_how_it_stands(
    merchant: Merchant, onlooker: Customer, base: str
) -> None:
    made = merchant.pay(CHALLENGE.body)
    onlooker.open(link(made, base))
    onlooker.choose(CHALLENGE, "approved")
    onlooker.find("page-done").wait_for()
    assert onlooker.text("status") == "succeeded"
    onlooker.page.reload()
    assert onlooker.find("page-done").is_visible()


def test_too_late_a_page_says_so_and_leads_on(merchant: Merchant, customer: Customer, shop: Shop, base: str) -> None:
    made = merchant.pay(CHALLENGE.body, return_url=shop.back)
    customer.open(link(made, base))
    merchant.post("/_sandbox/clock/advance", {"by": "11h"})
    customer.find("approved").click()
    customer.find("page-over").wait_for()
    assert customer.text("status") == merchant.status(made) == "expired"
    customer.find("go-on").click()
    assert shop.came_back().told["status"] == "expired"
    assert verified(shop.came_back().pairs, merchant.secret())
    customer.alarms.clear()  # the browser's console tells of the 410


def test_a_link_that_was_never_given_out_is_refused(merchant: Merchant, customer: Customer, base: str) -> None:
    made = merchant.pay(CHALLENGE.body)
    assert customer.open(f"{link(made, base)}0") == 404
    assert customer.find("page-refused").is_visible()
    assert customer.find("message").inner_text()
    customer.alarms.clear()  # the browser's console tells of the 404
