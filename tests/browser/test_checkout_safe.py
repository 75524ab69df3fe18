"""What of a customer stays where: shops that stand beside each other, card data, and secrets of other payments."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.customer import Customer
from tests.browser.merchant import Merchant
from tests.browser.shop import HEAD, Shop
from tests.browser.till import FRAME, Till

NUMBER: Final = "4242424242424242"
HEARD: Final = """
const heard = window.heard = [];
addEventListener("message", event => heard.push([event.origin, JSON.stringify(event.data)]));
"""


def test_two_shops_on_two_origins_with_two_keys_hear_nothing_of_each_other(
    context: BrowserContext, merchant: Merchant, base: str
) -> None:
    with ExitStack() as held:
        other = held.enter_context(Merchant(base))
        shops = [held.enter_context(Shop()) for _ in range(3)]
        page = context.new_page()
        held.callback(page.close)
        page.add_init_script(HEARD)
        customer = Customer(page)
        tills = [Till(shop, one, customer, base) for shop, one in zip(shops, (merchant, other), strict=False)]
        for till in tills:
            till.order()
            till.open()
        frames = "".join(f'<iframe src="{shop.base}/pay"></iframe>' for shop in shops[:2])
        shops[2].pages["/both"] = f"{HEAD}<title>Both</title>{frames}"
        page.goto(f"{shops[2].base}/both")
        inside = [_shop_in(page, shop) for shop in shops[:2]]
        for at, one in enumerate(inside):
            one.wait_for_function("() => events.some(e => e[1] === 'ready')")
            one.frame_locator(FRAME).get_by_test_id("cardNoInput").fill(NUMBER)
            one.frame_locator(FRAME).get_by_test_id("expiryInput").fill("12/34")
            one.frame_locator(FRAME).get_by_test_id("cvvInput").fill("123")
            if at == 0:
                one.evaluate("() => document.getElementById('pay').click()")
                one.wait_for_function("() => said.length")
        assert [till.status() for till in tills] == ["succeeded", "requires_payment_method"]
        assert inside[1].evaluate("() => said") == []
        payments = [till.payment["payment_id"] for till in tills]
        told = [one.evaluate("() => JSON.stringify([events, said])") for one in inside]
        assert payments[0] in told[0] and payments[1] not in told[0]
        assert payments[0] not in told[1]
        for frame in page.frames:
            # Only a form hears of a window, and only of the page around it: the first message, with its channel.
            assert {urlsplit(origin).netloc for origin, _ in frame.evaluate("() => heard")} <= {
                urlsplit(frame.parent_frame.url).netloc if frame.parent_frame else ""
            }
        assert [frame.evaluate("() => heard") for frame in [page.main_frame, *inside]] == [[], [], []]


def _shop_in(page: Page, shop: Shop) -> Any:
    return next(frame for frame in page.frames if frame.url == f"{shop.base}/pay")


def test_nothing_of_a_card_leaves_its_frame_but_in_the_confirm_call(till: Till) -> None:
    seen: list[tuple[str, str]] = []
    till.page.on("request", lambda one: seen.append((urlsplit(one.url).path, f"{one.url} {one.post_data or ''}")))
    till.order()
    till.open()
    till.type_card()
    till.pay()
    assert till.result["status"] == "succeeded"
    with_card = [path for path, text in seen if NUMBER in text.replace(" ", "")]
    assert with_card == [f"/payments/{till.payment['payment_id']}/confirm"]
    assert NUMBER not in till.page.evaluate("() => JSON.stringify([events, said]) + document.documentElement.outerHTML")
    journal = str(till.merchant.get("/_sandbox/journal?limit=100"))
    assert NUMBER not in journal
    assert till.payment["client_secret"] not in till.page.evaluate("() => document.querySelector('iframe').src")


def test_the_secret_of_another_payment_opens_nothing_of_this_one(till: Till) -> None:
    theirs = till.order()["client_secret"]
    mine = till.order()
    till.payment = {**mine, "client_secret": f"{mine['payment_id']}_secret_{theirs.rpartition('_')[2]}"}
    till.open()
    assert till.form.get_by_role("alert").inner_text().startswith("The payment form could not be loaded.")
    assert till.events("loaderror") == [], "the public script has no such event"
    assert till.page.evaluate("() => hyper.retrievePaymentIntent(given.secret)") is None
    till.customer.alarms.clear()  # the browser's console tells of the refusals


def test_a_page_cannot_reach_into_the_form(till: Till) -> None:
    till.order()
    till.open()
    till.type_card()
    reached = till.page.evaluate("""() => { try { return frames[0].document.title } catch (e) { return e.name } }""")
    assert reached == "SecurityError"
    heard = till.page.evaluate("""async () => {
      const {port1, port2} = new MessageChannel(), heard = [];
      port1.onmessage = e => heard.push(e.data);
      frames[0].postMessage({checkout: "start", key: "pk_snd_another", kind: "card"}, "*", [port2]);
      await new Promise(resolve => setTimeout(resolve, 300));  // the form would have answered since
      return heard;
    }""")
    assert heard == [], "a form has one page, and that for good"


def test_words_from_outside_are_never_markup(till: Till) -> None:
    bad = "<img src=x onerror=alert(1)>"
    till.order()
    options = {"terms": {"card": "always"}, "business": {"name": bad}, "paymentMethodOrder": [bad],
               "sdkHandleConfirmPayment": {"handleConfirm": True, "buttonText": bad}}  # fmt: skip
    till.open(options=options, group={"locale": bad, "appearance": {"theme": bad, "variables": {"colorText": bad}}})
    assert till.form.locator("img").count() == 0
    assert bad in till.form.locator("body").inner_text()


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,x"])
def test_a_return_address_is_one_of_the_web(till: Till, address: str) -> None:
    till.order()
    till.open()
    till.type_card()
    said = till.page.evaluate(
        "u => hyper.confirmPayment({confirmParams: {return_url: u}, redirect: 'always'}).then(r => r.error.type)",
        address,
    )
    assert said == "invalid_request"
    assert till.status() == "requires_payment_method"
    till.customer.alarms.clear()  # the browser's console tells of the refusal
