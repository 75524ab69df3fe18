"""Whatever a merchant or a customer writes is text on every page: nothing runs, nothing else opens, nothing breaks.

The fields of a payment hold every hostile text, half of them its names and half the rest, and each of them all with
PAYMENT_SANDBOX_SOAK; other fields hold some, and more then. tests/pages holds the same fields to it without a browser.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.browser.catalogue import BY_NAME
from tests.browser.customer import Customer
from tests.browser.merchant import Merchant, link, method
from tests.browser.shop import Shop
from tests.browser.sights import SIGHTS
from tests.counts import SOAK
from tests.pages.browser import verified
from tests.pages.test_closed import INJECTIONS

CORPUS = (
    *INJECTIONS,
    "<img src=x onerror=alert`1`>",
    "<svg><script>alert&#40;1)</script>",
    '"autofocus onfocus=alert(1) x="',
    "</textarea></noscript><script>alert(1)</script>",
    "</script><script>alert(1)//",
    "<a href=javascript:alert(1) data-testid=approved>Approve</a>",
    "<button name=result value=approved form=f>x</button>",
    "<style>*{display:none}</style>",
    "<details open ontoggle=alert(1)>",
    "\u2028alert(1)\u2029",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
    "0;url=javascript:alert(1)",
    "\ufffd\ufeff<script>alert(1)</script>",
)
OTHER_SHOP = "https://shop.example.test/"
TAGS = "() => [...document.querySelectorAll('*')].map(e => e.tagName + ' ' + e.getAttributeNames().sort().join(' '))"


def everywhere(text: str) -> dict[str, Any]:
    """The text in each field of a payment that may hold any."""
    short = "x" + "".join(char for char in text if char.isprintable())[:20]
    return {
        "name": text,
        "description": text,
        "statement_descriptor_name": short,
        "statement_descriptor_suffix": short,
        "metadata": {"note": text, short: "x"},
        "customer": {"id": "cus_1", "name": text},
        "billing": {"address": {"country": "NL", "line1": text, "first_name": text, "last_name": text}},
        "shipping": {"address": {"country": "NL", "city": text, "line2": text}},
        "order_details": [{"product_name": text, "quantity": 1, "amount": 6540}],
        "merchant_order_reference_id": short,
    }


@pytest.fixture
def customer(onlooker: Customer) -> Customer:
    """Nothing has to be drawn: buttons are pressed where they are."""
    return onlooker


def test_nothing_runs_and_nothing_breaks(merchant: Merchant, customer: Customer, shop: Shop, base: str) -> None:
    customer.open(link(merchant.pay(BY_NAME["challenge"].body), base))
    tags = customer.page.evaluate(TAGS)
    halves = zip_longest(CORPUS[::2], CORPUS[1::2], fillvalue="x")
    for text, other in zip(CORPUS, CORPUS, strict=True) if SOAK else halves:
        fields = {**everywhere(text), "name": other, "customer": {"id": "cus_1", "name": other}}
        made = merchant.pay(BY_NAME["challenge"].body, return_url=shop.back, **fields)
        merchant.profile(made, profile_name=other.strip()[:64] or "x")
        customer.open(link(made, base))
        assert customer.page.evaluate(TAGS) == tags, text
        assert spaceless(customer.text("description")) == spaceless(text)
        assert spaceless(other).startswith(spaceless(customer.text("merchant")))
        assert customer.alarms == [], text
    customer.press("approved")
    customer.page.wait_for_url(f"{shop.base}/**")
    assert shop.came_back().told["status"] == "succeeded"


def spaceless(text: str) -> str:
    """What can be seen of a text: browsers show no control characters and fold spaces."""
    return "".join(char for char in text if char.isprintable() and not char.isspace() and char != "\ufffd")


STRANGE = "img:not([data-testid=qr-code]), script:not(body > script)"
WORST = "\"'></title></style></noscript></dd></main><script>alert(1)</script><img src=x onerror=alert(1)>{{7*7}}"


def test_no_page_lets_anything_run(merchant: Merchant, customer: Customer, shop: Shop, base: str) -> None:
    for sight in SIGHTS:
        sight.show(merchant, customer, shop, base, everywhere(WORST))
        assert customer.page.locator(STRANGE).count() == 0, sight.name
        assert customer.find("sandbox-notice").is_visible(), sight.name
        assert customer.alarms == [], sight.name
        customer.page.unroute_all()


def test_a_banks_name_is_text(merchant: Merchant, customer: Customer, base: str) -> None:
    for text in CORPUS[:: 1 if SOAK else 3]:
        made = merchant.pay(method("bank_redirect", "ideal", "ideal", {"bank_name": text}), return_url=OTHER_SHOP)
        customer.open(link(made, base))
        labels = customer.page.get_by_role("group").locator("label").all_inner_texts()
        assert (len(labels), spaceless(labels[0])) == (4, spaceless(text))
        assert customer.page.get_by_role("button").count() == 3
        assert customer.alarms == [], text


BY_FORM = [text for text in CORPUS if text.isprintable()][:: 2 if SOAK else 4]
BY_QUERY = BY_FORM[::3]
"""Fewer, as a redirect shows them nowhere."""


@pytest.mark.parametrize(("by_form", "texts"), [(False, BY_QUERY), (True, BY_FORM)], ids=["by_query", "by_form"])
def test_a_return_url_leads_to_its_own_place(
    merchant: Merchant, customer: Customer, shop: Shop, base: str, by_form: bool, texts: list[str]
) -> None:
    """Whatever its query holds; an address that is none of the web's is refused before there is a page."""
    for times, text in enumerate(texts, start=1):
        made = merchant.pay(BY_NAME["challenge"].body, return_url=f"{shop.base}/back?{urlencode({'note': text})}")
        merchant.profile(made, redirect_to_merchant_with_http_post=by_form)
        customer.open(link(made, base))
        customer.press("approved")
        customer.page.wait_for_url(f"{shop.base}/**")
        arrival = shop.came_back(times)
        assert (arrival.method, arrival.path) == ("POST" if by_form else "GET", "/back")
        assert arrival.told["note"] == text
        assert verified(arrival.pairs, merchant.secret())


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "//x", "file:///"])
def test_an_address_that_is_none_of_the_webs_is_refused(merchant: Merchant, url: str) -> None:
    assert merchant.try_to_pay(BY_NAME["challenge"].body, return_url=url).status_code == 400
