"""The stand-in has what the reference says, and does it: one probe for each row of its tables."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import httpx
import pytest
from playwright.sync_api import Route

from tests.architecture.sources import ROOT
from tests.browser import test_checkout
from tests.browser.customer import Customer
from tests.browser.merchant import Merchant
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


class Probe(NamedTuple):
    """What is mounted with which options, and what must then hold: in the shop's page, or in the form."""

    page: str = "() => true"
    form: str = "() => true"
    kinds: tuple[str, ...] = ("payment",)
    options: Mapping[str, Any] = {}
    group: Mapping[str, Any] = {}
    hyper: Mapping[str, Any] = {}


_ELEMENT: Final = "elements.getElement('payment')"
_FILLED: Final = {"billingDetails": {"email": "ada@example.test", "address": {"country": "NL"}}}
_SAVED: Final = "hyper.initPaymentSession({clientSecret: given.secret}).getCustomerSavedPaymentMethods()"
_NO_DATA: Final = "r.error.type === 'no_data'"
_RACE: Final = "Promise.race([new Promise(done => setTimeout(() => done(1), 300)), "
_COUNT: Final = "document.querySelectorAll"
_ALL: Final = f"{_COUNT}('.Tab').length > 10"
_SHOWN: Final = "document.body.innerText.includes"
_EXPRESS: Final = ("googlePay", "applePay", "payPal", "samsungPay", "klarna")


def gives(expression: str, holds: str, **more: Any) -> Probe:
    """What an expression in the shop's page gives, `r`, and what must hold of it."""
    return Probe(f"async () => {{ const r = await ({expression}); return {holds} }}", **more)


def shows(holds: str, **more: Any) -> Probe:
    """What must hold in the form's own page."""
    return Probe(form=f"() => {holds}", **more)


def button(kind: str, many: int = 1) -> Probe:
    return shows(f"{_COUNT}('button').length === {many}", kinds=(kind,))


PROBES: Final[dict[str, Probe]] = {
    "Globals: Hyper": gives("Hyper({publishableKey: given.key})", "typeof r.confirmPayment === 'function'"),
    "Globals: Hyper.init": gives("Hyper.init", "r === Hyper"),
    "Globals: HyperMethod": gives("HyperMethod", "r === hyper && r === Hyper('pk_snd_another')"),
    "Globals: removeBeforeUnloadEventListeners": gives("removeBeforeUnloadEventListeners([])", "r === undefined"),
    "Methods of `Hyper()`: elements": gives("hyper.elements({})", "typeof r.create === 'function'"),
    "Methods of `Hyper()`: widgets": gives("hyper.widgets", "r === hyper.elements"),
    "Methods of `Hyper()`: paymentMethodsManagementElements": gives(
        "hyper.paymentMethodsManagementElements({}).create('paymentMethodsManagement')", "typeof r.mount === 'function'"
    ),
    "Methods of `Hyper()`: confirmPayment": gives("hyper.confirmPayment({})", "r.error.type === 'validation_error'"),
    "Methods of `Hyper()`: confirmOneClickPayment": gives(
        f"{_RACE}hyper.confirmOneClickPayment({{}}, true)])", "r === 1"
    ),
    "Methods of `Hyper()`: confirmCardPayment": gives(
        "hyper.confirmCardPayment(given.secret, {})", "r.error.type === 'validation_error'"
    ),
    "Methods of `Hyper()`: confirmTokenization": gives("hyper.confirmTokenization", "r === hyper.confirmPayment"),
    "Methods of `Hyper()`: retrievePaymentIntent": gives(
        "hyper.retrievePaymentIntent(given.secret)", "r.paymentIntent.status === 'requires_payment_method'"
    ),
    "Methods of `Hyper()`: paymentRequest": Probe(
        "() => { try { hyper.paymentRequest({}) } catch (e) { return e instanceof TypeError } }"
    ),
    "Methods of `Hyper()`: initPaymentSession": gives(_SAVED, "Object.keys(r).length === 4"),
    "Methods of `Hyper()`: initAuthenticationSession": gives(
        "hyper.initAuthenticationSession({}).initClickToPaySession()", "r.error.type === 'ERROR'"
    ),
    "Methods of `Hyper()`: initiateUpdateIntent": gives("hyper.initiateUpdateIntent()", "r.updateInitiated"),
    "Methods of `Hyper()`: completeUpdateIntent": gives(
        "hyper.completeUpdateIntent(given.secret)", "r.updateCompleted"
    ),
    **{
        f"Methods of `getCustomerSavedPaymentMethods()`: {name}": gives(f"(await {_SAVED}).{name}()", _NO_DATA)
        for name in (
            "getCustomerDefaultSavedPaymentMethodData",
            "getCustomerLastUsedPaymentMethodData",
            "confirmWithCustomerDefaultPaymentMethod",
            "confirmWithLastUsedPaymentMethod",
        )
    },
    "Methods of a group: create": Probe(
        "() => { try { elements.create('') } catch (e) { return e.message.includes('kind') } }"
    ),
    "Methods of a group: getElement": gives("elements.getElement('card')", f"r === undefined && {_ELEMENT}"),
    "Methods of a group: update": Probe(
        "() => { elements.update({locale: 'fr'}); return true }",
        f"() => document.documentElement.lang === 'fr' && {_SHOWN}('Numéro de carte')",
    ),
    "Methods of a group: updateIntent": gives("elements.updateIntent(async () => ({}))", "r.status === 'succeeded'"),
    "Methods of a group: fetchUpdates": gives("elements.fetchUpdates()", "Object.keys(r).length === 0"),
    "Kinds of elements: payment": shows(f"{_COUNT}('.Tab').length > 10 && {_COUNT}('.Wallets button').length === 4"),
    "Kinds of elements: card": shows(f"{_COUNT}('.Field').length === 3 && !{_COUNT}('.Tab').length", kinds=("card",)),
    **{
        f"Kinds of elements: {kind}": shows(f"{_COUNT}('input').length === 1", kinds=(kind,))
        for kind in ("cardNumber", "cardExpiry", "cardCvc")
    },
    "Kinds of elements: expressCheckout": button("expressCheckout", 4),
    **{f"Kinds of elements: {kind}": button(kind) for kind in _EXPRESS},
    "Kinds of elements: paze": button("paze", 0),
    "Kinds of elements: paymentMethodsManagement": shows(
        f"{_SHOWN}('No payment methods are saved.')", kinds=("paymentMethodsManagement",)
    ),
    "Methods of an element: mount": Probe(
        "() => { try { " + _ELEMENT + ".mount(document.body) } catch (e) { return e instanceof TypeError } }"
    ),
    "Methods of an element: unmount": Probe(f"() => {{ {_ELEMENT}.unmount(); return !{_COUNT}('iframe').length }}", ""),
    "Methods of an element: destroy": Probe(f"() => {{ {_ELEMENT}.destroy(); return !{_COUNT}('iframe').length }}", ""),
    "Methods of an element: update": Probe(
        f"() => {{ {_ELEMENT}.update({{layout: 'accordion'}}); return true }}",
        f"() => {_COUNT}('.accordion').length === 1",
    ),
    "Methods of an element: focus": Probe(
        f"() => {{ {_ELEMENT}.focus(); return true }}",
        "() => document.activeElement.matches('[data-testid=cardNoInput]')",
    ),
    "Methods of an element: blur": Probe(
        f"() => {{ {_ELEMENT}.focus(); {_ELEMENT}.blur(); return true }}",
        "() => document.activeElement === document.body",
    ),
    "Methods of an element: clear": Probe(
        f"() => {{ {_ELEMENT}.clear(); return true }}",
        "() => document.querySelector('[name=cardNoInput]').value === ''",
    ),
    "Methods of an element: collapse": Probe(
        f"() => {{ {_ELEMENT}.collapse(); return true }}", f"() => {_COUNT}('input:checked').length === 1"
    ),
    "Options of a group: clientSecret": shows(_ALL),
    "Options of a group: ephemeralKey": shows(
        "document.querySelector('[role=alert]').textContent.length > 20",
        kinds=("paymentMethodsManagement",),
        group={"ephemeralKey": "epk_of_nobody"},
    ),
    "Options of a group: appearance": shows(
        "getComputedStyle(document.querySelector('.Tab--selected')).color === 'rgb(255, 0, 0)'"
        " && getComputedStyle(document.querySelector('.Input')).fontWeight === '700'",
        group={
            "appearance": {
                "variables": {"colorPrimary": "#ff0000"},
                "rules": {".Input": {"fontWeight": "700"}, "body": {"display": "none"}},
            }
        },
    ),
    "Options of a group: locale": shows(f"{_SHOWN}('Kartennummer')", group={"locale": "de-AT"}),
    "Options of a group: fonts": shows(
        "[...document.fonts].map(one => `${one.family} ${one.weight}`).join() === 'Globe 700,Plain normal'",
        group={
            "fonts": [
                {"family": "Globe", "src": "data:font/woff2;base64,AAAA", "weight": "700"},
                {"family": "Plain", "src": "url(data:font/woff2;base64,AAAA)"},
                {"cssSrc": "http://127.0.0.1:9/font.css"},
            ]
        },
    ),
    "Options of a group: loader": shows(
        """(() => {
      const main = document.getElementById('form');
      const display = () => getComputedStyle(main, '::before').display;
      main.setAttribute('aria-busy', 'true');
      const never = display();
      delete document.documentElement.dataset.loader;
      return never === 'none' && display() !== 'none';
    })()""",
        group={"loader": "never"},
    ),
    "Options of an element: layout": shows(
        f"{_COUNT}('input:checked').length === 0", options={"layout": {"type": "tabs", "defaultCollapsed": True}}
    ),
    "Options of an element: wallets": shows(
        f"{_COUNT}('.Wallets button').length === 3", options={"wallets": {"googlePay": "never"}}
    ),
    "Options of an element: defaultValues": shows(
        "document.querySelector('[name=email]').value === 'ada@example.test'",
        options={"defaultValues": _FILLED, "paymentMethodOrder": ["klarna"]},
    ),
    "Options of an element: fields": shows(
        f"{_COUNT}('[name=email]').length === 0",
        options={"defaultValues": _FILLED, "fields": {"billingDetails": "never"}, "paymentMethodOrder": ["klarna"]},
    ),
    "Options of an element: paymentMethodOrder": shows(
        "document.querySelector('.Tab').innerText === 'iDEAL'", options={"paymentMethodOrder": ["ideal", "card"]}
    ),
    "Options of an element: hiddenPaymentMethods": shows(
        f"{_COUNT}('[data-testid=method-ideal]').length === 0", options={"hiddenPaymentMethods": ["ideal"]}
    ),
    "Options of an element: displaySavedPaymentMethodsCheckbox": shows(
        f"{_COUNT}('#save').length === 0", options={"displaySavedPaymentMethodsCheckbox": False}
    ),
    "Options of an element: readOnly": shows(
        f"{_COUNT}('input:enabled, button:enabled').length === 0", options={"readOnly": True}
    ),
    "Options of an element: terms": shows(f"{_SHOWN}('future payments')", options={"terms": {"card": "always"}}),
    "Options of an element: business": shows(
        f"{_SHOWN}('Globe Theatre')", options={"terms": {"card": "always"}, "business": {"name": "Globe Theatre"}}
    ),
    "Options of an element: sdkHandleConfirmPayment": shows(
        "document.querySelector('[data-testid=pay]').innerText === 'Buy'",
        options={"sdkHandleConfirmPayment": {"handleConfirm": True, "buttonText": "Buy"}},
    ),
    "Options of an element: testCards": shows(f"{_COUNT}('details').length === 0", options={"testCards": False}),
    **{
        f"Events: {name}": gives(f"events.find(e => e[1] === '{name}')", holds)
        for name, holds in {"ready": "r[2].ready === true", "change": "r[2].empty === true"}.items()
    },
}
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


@pytest.mark.parametrize("name", PROBES)
def test_the_stand_in_does_what_the_reference_says(till: Till, name: str) -> None:
    probe = PROBES[name]
    merchant = till.merchant
    merchant.post("/customers", {"customer_id": "cus_ada"})
    till.order(customer_id="cus_ada", email=None)
    group = dict(probe.group)
    if "paymentMethodsManagement" in probe.kinds and "ephemeralKey" not in group:
        group["ephemeralKey"] = merchant.post("/ephemeral_keys", {"customer_id": "cus_ada"})["secret"]
    till.open(*probe.kinds, options=dict(probe.options), group=group, hyper=dict(probe.hyper))
    if probe.kinds == ("payment",) and name.endswith("clear"):
        till.find("cardNoInput").fill("4242")
    assert till.page.evaluate(probe.page)
    if probe.form:
        frame = till.page.query_selector(FRAME)
        content = frame.content_frame() if frame else None
        assert content is not None
        content.wait_for_function(probe.form)
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


def test_what_a_customer_does_is_told(till: Till) -> None:
    till.order()
    till.open()
    till.find("cardNoInput").click()
    till.page.keyboard.press("Escape")
    till.page.locator("#pay").focus()
    till.pay()
    assert till.result["error"]["type"] == "validation_error"
    assert till.events("focus")[0] == {"focus": True}
    assert till.events("blur")[0] == {"blur": True}
    assert till.events("clickTriggered")[0] == {"clickTriggered": True, "event": '{"isTrusted":true}'}
    assert till.events("escape") == till.events("confirmTriggered") == till.events("completeDoThis") == []


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_wallets_button_waits_for_the_shops_handler(till: Till, goes_on: bool) -> None:
    till.order()
    till.open(options={"wallets": {"walletReturnUrl": till.shop.back}})
    till.page.evaluate(
        "goesOn => elements.getElement('payment').onSDKHandleClick(async () => { if (!goesOn) throw new Error('no') })",
        goes_on,
    )
    till.find("wallet-google_pay").click()
    if goes_on:
        till.page.wait_for_url(f"{till.shop.base}/back**")
    else:
        till.page.wait_for_function("() => events.some(e => e[1] === 'oneClickConfirmTriggered')")
        assert till.events("oneClickConfirmTriggered") == [{"oneClickConfirmTriggered": True}]
    assert till.status() == ("succeeded" if goes_on else "requires_payment_method")


def test_a_button_inside_the_frame_pays_and_leads_back(till: Till) -> None:
    till.order()
    params = {"return_url": till.shop.back}
    till.open(options={"sdkHandleConfirmPayment": {"handleConfirm": True, "confirmParams": params}})
    till.type_card()
    till.find("pay").click()
    till.page.wait_for_url(f"{till.shop.base}/back**")
    assert till.shop.came_back().told["status"] == till.status() == "succeeded"


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
    till.page.wait_for_function("() => true")
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
    till.page.wait_for_function("() => said.length === 2")
    assert till.result["status"] == "succeeded"
    till.page.clock.fast_forward(60_000)
    assert hasty.alarms == []


def test_a_form_from_a_wrong_address_is_told_in_the_console(
    shop: Shop, merchant: Merchant, hasty: Customer, base: str
) -> None:
    till = Till(shop, merchant, hasty, base)
    till.order()
    till.open("cardNumber", "cardCvc", hyper={"customBackendUrl": shop.base}, waits=False)
    till.page.clock.fast_forward(20_000)
    till.page.wait_for_function("() => true")
    assert len([alarm for alarm in hasty.alarms if shop.base in alarm]) == 2
    hasty.alarms.clear()
