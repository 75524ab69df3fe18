"""Every page of the dashboard: fit to be read by eye and by screen reader, wide and narrow, and closed to injections.

`pytest tests/browser --pictures FOLDER` keeps pictures of all of them (`make pictures`). With PAYMENT_SANDBOX_SOAK
every page is looked at in every view, and every hostile text is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, product, repeat
from typing import Any, Final

import pytest
from playwright.sync_api import BrowserContext, ViewportSize

from tests.browser.axe import CONTRAST, OF_VIEW, SETTLED, WIDTHS, findings_of_all_views, issues
from tests.browser.axe import source as axe_source
from tests.browser.customer import Customer
from tests.browser.desk import HOME, PAGES, Filled, fill, look, pay
from tests.browser.merchant import Merchant
from tests.browser.shown_at_sizes import keep
from tests.browser.sights import WIDE, View
from tests.browser.test_injection import CORPUS, TAGS, WORST
from tests.counts import SOAK

BEYOND = """() => document.documentElement.scrollWidth > innerWidth + 1
  ? [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1
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


@pytest.fixture(scope="module", params=["", *PAGES])
def page(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def desktop(undrawn_context: BrowserContext) -> Iterator[Customer]:
    with undrawn_context.new_page() as window:
        window.add_init_script(axe_source())
        yield Customer(window)


@pytest.fixture(scope="module")
def opened(desktop: Customer, base: str, filled: Filled, page: str) -> Iterator[Customer]:
    """A page with all that can be opened in it, for all tests that look at it: to load it takes longer than to look."""
    assert desktop.open(base + (filled.path(page) if page else HOME)) == 200
    desktop.page.evaluate(OPEN_ALL)
    yield desktop
    desktop.leave()
    assert desktop.alarms == []


def found(customer: Customer, *scripts: str) -> list[Any]:
    """What these scripts find, in one call."""
    return [
        one for many in customer.page.evaluate(f"() => [{', '.join(f'({one})()' for one in scripts)}]") for one in many
    ]


WIDE_AT: Final = dict(zip(("", *PAGES), cycle(product(WIDTHS)), strict=False))
"""The second width, beside the narrowest, at which a page is looked at with wide letters."""


def test_a_page_has_room_for_wide_letters(opened: Customer, page: str) -> None:
    opened.page.evaluate("font => document.documentElement.style.setProperty('--sans', font)", WIDE)
    for width in (NARROW, *(WIDTHS if SOAK else WIDE_AT[page])):
        opened.page.set_viewport_size({"width": width, "height": 900})
        assert found(opened, BEYOND, IN_THE_MARGIN, CLIPPED) == [], width
    opened.page.evaluate("() => document.documentElement.style.removeProperty('--sans')")


def test_a_page_is_fit_to_be_read(pytestconfig: pytest.Config, opened: Customer, page: str) -> None:
    assert opened.page.evaluate("() => document.querySelectorAll('h1').length") == 1
    pictures = pytestconfig.getoption("--pictures", None)
    if pictures:
        opened.page.reload()
    for view in View if pictures else ():
        look(opened, view)
        keep(pictures, opened, f"dashboard-{named(page)}-{view}")
    opened.page.evaluate(OPEN_ALL)
    for width in WIDTHS:
        opened.page.set_viewport_size({"width": width, "height": 900})
        assert found(opened, BEYOND, NO_ROWS, *((BROKEN,) if width >= WIDTHS[1] else ())) == [], width
    assert findings_of_all_views(opened) == []
    for view, rules in OF_VIEW.items():
        has_colours = page in OF_ALL_COLOURS or SOAK
        if view is View.LIGHT or has_colours:
            look(opened, view)
            opened.page.evaluate(SETTLED)
            but = "" if has_colours and (view is not View.PHONE or page == "clock" or SOAK) else CONTRAST
            assert issues(opened, *(one for one in rules if one != but), but=but) == [], view


def test_what_was_asked_for_has_room_however_long_it_is(onlooker: Customer, base: str, filled: Filled) -> None:
    wide = {}
    for page, width in product(ASKED, (NARROW, 940, 1024)) if SOAK else ((*zip(ASKED, repeat(NARROW)), ("cards", 940))):
        onlooker.page.set_viewport_size({"width": width, "height": 800})
        onlooker.open(base + filled.path(page))
        if (by := onlooker.page.evaluate("() => document.documentElement.scrollWidth - innerWidth")) > 0:
            wide[page[:40], width] = by
    onlooker.alarms.clear()  # the browser's console tells of 404
    assert wide == {}


def test_without_scripts_nothing_is_offered_that_only_they_do(scriptless: Customer, base: str, filled: Filled) -> None:
    idle = {}
    for page in ("", *PAGES[:: 1 if SOAK else 4]):
        scriptless.open(base + (filled.path(page) if page else HOME))
        scriptless.page.evaluate(OPEN_ALL)
        if found := scriptless.page.evaluate(IDLE):
            idle[page] = found
    assert idle == {}


def test_a_first_visit_is_fit_to_be_read(examiner: Customer, merchant: Merchant, base: str) -> None:
    merchant.get("/_sandbox/clock")
    merchant.try_to_pay({}, amount=-1)
    for page in ("overview", "payments", "webhooks"):
        examiner.open(f"{base}{HOME}/w_{merchant.key.digest}/{page}")
        look(examiner, View.PHONE)
        assert issues(examiner) == [], page
        assert examiner.page.evaluate(BEYOND) == [], page


@pytest.mark.parametrize("page", ["/", f"{HOME}/w_gone/payments", f"{HOME}/x/y", "payments/pay_no"])
def test_pages_around_the_workspace_are_fit_to_be_read(
    examiner: Customer, base: str, filled: Filled, page: str
) -> None:
    examiner.open(base + (page if page.startswith("/") else filled.path(page)))
    assert findings_of_all_views(examiner) == []
    examiner.alarms.clear()  # the browser's console tells of 404
    look(examiner, View.LIGHT)


HELD: Final = ("payments", "payments/{failed}", "journal/{line}", "webhooks/{event}")
SCRIPTS_AND_LOADING: Final = """() => [document.scripts.length, document.querySelectorAll(
  "img:not([data-testid=sequence]), iframe, object, base, meta[http-equiv]").length]"""


def test_whatever_was_written_is_text(onlooker: Customer, base: str) -> None:
    """Nothing runs, nothing is loaded and no element is there that is not there for plain words.

    The worst text on each page; of the others each on one, and with PAYMENT_SANDBOX_SOAK all on all.
    """
    others = CORPUS[:: 1 if SOAK else len(CORPUS) // 3]
    pages = repeat(HELD) if SOAK else cycle(product(HELD))
    for text, shown in (("plain", HELD), (WORST, HELD), *zip(others, pages, strict=False)):
        with Merchant(base) as shop:
            own = {"note": text, "x": text[:20]}
            made = fill(shop, description=text, metadata=own, name=text, customer={"id": "cus_1", "name": text})
            for page in shown:
                onlooker.open(made.path(page))
                assert onlooker.page.evaluate(SCRIPTS_AND_LOADING) == [1, 0], (page, text)
    assert onlooker.alarms == []
    assert onlooker.page.evaluate(TAGS)


def test_on_a_phone_the_first_payment_is_in_the_first_screen(onlooker: Customer, base: str, filled: Filled) -> None:
    onlooker.page.set_viewport_size({"width": 390, "height": 780})
    for page, row in (("payments", "payment"), ("journal", "line")):
        onlooker.open(base + filled.path(page))
        box = onlooker.find(row).first.bounding_box()
        assert box is not None and box["y"] + box["height"] < 780, (page, box)


UNSAID = """() => {
  const seen = document.body.innerText, times = document.querySelectorAll("time").length;
  const parts = [...document.querySelectorAll(".pages > span")].filter(one => !one.offsetParent);
  return [...parts.map(one => one.textContent), ...times && !seen.includes("UTC") ? ["its zone"] : []];
}"""
"""What a page on paper has to say of its rows: which of how many they are, and in which zone their times are."""


@contextmanager
def on_paper(customer: Customer) -> Iterator[None]:
    customer.page.emulate_media(media="print")
    customer.page.set_viewport_size(PAPER)
    yield
    customer.page.emulate_media(media="screen")


@pytest.mark.parametrize("page", PAGES, indirect=True)
def test_on_paper_there_is_what_is_read_and_nothing_to_press(opened: Customer) -> None:
    with on_paper(opened):
        assert found(opened, PRESSED, UNSAID, CUT, BEYOND) == []


@pytest.mark.parametrize(
    ("page", "row"), [("payments", "payment"), ("payments/{failed}", "headline"), ("journal/{line}", "response")]
)
def test_on_paper_what_a_page_is_about_is_seen(
    onlooker: Customer, base: str, filled: Filled, page: str, row: str
) -> None:
    with on_paper(onlooker):
        onlooker.open(base + filled.path(page))
        assert onlooker.find(row).first.is_visible()
