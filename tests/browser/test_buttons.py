"""Every button of every page ends where its API twin ends, and what happened reads the same."""

from __future__ import annotations

from typing import Final

import pytest

from tests.browser.catalogue import BY_NAME, CASES, Case
from tests.browser.customer import Customer
from tests.browser.merchant import Merchant, link
from tests.browser.shop import Shop
from tests.counts import SOAK
from tests.pages.browser import verified

SAME = (
    "status", "amount_received", "amount_capturable", "error_code", "error_message", "unified_code", "next_action",
    "cancellation_reason", "attempt_count",
)  # fmt: skip


@pytest.fixture
def customer(onlooker: Customer) -> Customer:
    """Nothing has to be drawn: buttons are pressed where they are."""
    return onlooker


OF_EACH_KIND: Final = {(case.kind, case.asks, case.body["payment_method"]): case for case in reversed(CASES)}
"""One of the methods of a category that have the same page: all of them are pressed under PAYMENT_SANDBOX_SOAK."""


@pytest.mark.parametrize("case", CASES if SOAK else OF_EACH_KIND.values(), ids=lambda case: case.name)
def test_every_button_ends_where_its_twin_ends(merchant: Merchant, customer: Customer, base: str, case: Case) -> None:
    """The shop shows nothing, so that the page stays: what was told to it counts."""
    with Shop(shows=False) as shop:
        _press_all(merchant, customer, shop, base, case)


def endings(case: Case) -> tuple[str, ...]:
    """In the normal run every page's first, and of the others each second: which of them, changes with each page."""
    first, *others = case.endings
    at = list(OF_EACH_KIND.values()).index(case) if not SOAK else 0
    return (first, *others[at % 2 :: 1 if SOAK else 2])


def _press_all(merchant: Merchant, customer: Customer, shop: Shop, base: str, case: Case) -> None:
    for times, result in enumerate(endings(case), start=1):
        by_page, by_call = (merchant.pay(case.body, return_url=shop.back) for _ in range(2))
        assert customer.open(link(by_page, base)) == 200
        with customer.page.expect_response(f"{shop.base}/**"):
            customer.choose(case, result)
        twin = merchant.authenticate(by_call, result)
        found = merchant.get(f"/payments/{by_page['payment_id']}")
        assert {name: found[name] for name in SAME} == {name: twin[name] for name in SAME}, result
        assert merchant.timeline(by_page) == merchant.timeline(by_call), result
        arrival = shop.came_back(times)
        assert (arrival.method, arrival.path, arrival.told["order"]) == ("GET", "/back", "42")
        assert (arrival.told["status"], arrival.told["payment_id"]) == (found["status"], by_page["payment_id"])
        assert verified(arrival.pairs, merchant.secret())


def test_a_twin_of_another_ending_reads_differently(merchant: Merchant) -> None:
    first, second = (merchant.pay(BY_NAME["challenge"].body) for _ in range(2))
    merchant.authenticate(first, "approved")
    merchant.authenticate(second, "declined")
    assert merchant.timeline(first) != merchant.timeline(second)


@pytest.mark.parametrize("name", ["pix", "boleto", "multibanco", "ach", "sepa", "bacs"])
def test_money_sent_is_money_seen(merchant: Merchant, customer: Customer, shop: Shop, base: str, name: str) -> None:
    by_page, by_call = (merchant.pay(BY_NAME[name].body, return_url=shop.back) for _ in range(2))
    customer.open(link(by_page, base))
    customer.choose(BY_NAME[name], "approved")
    customer.page.wait_for_url(f"{shop.base}/**")
    merchant.post(f"/_sandbox/payments/{by_call['payment_id']}/settle", {"as": "pending"})
    assert merchant.timeline(by_page) == merchant.timeline(by_call)
    for made in (by_page, by_call):
        merchant.post(f"/_sandbox/payments/{made['payment_id']}/settle", {"as": "succeeded"})
    assert merchant.timeline(by_page) == merchant.timeline(by_call)
    assert merchant.status(by_page) == "succeeded"


@pytest.mark.parametrize("name", ["one_time_code", "captcha"])
def test_a_mistake_is_said_and_the_page_stays(
    merchant: Merchant, customer: Customer, shop: Shop, base: str, name: str
) -> None:
    made = merchant.pay(BY_NAME[name].body, return_url=shop.back)
    customer.open(link(made, base))
    customer.press("approved")
    assert customer.find("mistake").get_attribute("role") == "alert"
    assert customer.find("mistake").is_visible()
    assert merchant.status(made) == "requires_action"
    customer.alarms.clear()  # the browser's console tells of the 422
    customer.choose(BY_NAME[name], "approved")
    customer.page.wait_for_url(f"{shop.base}/**")
    assert shop.came_back().told["status"] == "succeeded"


def test_the_chosen_bank_is_told(merchant: Merchant, customer: Customer, shop: Shop, base: str) -> None:
    made = merchant.pay(BY_NAME["ideal"].body, return_url=shop.back)
    customer.open(link(made, base))
    bank = customer.page.get_by_role("radio").nth(2)
    bank.press("Space")
    name = bank.get_attribute("value")
    customer.choose(BY_NAME["ideal"], "approved")
    customer.page.wait_for_url(f"{shop.base}/**")
    line = merchant.get("/_sandbox/journal?operation=page.*")["data"][-1]
    assert line["because"][0]["text"] == f"the customer chose approved at {name}"


def test_the_link_opened_again_leads_nowhere_else(
    merchant: Merchant, customer: Customer, shop: Shop, base: str
) -> None:
    made = merchant.pay(BY_NAME["challenge"].body, return_url=shop.back)
    customer.open(link(made, base))
    customer.choose(BY_NAME["challenge"], "declined")
    customer.page.wait_for_url(f"{shop.base}/**")
    customer.open(link(made, base))
    customer.page.wait_for_url(f"{shop.base}/**")
    assert merchant.status(made) == "failed"
    assert {arrival.told["status"] for arrival in shop.arrivals} == {"failed"}
