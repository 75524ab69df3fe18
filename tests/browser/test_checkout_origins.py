"""A shop and the sandbox under names of their own: the browser's own rules about origins hold, preflights included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.chromium import FLAGS, executable
from tests.browser.customer import Customer
from tests.browser.merchant import Merchant
from tests.browser.shop import Shop
from tests.browser.test_checkout import number
from tests.browser.till import FRAME, Till
from tests.running import RunningSandbox

SHOP: Final = "shop.example"
PAY: Final = "pay.example"
HERE: Final = "127.0.0.1"


@pytest.fixture(scope="module")
def named() -> Iterator[RunningSandbox]:
    """A sandbox that answers under a name."""
    with RunningSandbox(variables={"PAYMENT_SANDBOX_ALLOWED_HOSTS": PAY}) as sandbox:
        yield sandbox


@pytest.fixture
def mapped(browser: Browser) -> Iterator[Page]:
    """A window of a browser to whom both names lead to this machine; nothing stands between it and the servers."""
    flags = [*FLAGS, f"--host-resolver-rules=MAP *.example {HERE}"]
    started = browser.browser_type.launch(executable_path=executable(), args=flags)
    yield started.new_page()
    started.close()


class NamedShop(Shop):
    """A shop under its own name."""

    @property
    def base(self) -> str:
        return super().base.replace(HERE, SHOP)


def preflights(page: Page) -> list[tuple[str, str, int]]:
    """Collects, as the browser sends them: method asked for, path, and the answer's status."""
    seen: list[tuple[str, str, int]] = []
    told = page.context.new_cdp_session(page)
    told.send("Network.enable")
    asked: dict[str, tuple[str, str]] = {}

    def sent(event: dict[str, Any]) -> None:
        request = event["request"]
        if request["method"] == "OPTIONS":
            asked[event["requestId"]] = (request["headers"].get("Access-Control-Request-Method", ""), request["url"])

    def answered(event: dict[str, Any]) -> None:
        if event["requestId"] in asked:
            method, url = asked[event["requestId"]]
            seen.append((method, url, event["response"]["status"]))

    told.on("Network.requestWillBeSent", sent)
    told.on("Network.responseReceived", answered)
    return seen


def test_a_shop_on_another_origin_pays_after_true_preflights(named: RunningSandbox, mapped: Page) -> None:
    with Merchant(named.base) as merchant, NamedShop() as shop:
        till = Till(shop, merchant, Customer(mapped), named.base.replace(HERE, PAY))
        seen = preflights(mapped)
        till.order()
        till.open(hyper={"redirectIn": "frame"})
        assert mapped.evaluate("location.host").startswith(SHOP)
        assert str(mapped.locator(FRAME).get_attribute("src")).startswith(till.base)
        assert not mapped.evaluate("() => isSecureContext")
        found = mapped.evaluate("() => hyper.retrievePaymentIntent(given.secret)")
        assert found["paymentIntent"]["status"] == "requires_payment_method"
        till.type_card(number("visa_3ds_required"))
        # By the keyboard: frames of other sites are other processes, and a click may come before they have grown.
        mapped.locator("#pay").press("Enter")
        mapped.frame_locator("[data-testid=checkout-challenge] iframe").get_by_test_id("approved").press("Enter")
        assert till.result["status"] == till.status() == "succeeded"
        assert till.customer.alarms == []
    path = f"{till.base}/payments/{till.payment['payment_id']}"
    assert [(method, status) for method, url, status in seen if url.startswith(path)] == [("GET", 204)]


def test_another_sites_page_reaches_neither_form_nor_payment(named: RunningSandbox, mapped: Page) -> None:
    with Merchant(named.base) as merchant, NamedShop() as shop:
        till = Till(shop, merchant, Customer(mapped), named.base.replace(HERE, PAY))
        till.order()
        till.open("card")
        assert mapped.evaluate("() => { try { return frames[0].document.title } catch (e) { return e.name } }") == (
            "SecurityError"
        )
        other = mapped.evaluate("() => hyper.retrievePaymentIntent(given.secret + 'x')")
        assert other is None
