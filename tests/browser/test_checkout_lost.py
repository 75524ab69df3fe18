"""Answers that are lost while a customer is at the bank's page, or at a page of ours: what the shop and the customer
are told is what the payment is.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from itertools import product
from typing import Final

import pytest
from playwright.sync_api import Route, expect

from tests.browser.customer import Customer
from tests.browser.merchant import Merchant, card
from tests.browser.shop import Shop
from tests.browser.test_checkout import number
from tests.browser.test_checkout_link import LinkTill
from tests.browser.till import Till
from tests.counts import times

STATUSES: Final = {"approved": "succeeded", "declined": "failed", "closed": "requires_action"}
PAYMENT: Final = "**/payments/pay_*?client_secret=*"
CALLS: Final = (("frame", PAYMENT), ("popup", PAYMENT), ("popup", "**/poll/status/*"))
HOW: Final[Mapping[str, Callable[[Route], None]]] = {
    "no answer": lambda route: route.abort(),
    "no JSON": lambda route: route.fulfill(status=503, body="<html>busy"),
    "an error": lambda route: route.fulfill(status=500, json={"error": {"type": "server_error", "message": "busy"}}),
}
ALL: Final = tuple(product(CALLS, STATUSES, range(1, times(2, soak=5)), HOW))
"""Where the bank's page is and the calls that are lost, how it ends, how many are lost at first, and how."""


class Lost:
    """Loses the first calls."""

    def __init__(self, many: int, how: str) -> None:
        self.left, self.how = many, HOW[how]

    def __call__(self, route: Route) -> None:
        self.left -= 1
        if self.left < 0:
            route.continue_()
        else:
            self.how(route)


@pytest.mark.parametrize(("calls", "ending", "many", "how"), random.Random(7).sample(ALL, times(4, soak=len(ALL))))
def test_what_is_lost_while_the_bank_asks_is_asked_again(
    drawn: Till, calls: tuple[str, str], ending: str, many: int, how: str
) -> None:
    where, path = calls
    lost = Lost(many, how)
    drawn.order()
    drawn.open(hyper={"redirectIn": where})
    drawn.type_card(number("visa_3ds_required"))
    if where == "frame":
        drawn.pay()
        dialog = drawn.page.get_by_role("dialog", name="Confirm the payment")
        dialog.frame_locator("iframe").get_by_test_id("approved").wait_for()
        drawn.page.route(path, lost)
        if ending == "closed":
            dialog.get_by_role("button", name="Close").click()
        else:
            dialog.frame_locator("iframe").get_by_test_id(ending).click()
    else:
        drawn.page.route(path, lost)
        with drawn.page.expect_popup() as opened:
            drawn.pay()
        popup = opened.value
        if ending == "closed":
            popup.close()
        else:
            popup.get_by_test_id(ending).click()
    assert drawn.result.get("status") == drawn.status() == STATUSES[ending], drawn.result
    assert drawn.page.get_by_role("dialog").count() == 0
    assert lost.left < many, "nothing was lost"
    drawn.customer.alarms.clear()  # the browser's console tells of what was lost, and the window is what was wanted


@pytest.mark.parametrize("way", ["frame", "popup", "close"])
def test_a_session_that_is_over_at_the_bank_is_told_as_the_api_tells_it(drawn: Till, way: str) -> None:
    """A refusal is an answer: nobody asks again, and the dialog does not stay for ever."""
    drawn.order(session_expiry=60)
    drawn.open(hyper={"redirectIn": "popup" if way == "popup" else "frame"}, redirect="always")
    drawn.type_card(number("visa_3ds_required"))
    if way == "popup":
        with drawn.page.expect_popup() as opened:
            drawn.pay()
        approve = opened.value.get_by_test_id("approved")
    else:
        drawn.pay()
        dialog = drawn.page.get_by_role("dialog", name="Confirm the payment")
        approve = dialog.frame_locator("iframe").get_by_test_id("approved")
    approve.wait_for()
    drawn.merchant.post("/_sandbox/clock/advance", {"by": "2m"})
    (dialog.get_by_role("button", name="Close") if way == "close" else approve).click()
    error = drawn.result.get("error", {})
    assert (error.get("type"), error.get("code")) == ("invalid_request", "IR_08"), drawn.result
    assert drawn.page.get_by_role("dialog").count() == 0
    assert drawn.status() == ("requires_action" if way == "close" else "succeeded")
    drawn.customer.alarms.clear()  # the browser's console tells of the refusal


def test_the_keyboard_reaches_nothing_behind_the_banks_page(drawn: Till) -> None:
    drawn.order()
    drawn.open(hyper={"redirectIn": "frame"})
    drawn.type_card(number("visa_3ds_required"))
    drawn.page.locator("#pay").press("Enter")
    dialog = drawn.page.get_by_role("dialog", name="Confirm the payment")
    dialog.frame_locator("iframe").get_by_test_id("approved").wait_for()
    reached = set()
    for _ in range(12):
        drawn.page.keyboard.press("Tab")
        reached.add(drawn.page.evaluate("() => document.activeElement.closest('dialog, main')?.tagName"))
    assert reached <= {"DIALOG", None}
    dialog.get_by_role("button", name="Close").focus()
    drawn.page.keyboard.press("Escape")
    assert drawn.result["status"] == "requires_action"
    assert drawn.page.evaluate("() => document.activeElement.id") == "pay"


LINK: Final = (
    ("**/*", "no answer", "There was no answer. Load this page again"),
    ("**/confirm", "no JSON", "nothing is paid so far"),
    ("**/confirm", "no answer", "nothing is paid so far"),
    ("**/confirm", "an error", "busy"),
)
"""What is lost and how, and what the page of a payment link says then."""


@pytest.mark.parametrize(("lost", "how", "says"), LINK[: times(2, soak=4)])
@pytest.mark.parametrize("by", ["pay-in-frame", "wallet-google_pay"][: times(1, soak=2)])
def test_a_link_whose_answers_are_lost_says_so_and_can_be_paid(
    shop: Shop, merchant: Merchant, customer: Customer, base: str, lost: str, how: str, says: str, by: str
) -> None:
    linked = LinkTill(shop, merchant, customer, base)
    linked.come()
    linked.type_card()
    button = customer.find(by) if by == "pay-in-frame" else linked.find(by)
    linked.page.route(lost, HOW[how])
    button.click()
    expect(linked.form.get_by_role("alert")).to_contain_text(says)
    linked.page.unroute(lost)
    button.click()
    assert linked.came_back()["status"] == "succeeded"
    assert [one for one in customer.alarms if "Failed to load" not in one] == []
    customer.alarms.clear()  # the browser's console tells of what was lost


def test_a_link_that_is_being_paid_looks_so(shop: Shop, merchant: Merchant, customer: Customer, base: str) -> None:
    linked = LinkTill(shop, merchant, customer, base)
    linked.come()
    linked.type_card()
    held: list[Route] = []
    linked.page.route("**/confirm", lambda route: held.append(route))
    pay = customer.find("pay-in-frame")
    with linked.page.expect_request("**/confirm"):
        pay.click()
    expect(pay).to_be_disabled()
    expect(pay).to_have_css("opacity", "0.6")
    held[0].continue_()
    assert linked.came_back()["status"] == "succeeded"


@pytest.mark.parametrize("button", ["Remove", "Make default"])
def test_what_is_done_to_a_saved_method_is_done_once_or_said_to_be_lost(drawn: Till, button: str) -> None:
    drawn.merchant.post("/customers", {"customer_id": "cus_ada"})
    for name in ("visa_success", "mastercard_success"):
        saved = {**card(name), "customer_id": "cus_ada", "setup_future_usage": "off_session"}
        drawn.merchant.post("/payments", {**saved, "customer_acceptance": {"acceptance_type": "offline"}})
    key = drawn.merchant.post("/ephemeral_keys", {"customer_id": "cus_ada"})["secret"]
    drawn.order()
    drawn.open("paymentMethodsManagement", group={"ephemeralKey": key})
    pressed, alert = drawn.form.get_by_role("button", name=button), drawn.form.get_by_role("alert")
    before = pressed.count()
    drawn.page.route("**/customers/**", lambda route: route.abort())
    drawn.page.route("**/payment_methods/**", lambda route: route.abort())
    pressed.first.click()
    expect(alert).to_contain_text("There was no answer")
    drawn.page.unroute_all()
    pressed.first.evaluate("button => { button.click(); button.click(); }")
    expect(pressed).to_have_count(before - (button == "Remove"))
    expect(alert).to_be_empty()
    drawn.customer.alarms.clear()  # the browser's console tells of what was lost


@pytest.mark.parametrize("first", range(2))
def test_a_second_press_on_remove_removes_nothing_else(drawn: Till, first: int) -> None:
    drawn.merchant.post("/customers", {"customer_id": "cus_ada"})
    for name in ("visa_success", "mastercard_success", "amex_success"):
        saved = {**card(name), "customer_id": "cus_ada", "setup_future_usage": "off_session"}
        drawn.merchant.post("/payments", {**saved, "customer_acceptance": {"acceptance_type": "offline"}})
    key = drawn.merchant.post("/ephemeral_keys", {"customer_id": "cus_ada"})["secret"]
    drawn.order()
    drawn.open("paymentMethodsManagement", group={"ephemeralKey": key})
    remove = drawn.form.get_by_role("button", name="Remove")
    box = remove.nth(first).bounding_box()
    assert box is not None
    for _ in range(2):  # at the same place, however slowly
        drawn.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(remove).to_have_count(2)
    assert drawn.form.locator("del").count() == 1
    left = drawn.merchant.get("/customers/cus_ada/payment_methods")["customer_payment_methods"]
    assert len(left) == 2
