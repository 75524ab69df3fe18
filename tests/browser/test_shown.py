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
    pytestconfig: pytest.Config, merchant: Merchant, examiner: Customer, shop: Shop, base: str, sight: Sight
) -> None:
    merchant.activate("a_rainy_day", SCENARIO)
    sight.show(merchant, examiner, shop, base)
    assert "Sandbox" in examiner.text("sandbox-notice")
    if sight.of_payment:
        assert examiner.text("amount") in [f"65.40 {currency}" for currency in ("USD", "EUR", "GBP", "BRL", "INR")]
        assert (examiner.text("customer"), examiner.text("merchant")) == ("Ada Lovelace", "Sandbox merchant")
        assert examiner.text("description") == "Two seats in the stalls"
        assert examiner.text("payment-id").startswith("pay_")
        assert examiner.text("scenarios") == "a_rainy_day"
    for view, rules in OF_VIEW.items():
        in_view(examiner, view)
        assert issues(examiner, *rules) == [], view
        assert examiner.page.evaluate(WIDER) == [], f"{view}: something is wider than the window"
        keep(pytestconfig.getoption("--pictures", None), examiner, f"{sight.name}-{view}")
    assert findings_of_all_views(examiner) == []
    examiner.page.emulate_media(media="print")
    pressed = examiner.page.evaluate(PRESSED)
    examiner.page.emulate_media(media="screen")
    assert pressed == [], "a voucher on paper has nothing to press"
    in_view(examiner, View.PHONE)
    examiner.page.evaluate("font => { document.body.style.fontFamily = font }", WIDE)
    assert examiner.page.evaluate(WIDER) == [], "where nothing narrower than these letters is installed"


PRESSED = """() => [...document.querySelectorAll('a, button, summary, input:not([type=hidden])')]
  .filter(e => e.checkVisibility()).map(e => e.outerHTML)"""


def test_axe_sees_what_is_wrong(merchant: Merchant, examiner: Customer, shop: Shop, base: str) -> None:
    SIGHTS[0].show(merchant, examiner, shop, base)
    examiner.page.evaluate("() => document.querySelector('main').append(document.createElement('input'))")
    assert any("label" in issue for issue in issues(examiner))


def test_a_customer_without_a_name_is_a_guest(merchant: Merchant, examiner: Customer, shop: Shop, base: str) -> None:
    nobody = dict.fromkeys(("name", "email", "description", "billing"))
    SIGHTS[0].show(merchant, examiner, shop, base, nobody)
    assert examiner.text("customer") == "Guest"
    assert examiner.text("scenarios") == "none"
    assert examiner.find("description").count() == 0
