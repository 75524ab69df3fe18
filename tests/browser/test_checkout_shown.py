"""The form is fit to be read, by axe-core too, fits a phone, and is paid by the keyboard alone; and pictures of it.

`pytest tests/browser --pictures FOLDER` keeps them (`make pictures`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, Final, NamedTuple

import pytest
from playwright.sync_api import Frame

from tests.browser.axe import OF_VIEW, findings_of_all_views, issues_in
from tests.browser.customer import Customer
from tests.browser.merchant import Merchant
from tests.browser.shop import Shop
from tests.browser.shown_at_sizes import WIDER, keep
from tests.browser.sights import View, in_view
from tests.browser.till import FRAME, Till
from tests.counts import SOAK, times


def _strip(till: Till) -> None:
    till.find("testCards").locator("summary").click()
    till.find("testCard").locator("optgroup").first.wait_for(state="attached")


def _mistaken(till: Till) -> None:
    till.type_card("4242424242424241", "13/34", "1")
    till.pay()
    till.told(1)


class Look(NamedTuple):
    """One way that the form looks: what is mounted, and what happens before it is looked at."""

    name: str
    kinds: tuple[str, ...] = ("payment",)
    options: Mapping[str, Any] = {}
    group: Mapping[str, Any] = {}
    then: Callable[[Till], None] = lambda till: None
    saves: bool = False


LOOKS: Final = (
    Look("checkout"),
    Look("checkout_saved", saves=True),
    Look("checkout_strip", then=_strip),
    Look("checkout_mistakes", then=_mistaken),
    Look("checkout_accordion", options={"layout": "accordion", "paymentMethodOrder": ["klarna"]}),
    Look("checkout_midnight", group={"appearance": {"theme": "midnight"}}),
    Look("checkout_wallets", ("expressCheckout",)),
)


def _form(customer: Customer) -> Frame:
    found = customer.page.query_selector(FRAME)
    frame = found.content_frame() if found else None
    assert frame is not None
    return frame


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.name)
def test_the_form_is_fit_to_be_read(
    pytestconfig: pytest.Config, merchant: Merchant, reader: Customer, shop: Shop, base: str, look: Look
) -> None:
    till = Till(shop, merchant, reader, base)
    merchant.post("/customers", {"customer_id": "cus_ada"})
    if look.saves:
        till.order(customer_id="cus_ada", setup_future_usage="on_session")
        till.open()
        till.type_card()
        till.press("saveCard")
        till.pay()
        assert till.result["status"] == "succeeded"
    till.order(customer_id="cus_ada")
    till.open(*look.kinds, options=dict(look.options), group=dict(look.group))
    assert till.count("saved-method") == look.saves
    look.then(till)
    for view in (View.LIGHT, View.PHONE):
        in_view(reader, view)
        frame = _form(reader)
        assert issues_in(frame, *OF_VIEW[view]) == [], view
        assert frame.evaluate(WIDER) == [], f"{view}: something is wider than the form"
        # Nothing is cut off, once the page has heard how high the form is in this view.
        frame.wait_for_function("() => document.documentElement.scrollHeight <= innerHeight + 1")
        keep(pytestconfig.getoption("--pictures", None), reader, f"{look.name}-{view}")
    assert findings_of_all_views(reader) == []
    in_view(reader, View.LIGHT)


LANGUAGES: Final = {
    "auto": "en",
    "es": "en",
    "de-AT": "de",
    "fr_CA": "fr",
    "en-GB": "en",
    "constructor": "en",
    "": "en",
}


@pytest.mark.parametrize("locale", list(LANGUAGES)[: times(2, soak=len(LANGUAGES))])
def test_the_form_is_said_to_be_in_the_language_that_it_is_in(till: Till, locale: str) -> None:
    till.order()
    till.open(group={"locale": locale})
    cards = {"en": "Card Number", "de": "Kartennummer", "fr": "Numéro de carte"}
    assert till.form.locator("html").get_attribute("lang") == LANGUAGES[locale]
    assert till.form.get_by_text(cards[LANGUAGES[locale]], exact=True).count() == 1


def test_a_card_is_paid_by_the_keyboard_alone(till: Till) -> None:
    till.order()
    till.open()
    form = _form(till.customer)
    wallets = [f"wallet-{name}" for name in ("apple_pay", "google_pay", "paypal", "samsung_pay")]
    stops = ["testCards", *wallets, "method-card", "paymentMethodsSelect", "cardNoInput", "expiryInput", "cvvInput"]
    typed = {"cardNoInput": "4242424242424242", "expiryInput": "1234", "cvvInput": "123"}
    for stop in stops:
        till.page.keyboard.press("Tab")
        form.wait_for_function("name => document.activeElement.closest(`[data-testid=${name}]`)", arg=stop)
        seen = form.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
        assert seen != "none", f"the focus is not seen on {stop}"
        till.page.keyboard.type(typed.get(stop, ""))
    till.page.keyboard.press("Tab")
    till.page.keyboard.press("Enter")
    assert till.result["status"] == "succeeded"


def test_methods_are_chosen_by_the_keyboard(drawn: Till) -> None:
    drawn.order()
    drawn.open()
    drawn.find("method-card").focus()
    drawn.page.keyboard.press("ArrowRight")
    second = drawn.form.locator(".Other input").nth(1)
    assert second.is_checked()
    drawn.page.wait_for_function("() => events.some(e => e[1] === 'change' && e[2].value.type !== 'card')")
    assert f"method/{drawn.events('change')[-1]['value']['type']}" == second.get_attribute("value")


DENSE: Final = {"theme": "charcoal", "labels": "never", "variables": {"fontSizeBase": "18px", "spacingUnit": "6px"}}
PLACES: Final = """() => [...document.querySelectorAll("iframe, #pay, .Field, .Input, .Tick, .Error")].map(e => {
  const {x, y, width, height} = e.getBoundingClientRect();
  return [x + scrollX, y + scrollY, width, height];
})"""


IN_LANGUAGES: Final[Mapping[str, Mapping[str, Any]]] = {
    "en": {},
    "de": {"locale": "de", "appearance": DENSE},
    "fr": {"locale": "fr"},
}
LOOKED_AT: Final = [*product((View.LIGHT, View.PHONE), IN_LANGUAGES)]
"""In the normal run each language in one view."""


@pytest.mark.parametrize(("view", "language"), LOOKED_AT if SOAK else LOOKED_AT[::2])
def test_nothing_moves_under_a_click_when_a_problem_is_told_or_goes(
    merchant: Merchant, reader: Customer, shop: Shop, base: str, view: View, language: str
) -> None:
    till = Till(shop, merchant, reader, base)
    in_view(reader, view)
    till.order()
    till.open(group=dict(IN_LANGUAGES[language]))
    page, form = till.page, _form(reader)

    def places() -> list[Any]:
        """Where everything is, once two frames were drawn, so that what had to move has moved."""
        for one in (form, page):
            one.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return [page.evaluate(PLACES), form.evaluate(PLACES)]

    before = places()
    for name, text in {"cardNoInput": "4242424242424241", "expiryInput": "13/34", "cvvInput": "1"}.items():
        till.find(name).click()
        page.keyboard.type(text)
    page.locator("#pay").scroll_into_view_if_needed()
    box = page.locator("#pay").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 2)
    page.mouse.down()
    form.wait_for_function("() => document.querySelector('[name=cvvInput][aria-invalid]')")
    assert places() == before, "what the field's problem is told by moved something under the click"
    page.mouse.up()
    assert till.result["error"]["type"] == "validation_error"
    assert places() == before
    till.type_card("4242424242424242")
    assert form.locator(".Field .Error").all_inner_texts()[:3] == ["", "", ""]
    assert places() == before
    till.pay()
    page.wait_for_function("() => said.length === 2")
    assert till.result["status"] == "succeeded"
    assert places() == before
    in_view(reader, View.LIGHT)


def test_what_is_wrong_is_read_out_beside_its_field(till: Till) -> None:
    till.order()
    till.open()
    _mistaken(till)
    field = till.find("cardNoInput")
    told = till.form.locator(f"#{field.get_attribute('aria-describedby')}")
    assert told.inner_text() == "Card number is invalid."
    till.write("cardNoInput", "4242424242424242")
    assert told.inner_text() == ""
