"""Where the system forces its own few colours on a page (Windows' contrast themes), what a colour alone says elsewhere
is still seen: what is chosen, and which colour of a picture is which.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.browser.customer import Customer
from tests.browser.desk import PAGES, Filled, fill
from tests.browser.merchant import Merchant
from tests.browser.shop import Shop
from tests.browser.till import FRAME, Till
from tests.counts import SOAK

UNSEEN: Final = """() => {
  const chosen = '[aria-current], .Tab--selected, .timeline > .current';
  const shape = e => { const s = getComputedStyle(e); return [s.fontWeight, s.borderTopWidth, s.borderTopStyle,
    s.borderTopColor, s.borderLeftWidth, s.color, s.textDecorationLine, s.outlineStyle,
    s.backgroundColor.replace(/^rgba.* 0\\)$/, "rgb(255, 255, 255)")].join(); };
  return [...document.querySelectorAll(chosen)].filter(e => e.checkVisibility()).flatMap(one => {
    const list = one.matches('a') ? one.closest('ul, ol, .tally') : one.parentElement;
    const others = [...list.querySelectorAll(one.matches('.Tab') ? '.Tab' : one.tagName)]
      .filter(e => e.checkVisibility() && !e.matches(chosen));
    return others.some(e => shape(e) === shape(one)) ? [one.outerHTML.slice(0, 200)] : [];
  });
}"""
"""What is chosen, and looks like what is not."""
SWATCHES: Final = (
    """() => [...document.querySelectorAll('.legend span')].map(e => getComputedStyle(e, '::before').backgroundColor)"""
)


@pytest.fixture
def forced(reader: Customer) -> Iterator[Customer]:
    reader.page.emulate_media(forced_colors="active")
    yield reader
    reader.page.emulate_media(forced_colors="none")


def test_what_is_chosen_is_seen_on_every_page_of_the_dashboard(forced: Customer, merchant: Merchant, base: str) -> None:
    filled: Filled = fill(merchant)
    unseen: dict[str, Any] = {}
    refunded = "payments/" + merchant.get(f"/refunds/{filled.refund}")["payment_id"]
    for page in (refunded, *PAGES[:: 1 if SOAK else 16]):
        forced.open(base + filled.path(page))
        if found := forced.page.evaluate(UNSEEN):
            unseen[page] = found
    assert unseen == {}
    forced.open(base + filled.path("overview"))
    swatches = forced.page.evaluate(SWATCHES)
    assert len(set(swatches)) == len(swatches) == 4, swatches


def test_the_chosen_method_is_seen_in_the_form(shop: Shop, merchant: Merchant, forced: Customer, base: str) -> None:
    till = Till(shop, merchant, forced, base)
    till.order()
    till.open()
    till.choose("ideal")
    found = forced.page.query_selector(FRAME)
    frame = found.content_frame() if found else None
    assert frame is not None
    assert frame.evaluate(UNSEEN) == []
