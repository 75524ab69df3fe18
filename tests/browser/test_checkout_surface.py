"""The stand-in has what the reference says, and does it: one probe for each row of its tables."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Final

import httpx
import pytest
from playwright.sync_api import BrowserContext, Route

from tests.architecture.sources import ROOT
from tests.browser import test_checkout
from tests.browser.customer import Customer, until
from tests.browser.merchant import Merchant
from tests.browser.probes import AT_REST, PROBES, Probe
from tests.browser.shop import Shop
from tests.browser.till import FRAME, Till

REFERENCE: Final = (ROOT / "docs/reference/checkout.md").read_text("utf-8")
PROBED: Final = (
    "Globals", "Methods of `Hyper()`", "Methods of `getCustomerSavedPaymentMethods()`",
    "Methods of a group", "Kinds of elements", "Methods of an element", "Options of `Hyper()`", "Options of a group",
    "Options of an element", "Events",
)  # fmt: skip


def names() -> set[str]:
    """The names in the first column of each probed table; of a call the part before its bracket."""
    found: set[str] = set()
    for title in PROBED:
        part = REFERENCE.split(f"\n## {title}\n")[1].split("\n## ")[0]
        for row in re.findall(r"^\| (`.*?) \|", part, re.MULTILINE):
            found |= {f"{title}: {name.partition('(')[0]}" for name in re.findall(r"`([^`]+)`", row)}
    return found


ELSEWHERE: Final = {
    "test_the_payment_may_come_as_an_sdk_authorization": ("Options of a group: sdkAuthorization",),
    "test_the_script_may_come_from_elsewhere": ("Options of `Hyper()`: customBackendUrl",),
    "test_what_a_customer_does_is_told": (
        "Methods of an element: on", "Events: focus", "Events: blur", "Events: clickTriggered",
    ),
    "test_a_wallets_button_waits_for_the_shops_handler": (
        "Methods of an element: onSDKHandleClick", "Events: oneClickConfirmTriggered",
    ),
    "test_a_challenge_is_met_in_a_frame_over_the_shops_page": ("Options of `Hyper()`: redirectIn",),
    "test_a_shop_may_confirm_a_wallet_itself": ("Options of an element: sdkHandleOneClickConfirmPayment",),
    "test_a_saved_card_is_paid_with_its_security_code_alone": ("Options of an element: displaySavedPaymentMethods",),
}  # fmt: skip
"""Rows that a test of their own looks at, here or beside the ways to pay."""


def test_each_row_of_the_reference_is_looked_at() -> None:
    assert names() == {*PROBES, *(row for rows in ELSEWHERE.values() for row in rows)}
    assert [test for test in ELSEWHERE if test not in globals() and not hasattr(test_checkout, test)] == []


def with_a_customer(till: Till, probe: Probe) -> Till:
    """Shows what the probe mounts, for a payment of a known customer."""
    till.merchant.post("/customers", {"customer_id": "cus_ada"})
    till.order(customer_id="cus_ada", email=None)
    group = dict(probe.group)
    if "paymentMethodsManagement" in probe.kinds and "ephemeralKey" not in group:
        group["ephemeralKey"] = till.merchant.post("/ephemeral_keys", {"customer_id": "cus_ada"})["secret"]
    till.open(*probe.kinds, options=dict(probe.options), group=group, hyper=dict(probe.hyper))
    return till


@pytest.fixture(scope="module")
def at_rest(undrawn_context: BrowserContext, base: str) -> Iterator[Till]:
    """A form that rows only look at."""
    with undrawn_context.new_page() as page, Merchant(base) as merchant, Shop() as shop:
        yield with_a_customer(Till(shop, merchant, Customer(page), base), Probe())
        page.goto("about:blank")


@pytest.mark.parametrize("name", sorted(AT_REST))
def test_the_stand_in_has_what_the_reference_says(at_rest: Till, name: str) -> None:
    looks(at_rest, PROBES[name])


@pytest.mark.parametrize("name", [name for name in PROBES if name not in AT_REST])
def test_the_stand_in_does_what_the_reference_says(till: Till, name: str) -> None:
    with_a_customer(till, PROBES[name])
    if name.endswith("clear"):
        till.write("cardNoInput", "4242")
    looks(till, PROBES[name])


def looks(till: Till, probe: Probe) -> None:
    assert till.page.evaluate(probe.page)
    if probe.form:
        until(till.forms[0], probe.form)
    till.customer.alarms.clear()  # the browser's console tells of refusals


def test_the_payment_may_come_as_an_sdk_authorization(till: Till) -> None:
    secret = till.order()["client_secret"]
    text = f"publishable_key={till.key},client_secret={secret}"
    till.open(group={"clientSecret": None, "sdkAuthorization": base64.b64encode(text.encode()).decode()})
    till.type_card()
    till.pay()
    assert till.result["status"] == "succeeded"


def test_the_script_may_come_from_elsewhere(till: Till) -> None:
    till.shop.pages["/copy.js"] = httpx.get(f"{till.base}/HyperLoader.js", trust_env=False, timeout=None).text
    till.order()
    till.open(script="/copy.js", hyper={"customBackendUrl": till.base})
    assert till.page.locator(FRAME).get_attribute("src") == f"{till.base}/checkout/frame?key={till.key}"


def test_what_a_customer_does_is_told(drawn: Till) -> None:
    drawn.order()
    drawn.open()
    drawn.find("cardNoInput").click()
    drawn.page.keyboard.press("Escape")
    drawn.pay()
    assert drawn.result["error"]["type"] == "validation_error"
    assert drawn.events("focus")[0] == {"focus": True}
    assert drawn.events("blur")[0] == {"blur": True}
    assert drawn.events("clickTriggered")[0] == {"clickTriggered": True, "event": '{"isTrusted":true}'}
    assert drawn.events("escape") == drawn.events("confirmTriggered") == drawn.events("completeDoThis") == []


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_wallets_button_waits_for_the_shops_handler(drawn: Till, goes_on: bool) -> None:
    drawn.order()
    drawn.open(options={"wallets": {"walletReturnUrl": drawn.shop.back}})
    drawn.page.evaluate(
        "goesOn => elements.getElement('payment').onSDKHandleClick(async () => { if (!goesOn) throw new Error('no') })",
        goes_on,
    )
    drawn.find("wallet-google_pay").click()
    if goes_on:
        drawn.page.wait_for_url(f"{drawn.shop.base}/back**")
    else:
        until(drawn.page, "() => events.some(e => e[1] === 'oneClickConfirmTriggered')")
        assert drawn.events("oneClickConfirmTriggered") == [{"oneClickConfirmTriggered": True}]
    assert drawn.status() == ("succeeded" if goes_on else "requires_payment_method")


def test_a_button_inside_the_frame_pays_and_leads_back(drawn: Till) -> None:
    drawn.order()
    params = {"return_url": drawn.shop.back}
    drawn.open(options={"sdkHandleConfirmPayment": {"handleConfirm": True, "confirmParams": params}})
    drawn.type_card()
    drawn.find("pay").click()
    drawn.page.wait_for_url(f"{drawn.shop.base}/back**")
    assert drawn.shop.came_back().told["status"] == drawn.status() == "succeeded"


@pytest.mark.parametrize("part", ["**/checkout/frame?*", "**/frame.js"], ids=("page", "script"))
def test_a_form_that_does_not_come_is_told_in_the_console_and_may_come_later(
    shop: Shop, merchant: Merchant, hasty: Customer, base: str, part: str
) -> None:
    till, held = Till(shop, merchant, hasty, base), list[Route]()
    till.order()
    till.page.route(part, lambda route: held.append(route))
    till.open(waits=False)
    till.page.locator(FRAME).wait_for(state="attached")
    till.pay()
    till.page.clock.fast_forward(20_000)
    until(till.page, "() => true")
    (alarm,) = hasty.alarms
    assert base in alarm
    assert till.page.evaluate("() => said") == []
    assert till.events("loaderror") == [], "the public script has no such event"
    hasty.alarms.clear()
    (route,) = held
    route.continue_()
    till.is_ready()
    assert till.result["error"]["type"] == "validation_error", "the confirmation that waited"
    till.type_card()
    till.pay()
    assert till.told(2)["status"] == "succeeded"
    till.page.clock.fast_forward(60_000)
    assert hasty.alarms == []


def test_a_form_from_a_wrong_address_is_told_in_the_console(
    shop: Shop, merchant: Merchant, hasty: Customer, base: str
) -> None:
    till = Till(shop, merchant, hasty, base)
    till.order()
    till.open("cardNumber", "cardCvc", hyper={"customBackendUrl": shop.base}, waits=False)
    till.page.clock.fast_forward(20_000)
    until(till.page, "() => true")
    assert len([alarm for alarm in hasty.alarms if shop.base in alarm]) == 2
    hasty.alarms.clear()
