"""A small React shop pays by the stand-in, with the public packages of npm; and what it shows when things break.

Its packages are installed by `make npm`.
"""

from __future__ import annotations

import json
import subprocess
from typing import Any, Final

import pytest

from mock_server.checkout import SCRIPTS
from tests.architecture.sources import ROOT
from tests.browser.customer import until
from tests.browser.shop import HEAD
from tests.browser.test_checkout import number
from tests.browser.till import PAY, Till

REACT: Final = ROOT / "examples/checkout"
ESBUILD: Final = REACT / "node_modules/.bin/esbuild"
MISSING: Final = "the React shop's packages are not installed: run `make npm`"
PUBLIC: Final = "https://beta.hyperswitch.io/v1/HyperLoader.js"
"""What the package hyper-js loads for a sandbox's key; it is asked for nothing."""


class ReactTill(Till):
    """The React shop's page. What it shows at the end stands in `said`."""

    bundle = ""

    def open(self, *kinds: str, waits: bool = True, **more: Any) -> None:
        given = {"key": self.key, "secret": self.payment["client_secret"], "back": self.shop.back, "backend": self.base}
        given["options"] = more.get("options", {})
        self.shop.pages[PAY] = (
            f'{HEAD}<title>Shop</title><div id="root"></div>'
            f'<script id="given" type="application/json">{json.dumps(given)}</script><script>{self.bundle}</script>'
        )
        at = f"{self.base}{SCRIPTS[2]}?key={self.key}"
        self.page.route(PUBLIC, lambda route: route.fulfill(response=route.fetch(url=at)))
        self.page.goto(self.shop.base + PAY)
        if waits:
            self.is_ready()

    def is_ready(self, times: int = 1) -> None:
        until(self.page, "() => document.body?.dataset.ready")

    def says(self, text: str) -> None:
        until(self.page, "text => document.querySelector('#said')?.innerText.includes(text)", text)

    def fault(self, on: str, then: str) -> None:
        """A scenario of the shop's workspace."""
        self.merchant.activate("broken", f"version: 1\nname: broken\nrules:\n  - on: {on}\n    then: {then}\n")


ALERTS: Final = "text => document.querySelector('[role=alert]')?.innerText.includes(text)"


@pytest.fixture(scope="module")
def bundle() -> str:
    """The shop as one script."""
    if not ESBUILD.exists():
        pytest.skip(MISSING)
    made = subprocess.run(
        [ESBUILD, "react-shop.jsx", "--bundle", "--minify", '--define:process.env.NODE_ENV="production"'],
        cwd=REACT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return made.stdout


@pytest.fixture
def react(till: Till, bundle: str) -> ReactTill:
    made = ReactTill(till.shop, till.merchant, till.customer, till.base)
    made.bundle = bundle
    return made


@pytest.mark.parametrize(
    ("card", "says"),
    [("visa_success", "succeeded"), ("visa_insufficient_funds", "failed: Payment declined: insufficient funds")],
)
def test_a_card_is_paid_or_declined(react: ReactTill, card: str, says: str) -> None:
    react.order()
    react.open()
    react.type_card(number(card))
    react.pay()
    react.says(says)
    assert react.status() == says.partition(":")[0]


@pytest.mark.parametrize(
    ("ending", "status"), [("approved", "succeeded"), ("declined", "failed"), ("abandoned", "requires_action")]
)
def test_a_challenge_is_followed_or_left(react: ReactTill, ending: str, status: str) -> None:
    react.order()
    react.open()
    react.type_card(number("visa_3ds_required"))
    react.pay()
    react.page.wait_for_url("**/payments/redirect/**")
    if ending == "abandoned":
        react.open()
    else:
        react.customer.press(ending)
        react.page.wait_for_url(f"{react.shop.base}/back**")
        assert react.shop.came_back().told["status"] == status
    assert react.status() == status


def test_a_saved_card_is_paid(react: ReactTill) -> None:
    react.merchant.post("/customers", {"customer_id": "cus_ada"})
    for _ in range(2):
        react.order(customer_id="cus_ada", setup_future_usage="on_session")
        react.open()
        if react.count("saved-method"):
            react.write("cvvInput", "123")
        else:
            react.type_card()
            react.press("saveCard")
        react.pay()
        react.says("succeeded")
    assert react.count("saved-method") == 1


@pytest.mark.parametrize("how", ["wallet", "ideal"])
def test_a_wallet_and_a_bank_redirect_lead_back(react: ReactTill, how: str) -> None:
    react.order()
    react.open(options={"wallets": {"walletReturnUrl": react.shop.back}})
    if how == "wallet":
        react.press("wallet-google_pay")
    else:
        react.choose(how)
        react.pay()
        react.page.wait_for_url("**/payments/redirect/**")
        react.customer.press("approved")
    react.page.wait_for_url(f"{react.shop.base}/back**")
    assert react.shop.came_back().told["status"] == react.status() == "succeeded"


def test_a_page_that_is_loaded_again_finds_the_payment(react: ReactTill) -> None:
    react.order()
    react.open()
    react.type_card("4242")
    react.page.reload()
    react.is_ready()
    react.type_card()
    react.pay()
    react.says("succeeded")
    react.page.reload()
    react.says("paid before")
    react.is_ready()
    react.customer.alarms.clear()  # no wallet's session begins for a paid payment, and the browser's console says so


def test_a_double_click_pays_once(react: ReactTill) -> None:
    react.order()
    react.open()
    react.type_card()
    with react.page.expect_console_message(lambda said: said.type == "error"):
        react.pay_twice()
    assert react.merchant.get(f"/payments/{react.payment['payment_id']}")["amount_received"] == 6540
    react.customer.alarms.clear()  # the browser's console tells of the refusal


# what breaks


def test_a_script_that_does_not_come_is_told(react: ReactTill) -> None:
    react.fault("checkout.script", "{respond: {status: 503}}")
    react.order()
    react.open(waits=False)
    react.page.get_by_text("The checkout could not be loaded.").wait_for()
    react.customer.alarms.clear()  # the browser's console tells of the status


@pytest.mark.parametrize("on", ["checkout.script", "checkout.frame", "payment_methods.list"])
def test_what_is_slow_comes_in_the_end(react: ReactTill, on: str) -> None:
    react.fault(on, "{delay: 300ms}")
    react.order()
    react.open()
    react.type_card()
    react.pay()
    react.says("succeeded")


@pytest.mark.parametrize("then", ["{respond: {status: 503}}", "{fault: connection_reset}", "{fault: empty_response}"])
def test_a_frame_that_does_not_come_is_never_ready(react: ReactTill, then: str) -> None:
    react.fault("checkout.frame", then)
    react.order()
    with react.page.expect_event("framenavigated", lambda frame: frame.parent_frame is not None):
        react.open(waits=False)
    react.pay()
    assert not react.page.evaluate("() => document.body.dataset.ready")
    assert react.page.locator("#said").inner_text() == ""
    assert react.status() == "requires_payment_method"
    react.customer.alarms.clear()  # the browser's console tells of the frame


def test_methods_that_do_not_come_are_told_in_the_form(react: ReactTill) -> None:
    react.fault("payment_methods.list", "{error: HE_00}")
    react.order()
    react.open()
    until(react.forms[0], ALERTS, "The payment form could not be loaded.")
    react.customer.alarms.clear()  # the browser's console tells of the status


@pytest.mark.parametrize(("fault", "status"), [("connection_reset", "succeeded"), ("malformed_json", "succeeded")])
def test_a_confirmation_whose_answer_is_lost_is_asked_for_again(react: ReactTill, fault: str, status: str) -> None:
    react.fault("payments.confirm", f"{{fault: {fault}, effect: kept}}")
    react.order()
    react.open()
    react.type_card()
    react.pay()
    react.says(status)
    assert react.status() == status
    react.customer.alarms.clear()  # the browser's console tells of the connection


def test_a_bank_that_nobody_leaves_keeps_the_payment_open(react: ReactTill) -> None:
    react.fault("charge", "{challenge: abandoned}")
    react.order()
    react.open()
    react.type_card()
    react.pay()
    react.page.get_by_role("heading", name="The customer does not return").wait_for()
    assert react.status() == "requires_action"
