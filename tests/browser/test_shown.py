"""What every page says, that it fits the window, that axe-core finds nothing serious; and pictures of it.

`pytest tests/browser --pictures FOLDER` keeps them (`make pictures`).
"""

from __future__ import annotations

import pytest

from tests.browser.axe import OF_VIEW, findings_of_all_views, issues
from tests.browser.customer import Customer
from tests.browser.merchant import Merchant
from tests.browser.shop import Shop
from tests.browser.shown_at_sizes import WIDER, keep
from tests.browser.sights import SIGHTS, WIDE, Sight, View, in_view

SCENARIO = "version: 1\nname: a_rainy_day\n"


@pytest.mark.parametrize("sight", SIGHTS, ids=lambda sight: sight.name)
def test_a_page_says_what_is_paid_by_whom_to_whom_and_is_fit_to_be_read(
    pytestconfig: pytest.Config, merchant: Merchant, reader: Customer, shop: Shop, base: str, sight: Sight
) -> None:
    merchant.activate("a_rainy_day", SCENARIO)
    sight.show(merchant, reader, shop, base)
    assert "Sandbox" in reader.text("sandbox-notice")
    if sight.of_payment:
        assert reader.text("amount") in [f"65.40 {currency}" for currency in ("USD", "EUR", "GBP", "BRL", "INR")]
        assert (reader.text("customer"), reader.text("merchant")) == ("Ada Lovelace", "Sandbox merchant")
        assert reader.text("description") == "Two seats in the stalls"
        assert reader.text("payment-id").startswith("pay_")
        assert reader.text("scenarios") == "a_rainy_day"
    for view, rules in OF_VIEW.items():
        in_view(reader, view)
        assert issues(reader, *rules) == [], view
        assert reader.page.evaluate(WIDER) == [], f"{view}: something is wider than the window"
        keep(pytestconfig.getoption("--pictures", None), reader, f"{sight.name}-{view}")
    assert findings_of_all_views(reader) == []
    reader.page.emulate_media(media="print")
    pressed = reader.page.evaluate(PRESSED)
    reader.page.emulate_media(media="screen")
    assert pressed == [], "a voucher on paper has nothing to press"
    in_view(reader, View.PHONE)
    reader.page.evaluate("font => { document.body.style.fontFamily = font }", WIDE)
    assert reader.page.evaluate(WIDER) == [], "where nothing narrower than these letters is installed"


PRESSED = """() => [...document.querySelectorAll('a, button, summary, input:not([type=hidden])')]
  .filter(e => e.checkVisibility()).map(e => e.outerHTML)"""


def test_axe_sees_what_is_wrong(merchant: Merchant, reader: Customer, shop: Shop, base: str) -> None:
    SIGHTS[0].show(merchant, reader, shop, base)
    reader.page.evaluate("() => document.querySelector('main').append(document.createElement('input'))")
    assert any("label" in issue for issue in issues(reader))


def test_a_customer_without_a_name_is_a_guest(merchant: Merchant, reader: Customer, shop: Shop, base: str) -> None:
    nobody = dict.fromkeys(("name", "email", "description", "billing"))
    SIGHTS[0].show(merchant, reader, shop, base, nobody)
    assert reader.text("customer") == "Guest"
    assert reader.text("scenarios") == "none"
    assert reader.find("description").count() == 0
