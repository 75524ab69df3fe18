"""A page at an address that ends in a slash, as some programs write it: all that it loads and leads to is there."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.catalogue import BY_NAME
from tests.browser.customer import Customer
from tests.browser.merchant import Merchant, card, link
from tests.browser.shop import Shop


@pytest.mark.parametrize("page", ["a picture", "its own end", "a script"])
def test_a_page_is_whole_at_its_address_with_a_slash(
    merchant: Merchant, customer: Customer, shop: Shop, base: str, page: str
) -> None:
    if page == "a picture":
        customer.open(link(merchant.pay(BY_NAME["pix"].body), base) + "//?from=mail")
        assert customer.page.url.endswith("?from=mail")
        customer.page.wait_for_function("() => document.images[0].naturalWidth > 0")
    elif page == "its own end":
        merchant.post("/_sandbox/next", {"on": "charge", "then": {"challenge": "approved"}})
        customer.page.goto(link(merchant.pay(card("visa_success"), return_url=shop.back), base) + "/")
        customer.page.wait_for_url(f"{shop.base}/back**")
    else:
        order = {"amount": 6540, "currency": "EUR", "profile_id": "pro_shop", "payment_link": True}
        made = merchant.post("/payments", {**order, "return_url": shop.back, "session_expiry": 900})
        customer.open(base + urlsplit(made["payment_link"]["link"]).path + "/")
        expect(customer.find("pay-in-frame")).to_be_visible()
