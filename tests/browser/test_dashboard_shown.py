"""Every page of the dashboard: fit to be read by eye and by screen reader, wide and narrow, and closed to injections.

`pytest tests/browser --pictures FOLDER` keeps pictures of all of them (`make pictures`). With PAYMENT_SANDBOX_SOAK
every page is looked at in every view, and every hostile text is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product, repeat

import pytest
from playwright.sync_api import ViewportSize

from tests.browser.axe import CONTRAST, OF_VIEW, SETTLED, WIDTHS, findings_of_all_views, issues
from tests.browser.customer import Customer
from tests.browser.desk import HOME, PAGES, Filled, fill, look, pay
from tests.browser.merchant import Merchant
from tests.browser.shown_at_sizes import keep
from tests.browser.sights import WIDE, View
from tests.browser.test_injection import CORPUS, TAGS, WORST
from tests.counts import SOAK

BEYOND = """() => document.documentElement.scrollWidth > innerWidth + 1
  ? [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1
      && !e.closest('.scroll, pre, .menu, textarea')).map(e => e.outerHTML.slice(0, 200)) : []"""
IN_THE_MARGIN = """() => [...document.querySelectorAll('main > table, main > .card')]
  .filter(e => e.getBoundingClientRect().right > e.parentElement.getBoundingClientRect().right
    - parseFloat(getComputedStyle(e.parentElement).paddingRight) + 1).map(e => e.outerHTML.slice(0, 200))"""
NO_ROWS = """() => matchMedia('(max-width: 58rem)').matches ? []
  : [...document.querySelectorAll('tbody tr')].filter(e => !['table-row', 'none'].includes(getComputedStyle(e).display))
      .map(e => e.className)"""
"""What stands in a table and is laid out as no row of it; on a phone each row is a card."""
BROKEN = """() => [...document.querySelectorAll('table:not(.changes) :is(td, th)')].flatMap(cell => {
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), broken = [];
  while (texts.nextNode()) for (const word of texts.currentNode.data.matchAll(/\\S+/g)) {
    const range = document.createRange();
    range.setStart(texts.currentNode, word.index);
    range.setEnd(texts.currentNode, word.index + word[0].length);
    const lines = new Set([...range.getClientRects()].filter(r => r.width).map(r => r.top));
    if (lines.size > 1 && word[0].length < 40) broken.push(word[0]);
  }
  return broken;
})"""
"""Words of tables that are cut in two; longer ones, as in addresses and JSON, may be."""
CLIPPED = """() => [...document.querySelectorAll('main *')].filter(box => {
  const style = getComputedStyle(box);
  return box.checkVisibility() && ['hidden', 'clip'].includes(style.overflowX) && style.textOverflow !== 'ellipsis'
    && !box.matches('.hidden, input') && box.scrollWidth > box.clientWidth + 1;
}).flatMap(box => [...box.querySelectorAll('*')]
  .filter(e => e.getBoundingClientRect().right > box.getBoundingClientRect().right + 1)
  .map(e => e.outerHTML.slice(0, 200)))"""
"""What is cut off at the side of a table or a card, and can be scrolled to by nobody."""
NARROW = 320
"""The width at which nothing may be lost (WCAG 2.2, 1.4.10): a window of 1280 at 400 %."""
PAPER = ViewportSize(width=794, height=1123)
"""A4 at 96 dots an inch."""
PRESSED = """() => [...document.querySelectorAll('nav.menu, button, input:not([type=hidden]), select, .filters')]
  .filter(e => e.checkVisibility()).map(e => e.outerHTML.slice(0, 200))"""
CUT = """() => [...document.querySelectorAll('main *')]
  .filter(e => e.checkVisibility() && e.scrollHeight > e.clientHeight + 1
  && !['visible', 'clip'].includes(getComputedStyle(e).overflowY) && !e.matches('.hidden, td.who'))
  .map(e => e.outerHTML.slice(0, 200))"""
"""What would be scrolled to on a screen, and is not on paper."""
OF_ALL_COLOURS = frozenset({"payments", "payments/{failed}", "clock", "scenarios/rainy_day"})
"""Pages that together have all that colours and width can change."""
LONG = "W" * 200
ASKED = (
    *(f"{name}={LONG}" for name in (
        "find?q", "cards?find", "compare?of", "payments?customer_id", "journal?operation", "webhooks?type",
        "refunds?status",
    )),
    *(f"{name}/{LONG}" for name in ("payments", "journal", "scenarios")),
    "cards",
)  # fmt: skip
"""Pages that say again what they were asked for, and the one with the longest words of ours."""
IDLE = """() => [...document.querySelectorAll('button')]
  .filter(e => e.checkVisibility() && (e.type === 'button' || !e.form) && getComputedStyle(e).cursor !== 'text')
  .map(e => e.outerHTML.slice(0, 200))"""
"""Buttons that no form sends; one that is only a text to be copied is text."""
OPEN_ALL = "() => document.querySelectorAll('details').forEach(e => { e.open = true })"


@pytest.fixture(scope="module")
def filled(base: str) -> Iterator[Filled]:
    """One workspace for all pages that are only looked at."""
    with Merchant(base) as merchant:
        for currency in ("KWD", "JPY"):  # the longest status, and the longest amounts
            long = {"amount": 999_999_999, "currency": currency, "enable_partial_authorization": True}
            made = pay(merchant, "visa_partial_authorization", **long)
            assert made["status"] == "partially_authorized_and_requires_capture"
        yield fill(merchant)


def named(page: str) -> str:
    """How the picture of a page is called."""
    one = dict.fromkeys(("line", "failed", "event", "refund", "dispute", "waits"), "one")
    return page.format(**one).partition("?")[0].replace("/", "-") or "workspaces"


@pytest.mark.parametrize("page", ["", *PAGES])
def test_a_page_has_room_for_wide_letters(reader: Customer, base: str, filled: Filled, page: str) -> None:
    assert reader.open(base + (filled.path(page) if page else HOME)) == 200
    reader.page.evaluate("font => document.documentElement.style.setProperty('--sans', font)", WIDE)
    reader.page.evaluate(OPEN_ALL)
    for width in (*WIDTHS, NARROW):
        reader.page.set_viewport_size({"width": width, "height": 900})
        assert reader.page.evaluate(BEYOND) == [], width
        assert reader.page.evaluate(IN_THE_MARGIN) == [], width
        assert reader.page.evaluate(CLIPPED) == [], width


@pytest.mark.parametrize("page", ["", *PAGES])
def test_a_page_is_fit_to_be_read(
    pytestconfig: pytest.Config, reader: Customer, base: str, filled: Filled, page: str
) -> None:
    assert reader.open(base + (filled.path(page) if page else HOME)) == 200
    assert reader.page.locator("h1").count() == 1
    pictures = pytestconfig.getoption("--pictures", None)
    for view in View if pictures else ():
        look(reader, view)
        name = named(page)
        keep(pictures, reader, f"dashboard-{name}-{view}")
    reader.page.evaluate(OPEN_ALL)
    for width in WIDTHS:
        reader.page.set_viewport_size({"width": width, "height": 900})
        assert reader.page.evaluate(BEYOND) == [], width
        assert reader.page.evaluate(NO_ROWS) == [], width
        assert width < WIDTHS[1] or reader.page.evaluate(BROKEN) == [], width
    assert findings_of_all_views(reader) == []
    for view, rules in OF_VIEW.items():
        look(reader, view)
        reader.page.evaluate(SETTLED)
        has_colours = page in OF_ALL_COLOURS or SOAK
        if view is View.LIGHT or has_colours:
            assert issues(reader, *rules, but="" if has_colours else CONTRAST) == [], view


def test_what_was_asked_for_has_room_however_long_it_is(reader: Customer, base: str, filled: Filled) -> None:
    wide = {}
    for page, width in product(ASKED, (NARROW, 940, 1024)) if SOAK else ((*zip(ASKED, repeat(NARROW)), ("cards", 940))):
        reader.page.set_viewport_size({"width": width, "height": 800})
        reader.open(base + filled.path(page))
        if (by := reader.page.evaluate("() => document.documentElement.scrollWidth - innerWidth")) > 0:
            wide[page[:40], width] = by
    reader.alarms.clear()  # the browser's console tells of 404
    assert wide == {}


def test_without_scripts_nothing_is_offered_that_only_they_do(scriptless: Customer, base: str, filled: Filled) -> None:
    idle = {}
    for page in ("", *PAGES[:: 1 if SOAK else 4]):
        scriptless.open(base + (filled.path(page) if page else HOME))
        scriptless.page.evaluate(OPEN_ALL)
        if found := scriptless.page.evaluate(IDLE):
            idle[page] = found
    assert idle == {}


def test_a_first_visit_is_fit_to_be_read(reader: Customer, merchant: Merchant, base: str) -> None:
    merchant.get("/_sandbox/clock")
    merchant.try_to_pay({}, amount=-1)
    for page in ("overview", "payments", "webhooks"):
        reader.open(f"{base}{HOME}/w_{merchant.key.digest}/{page}")
        look(reader, View.PHONE)
        assert issues(reader) == [], page
        assert reader.page.evaluate(BEYOND) == [], page


@pytest.mark.parametrize("page", ["/", f"{HOME}/w_gone/payments", f"{HOME}/x/y", "payments/pay_no"])
def test_pages_around_the_workspace_are_fit_to_be_read(reader: Customer, base: str, filled: Filled, page: str) -> None:
    reader.open(base + (page if page.startswith("/") else filled.path(page)))
    assert findings_of_all_views(reader) == []
    reader.alarms.clear()  # the browser's console tells of 404
    look(reader, View.LIGHT)


def test_whatever_was_written_is_text(customer: Customer, base: str) -> None:
    """Nothing runs, nothing is loaded and no element is there that is not there for plain words."""
    for text in ("plain", WORST, *CORPUS[:: 1 if SOAK else len(CORPUS) // 3]):
        with Merchant(base) as shop:
            own = {"note": text, "x": text[:20]}
            made = fill(shop, description=text, metadata=own, name=text, customer={"id": "cus_1", "name": text})
            for page in ("payments", "payments/{failed}", "journal/{line}", "webhooks/{event}"):
                customer.open(made.path(page))
                assert customer.page.evaluate("() => document.scripts.length") == 1, (page, text)
                loading = "img:not([data-testid=sequence]), iframe, object, base, meta[http-equiv]"
                assert customer.page.locator(loading).count() == 0, (page, text)
    assert customer.alarms == []
    assert customer.page.evaluate(TAGS)


def test_on_a_phone_the_first_payment_is_in_the_first_screen(reader: Customer, base: str, filled: Filled) -> None:
    reader.page.set_viewport_size({"width": 390, "height": 780})
    for page, row in (("payments", "payment"), ("journal", "line")):
        reader.open(base + filled.path(page))
        box = reader.find(row).first.bounding_box()
        assert box is not None and box["y"] + box["height"] < 780, (page, box)


UNSAID = """() => {
  const seen = document.body.innerText, times = document.querySelectorAll("time").length;
  const parts = [...document.querySelectorAll(".pages > span")].filter(one => !one.offsetParent);
  return [...parts.map(one => one.textContent), ...times && !seen.includes("UTC") ? ["its zone"] : []];
}"""
"""What a page on paper has to say of its rows: which of how many they are, and in which zone their times are."""


def test_on_paper_there_is_what_is_read_and_nothing_to_press(reader: Customer, base: str, filled: Filled) -> None:
    reader.page.emulate_media(media="print")
    reader.page.set_viewport_size(PAPER)
    for page, row in (("payments", "payment"), ("payments/{failed}", "headline"), ("journal/{line}", "response")):
        reader.open(base + filled.path(page))
        assert reader.find(row).first.is_visible()
    for page in PAGES:
        reader.open(base + filled.path(page))
        assert reader.page.evaluate(PRESSED) == [], page
        assert reader.page.evaluate(UNSAID) == [], page
        assert reader.page.evaluate(CUT) == [], page
        assert reader.page.evaluate(BEYOND) == [], page
    reader.page.emulate_media(media="screen")
