"""The page of a payment link shows the stand-in's form where scripts run, and the plain form where none does."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from tests.browser.axe import OF_VIEW, findings_of_all_views, issues, issues_in
from tests.browser.customer import Customer, until, until_led_on, write
from tests.browser.merchant import Merchant
from tests.browser.shop import Shop
from tests.browser.shown_at_sizes import WIDER, keep
from tests.browser.sights import View, in_view
from tests.browser.test_checkout import number
from tests.browser.till import FRAME, Till
from tests.counts import SOAK

_SHOWN: Final = "name => document.querySelector(`[data-testid='${name}']`)?.checkVisibility()"


class LinkTill(Till):
    """A customer who got a link to pay. `sight` is what the page shows: `pay-in-frame`, or the plain form's `pay`."""

    def come(self, sight: str = "pay-in-frame", **fields: Any) -> None:
        wanted = {"payment_link": True, "return_url": self.shop.back, "session_expiry": 900, **fields}
        self.page.goto(self.base + urlsplit(self.order(**wanted)["payment_link"]["link"]).path)
        self.sees(sight)

    def sees(self, name: str) -> None:
        """Waits until that is shown, on this page or on the one that it leads to."""
        until_led_on(self.page, _SHOWN, name)

    def pay(self) -> None:
        self.customer.press("pay-in-frame")

    def is_refused(self) -> None:
        """Waits until the page lets its customer pay again."""
        until(self.page, "() => !document.querySelector('[data-testid=pay-in-frame]').disabled")

    def came_back(self) -> dict[str, str]:
        """What the shop is told, signed; the payment's own status is the same."""
        self.page.wait_for_url(f"{self.shop.base}/back**")
        told = self.shop.came_back().told
        assert told["signature"]
        assert told["status"] == self.status()
        return told

    def fault(self, on: str, then: str) -> None:
        self.merchant.activate("broken", f"version: 1\nname: broken\nrules:\n  - on: {on}\n    then: {then}\n")


@pytest.fixture
def linked(till: Till) -> LinkTill:
    return LinkTill(till.shop, till.merchant, till.customer, till.base)


@pytest.mark.parametrize(("card", "status"), [("visa_success", "succeeded"), ("visa_insufficient_funds", "failed")])
def test_a_card_is_paid_or_declined_and_leads_back(linked: LinkTill, card: str, status: str) -> None:
    linked.come()
    assert not linked.page.evaluate(_SHOWN, "pay")
    linked.type_card(number(card))
    linked.pay()
    assert linked.came_back()["status"] == status


@pytest.mark.parametrize(("result", "status"), [("approved", "succeeded"), ("declined", "failed")])
@pytest.mark.parametrize("framed", [True, False])
def test_a_challenge_is_met_on_the_banks_page(linked: LinkTill, result: str, status: str, framed: bool) -> None:
    linked.come(is_iframe_redirection_enabled=framed)
    linked.type_card(number("visa_3ds_required"))
    linked.pay()
    linked.page.wait_for_url("**/payments/redirect/**")
    linked.customer.press(result)
    assert linked.came_back()["status"] == status


@pytest.mark.parametrize(
    ("method", "currency", "fields"),
    [
        ("ideal", "EUR", {}),
        ("klarna", "EUR", {"billing.address.country": "NL"}),
        ("boleto", "BRL", {}),
        ("sepa", "EUR", {}),
        ("upi_collect", "INR", {"payment_method_data.upi.upi_collect.vpa_id": "anybody@upi"}),
    ],
)
def test_a_method_goes_on_to_its_page(linked: LinkTill, method: str, currency: str, fields: dict[str, str]) -> None:
    linked.come(
        currency=currency, metadata={"sandbox_outcome": "requires_action"} if fields and currency == "INR" else {}
    )
    linked.choose(method)
    for name, text in fields.items():
        linked.write(name, text)
    linked.pay()
    linked.page.wait_for_url("**/payments/redirect/**")
    linked.customer.press("approved")
    assert linked.came_back()["status"] in ("succeeded", "pending")


def test_a_wallets_button_pays(linked: LinkTill) -> None:
    linked.come()
    linked.press("wallet-google_pay")
    assert linked.came_back()["status"] == "succeeded"


def test_what_is_wrong_is_said_and_can_be_put_right(linked: LinkTill) -> None:
    linked.come()
    linked.type_card("4242424242424242", "01/20")
    linked.pay()
    linked.is_refused()
    assert "in the past" in linked.ask("() => [...document.querySelectorAll('.Error')].map(e => e.innerText).join()")
    linked.type_card()
    linked.pay()
    linked.came_back()
    linked.customer.alarms.clear()  # the browser's console tells of the refusal


def test_a_link_that_ends_meanwhile_says_so(linked: LinkTill) -> None:
    linked.come()
    linked.merchant.post("/_sandbox/clock/advance", {"by": "901s"})
    linked.type_card()
    linked.pay()
    linked.sees("page-over")
    linked.customer.alarms.clear()  # the browser's console tells of the statuses


def test_an_amount_that_changes_meanwhile_is_shown_before_it_is_charged(linked: LinkTill) -> None:
    linked.come()
    linked.type_card()
    linked.merchant.post(f"/payments/{linked.payment['payment_id']}", {"amount": 9900})
    linked.pay()
    linked.sees("mistake")
    assert linked.customer.text("mistake") == "The amount is now 99.00 EUR. Please check it before you pay."
    assert (linked.customer.text("amount"), linked.status()) == ("99.00 EUR", "requires_payment_method")
    linked.sees("pay-in-frame")
    linked.type_card()
    linked.pay()
    assert linked.came_back()["status"] == "succeeded"


def test_without_a_shop_to_go_back_to_the_page_says_how_it_stands(linked: LinkTill) -> None:
    linked.come(return_url=None)
    assert linked.count("method-ideal") == 0
    linked.type_card()
    linked.pay()
    linked.sees("page-done")
    assert linked.customer.text("status") == "succeeded"


def test_a_confirmation_whose_answer_is_lost_leads_on_as_it_was_paid(linked: LinkTill) -> None:
    linked.fault("payments.confirm", "{fault: malformed_json, effect: kept}")
    linked.come()
    linked.type_card()
    linked.pay()
    assert linked.came_back()["status"] == "succeeded"


@pytest.mark.parametrize(
    ("on", "then"),
    [
        ("checkout.script", "{respond: {status: 503}}"),
        ("checkout.frame", "{respond: {status: 503}}"),
        ("payment_methods.list", "{error: HE_00}"),
    ],
)
def test_the_plain_form_stays_where_the_other_does_not_come(linked: LinkTill, on: str, then: str) -> None:
    linked.fault(on, then)
    linked.come("pay")
    linked.page.wait_for_load_state("networkidle")
    _pay_plainly(linked.customer)
    linked.came_back()
    linked.customer.alarms.clear()  # the browser's console tells of the status


def test_without_scripts_the_plain_form_pays(shop: Shop, merchant: Merchant, scriptless: Customer, base: str) -> None:
    linked = LinkTill(shop, merchant, scriptless, base)
    linked.come("pay")
    assert not scriptless.find("pay-in-frame").is_visible()
    _pay_plainly(scriptless)
    assert linked.came_back()["status"] == "succeeded"


def _pay_plainly(customer: Customer) -> None:
    typed = {"card_number": "4242424242424242", "card_exp_month": "12", "card_exp_year": "34", "card_cvc": "123"}
    for name, text in typed.items():
        write(customer.page.main_frame, name, text)
    customer.press("pay")


def test_the_key_of_a_link_opens_no_secret_call(linked: LinkTill) -> None:
    linked.come()
    key = linked.page.locator("#checkout").get_attribute("data-key")
    assert key is not None
    asked = linked.page.request.get(f"{linked.base}/payments/list", headers={"api-key": key})
    assert asked.status == 401
    twin = linked.page.request.get(f"{linked.base}/payments/list", headers={"api-key": key.removeprefix("pk_")})
    assert twin.json().get("data", []) == [], "its secret counterpart opens another, empty workspace"


def test_the_page_is_fit_to_be_read(
    pytestconfig: pytest.Config, merchant: Merchant, reader: Customer, shop: Shop, base: str
) -> None:
    for view in View:
        in_view(reader, view)
        if view is View.LIGHT or SOAK:
            LinkTill(shop, merchant, reader, base).come(description="Two seats in the stalls")
        found = reader.page.query_selector(FRAME)
        frame = found.content_frame() if found else None
        assert frame is not None
        assert issues(reader, *OF_VIEW[view]) == issues_in(frame, *OF_VIEW[view]) == [], view
        assert reader.page.evaluate(WIDER) == frame.evaluate(WIDER) == [], f"{view}: something is too wide"
        frame.wait_for_function("() => document.documentElement.scrollHeight <= innerHeight + 1")
        keep(pytestconfig.getoption("--pictures", None), reader, f"payment_link-{view}")
    assert findings_of_all_views(reader) == []
    in_view(reader, View.LIGHT)


@pytest.mark.parametrize("may_retry", [True, False])
def test_the_page_after_a_decline_is_fit_to_be_read(
    pytestconfig: pytest.Config, merchant: Merchant, reader: Customer, shop: Shop, base: str, may_retry: bool
) -> None:
    linked = LinkTill(shop, merchant, reader, base)
    linked.come(return_url=None, description="Two seats in the stalls")
    merchant.profile(linked.payment, is_manual_retry_enabled=may_retry)
    linked.type_card(number("visa_insufficient_funds"))
    linked.pay()
    reader.page.get_by_text("insufficient funds").first.wait_for()
    assert findings_of_all_views(reader) == []
    for view in View:
        in_view(reader, view)
        assert issues(reader, *OF_VIEW[view]) == [], view
        assert reader.page.evaluate(WIDER) == [], view
        keep(pytestconfig.getoption("--pictures", None), reader, f"payment_link_declined_{may_retry}-{view}")
    in_view(reader, View.LIGHT)
