"""Every page of the dashboard: fit to be read by eye and by screen reader, wide and narrow, and closed to injections.

`pytest tests/browser --pictures FOLDER` keeps pictures of all of them (`make pictures`). With PAYMENT_SANDBOX_SOAK
every page is looked at in every view, and every hostile text is written.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.axe import OF_VIEW, issues
from tests.browser.customer import Customer
from tests.browser.desk import HOME, PAGES, Filled, fill, look
from tests.browser.merchant import Merchant
from tests.browser.sights import View
from tests.browser.test_injection import CORPUS, TAGS, WATCH, WORST
from tests.browser.test_shown import keep
from tests.counts import SOAK

BEYOND = """() => document.documentElement.scrollWidth > innerWidth + 1
  ? [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1
      && !e.closest('.scroll, pre, .menu, textarea')).map(e => e.outerHTML.slice(0, 200)) : []"""
OF_ALL_COLOURS = frozenset({"payments", "payments/{failed}", "clock", "scenarios/rainy_day"})
"""Pages that together have all that colours and width can change."""
OPEN_ALL = "() => document.querySelectorAll('details').forEach(e => { e.open = true })"
SETTLED = "() => document.getAnimations().forEach(a => a.finish())"


@pytest.fixture(scope="module")
def filled(base: str) -> Iterator[Filled]:
    """One world for all pages that are only looked at."""
    with Merchant(base) as merchant:
        yield fill(merchant)


@pytest.mark.parametrize("page", ["", *PAGES])
def test_a_page_is_fit_to_be_read(
    pytestconfig: pytest.Config, customer: Customer, base: str, filled: Filled, page: str
) -> None:
    assert customer.open(base + (filled.path(page) if page else HOME)) == 200
    assert customer.page.locator("h1").count() == 1
    for view in View:
        look(customer, view)
        name = page.format(line="call", failed="one", event="one").partition("?")[0].replace("/", "-") or "worlds"
        keep(pytestconfig.getoption("--pictures", None), customer, f"dashboard-{name}-{view}")
    customer.page.evaluate(OPEN_ALL)
    for view, rules in OF_VIEW.items():
        look(customer, view)
        customer.page.evaluate(SETTLED)
        assert customer.page.evaluate(BEYOND) == [], view
        if view is View.LIGHT or page in OF_ALL_COLOURS or SOAK:
            assert issues(customer, *rules) == [], view


def test_a_first_visit_is_fit_to_be_read(customer: Customer, merchant: Merchant, base: str) -> None:
    merchant.get("/_sandbox/clock")
    for page in ("payments", "webhooks"):
        customer.open(f"{base}{HOME}/w_{merchant.key.digest}/{page}")
        look(customer, View.PHONE)
        assert issues(customer) == [], page
        assert customer.page.evaluate(BEYOND) == [], page


def test_whatever_was_written_is_text(browser: Browser, base: str, merchant: Merchant) -> None:
    """Nothing runs, nothing is loaded and no element is there that is not there for plain words."""
    context = browser.new_context(base_url=base)
    desk = Customer(context.new_page())
    desk.page.add_init_script(WATCH)
    for text in ("plain", WORST, *CORPUS[:: 1 if SOAK else len(CORPUS) // 3]):
        with Merchant(base) as shop:
            made = fill(
                shop, description=text, metadata={"note": text, "x": text[:20]}, customer={"id": "cus_1", "name": text}
            )
            for page in ("payments", "payments/{failed}", "journal/{line}", "webhooks/{event}"):
                desk.open(made.path(page))
                assert desk.page.evaluate("() => document.scripts.length") == 1, (page, text)
                assert desk.page.locator("img, iframe, object, base, meta[http-equiv]").count() == 0, (page, text)
    assert desk.alarms == []
    assert desk.page.evaluate(TAGS)
    context.close()
