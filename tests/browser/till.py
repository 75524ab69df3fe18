"""A shop's page that takes payments by the stand-in, and the customer at it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from playwright.sync_api import Frame, FrameLocator, Locator

from tests.browser.customer import Customer, pick, press, until, write
from tests.browser.merchant import Merchant
from tests.browser.shop import HEAD, Shop

FRAME: Final = "iframe[id^=orca-payment-][id*=-element-iframeRef-]"
PAY: Final = "/pay"
EVENTS: Final = (
    "ready", "loaderror", "change", "focus", "blur", "escape", "confirmTriggered", "oneClickConfirmTriggered",
    "clickTriggered", "completeDoThis",
)  # fmt: skip
READY: Final = ("payment", "cardCvc", "paymentMethodsManagement")
"""The elements that say that they are ready; the others never do."""
_PAGE: Final = (
    HEAD
    + """<title>Shop</title><meta name="viewport" content="width=device-width, initial-scale=1">
<style>body { font: 16px system-ui; max-width: 30rem; margin: 1rem auto; padding: 0 1rem }</style>
<main><h1>Your order</h1>
<div id="here"></div><div id="expiry"></div><div id="cvc"></div>
<p><button id="pay">Pay 65.40</button></p><p id="said" role="status"></p></main>
<script src="SCRIPT"></script>
<script>
const given = GIVEN;
const events = window.events = [];
var hyper, elements;
if (given.kinds.length) {
  hyper = Hyper(given.key, given.hyper);
  elements = hyper.elements({clientSecret: given.secret, ...given.group});
}
const places = ["#here", "#expiry", "#cvc"];
given.kinds.forEach((kind, at) => {
  const element = elements.create(kind, given.options);
  for (const name of given.events)
    element.on(name, value => events.push([kind, name, value ?? null]));
  element.mount(places[at]);
});
const said = window.said = [];
document.getElementById("pay").addEventListener("click", async () => {
  const {back, redirect} = given;
  const result = await hyper.confirmPayment({elements, confirmParams: {return_url: back}, redirect});
  said.push(result);
  document.getElementById("said").textContent = result.error ? result.error.message : result.status;
});
</script>"""
)


_AT_PAY: Final = """() => {
  const box = document.getElementById("pay").getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}"""


class Till:
    """One payment at a shop's page. What the shop is told at its end stands in `result`."""

    def __init__(self, shop: Shop, merchant: Merchant, customer: Customer, base: str) -> None:
        self.shop, self.merchant, self.customer, self.base = shop, merchant, customer, base
        self.page = customer.page
        self.payment: dict[str, Any] = {}

    @property
    def key(self) -> str:
        """The publishable key."""
        return self.merchant.key.twin().text

    def order(self, **fields: Any) -> dict[str, Any]:
        """A payment that nobody has confirmed yet."""
        body = {"amount": 6540, "currency": "EUR", "profile_id": "pro_shop", "email": "ada@example.test", **fields}
        self.payment = self.merchant.post("/payments", body)
        return self.payment

    def open(
        self,
        *kinds: str,
        redirect: str = "if_required",
        hyper: dict[str, Any] | None = None,
        group: dict[str, Any] | None = None,
        options: dict[str, Any] | None = None,
        script: str = "",
        waits: bool = True,
        mounts: bool = True,
        events: Sequence[str] = EVENTS,
    ) -> None:
        """Shows the shop's page with these elements, and waits for their forms."""
        given = {
            "key": self.key, "secret": self.payment["client_secret"], "back": self.shop.back, "redirect": redirect,
            "kinds": (kinds or ["payment"]) if mounts else [], "hyper": hyper or {}, "group": group or {},
            "options": options or {}, "events": events,
        }  # fmt: skip
        script = script or f"{self.base}/HyperLoader.js?key={self.key}"
        self.shop.pages[PAY] = _PAGE.replace("SCRIPT", script).replace("GIVEN", json.dumps(given))
        self.page.goto(self.shop.base + PAY, wait_until="load" if waits else "domcontentloaded")
        if waits:
            assert len(self.forms) == len(given["kinds"])
            for form in self.forms:
                until(form, "() => document.querySelector('#form[aria-busy=false]')")
            self.is_ready(sum(kind in READY for kind in given["kinds"]))

    def is_ready(self, times: int = 1) -> None:
        until(self.page, "times => events.filter(e => e[1] === 'ready').length >= times", times)

    @property
    def forms(self) -> list[Frame]:
        """The forms of all elements, once the page has loaded."""
        return [frame for frame in self.page.frames if "/checkout/frame?" in frame.url]

    @property
    def form(self) -> FrameLocator:
        """The form of the first element."""
        return self.page.frame_locator(FRAME).first

    def find(self, name: str) -> Locator:
        """What bears a test id in the first element's form."""
        return self.form.get_by_test_id(name)

    def ask(self, expression: str, given: object = None) -> Any:
        """What an expression gives in the first element's form."""
        return self.forms[0].evaluate(expression, given)

    def count(self, name: str) -> int:
        """How many there bear a test id."""
        return int(self.ask("name => document.querySelectorAll(`[data-testid='${name}']`).length", name))

    def press(self, name: str) -> None:
        press(self.forms[0], name)

    def write(self, name: str, text: str) -> None:
        write(self.forms[0], name, text)

    def type_card(self, number: str = "4242424242424242", expiry: str = "12/34", cvc: str = "123") -> None:
        for name, text in {"cardNoInput": number, "expiryInput": expiry, "cvvInput": cvc}.items():
            self.write(name, text)

    def choose(self, method: str) -> None:
        """Chooses a method by its tab, or from those behind "more"."""
        if self.ask("method => !!document.querySelector(`option[value=${method}]:not([hidden])`)", method):
            pick(self.forms[0], "paymentMethodsSelect", method)
        else:
            self.press(f"method-{method}")

    def pay(self) -> None:
        press(self.page.main_frame, "#pay")

    def pay_twice(self) -> None:
        """By a double click; only where nothing is drawn, so that nothing moves."""
        self.page.mouse.dblclick(*self.page.evaluate(_AT_PAY))

    def meet(self) -> Frame:
        """Pays, and gives the bank's page that is shown over the shop's, once it is there."""
        with self.page.expect_event("framenavigated", lambda frame: "/payments/redirect/" in frame.url) as shown:
            self.pay()
        page: Frame = shown.value
        until(page, "() => document.readyState === 'complete'")
        return page

    @property
    def result(self) -> Any:
        """What the shop was told, once it is."""
        return self.told(1)

    def told(self, times: int) -> Any:
        """What the shop was told last, once it was told so often."""
        until(self.page, "times => said.length >= times", times)
        return self.page.evaluate("() => said.at(-1)")

    def events(self, name: str) -> list[Any]:
        return [value for _, event, value in self.page.evaluate("() => events") if event == name]

    def status(self) -> str:
        return self.merchant.status(self.payment)
