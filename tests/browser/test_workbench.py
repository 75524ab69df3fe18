"""The workbench, task by task: what a developer wants to know or do, in as few clicks as the docs say.

Each function is one task, and reads as a person would do it. `Clicks` counts every click, key and field.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.customer import PLACE, Customer, click, pick, until_led_on, write
from tests.browser.desk import FIRST, HOME, IS_THERE, IS_UNDER_MORE, NOWHERE, PLACE_OF_BUTTON, SAYS, pay, place
from tests.browser.merchant import Merchant, link
from tests.counts import times

SOON_MS: Final = 3_600_000
REFUSED: Final = "the server responded with a status of 4"
ORDER: Final = {"merchant_order_reference_id": "order-42", "customer": {"id": "cus_ada", "email": "ada@shop.test"}}


class Desk:
    """A developer at the dashboard, whose clicks are counted from a page on."""

    def __init__(self, customer: Customer, merchant: Merchant) -> None:
        self.customer, self.merchant, self.clicks, self.page = customer, merchant, 0, customer.page

    def at(self, page: str) -> Desk:
        """Begins on a page."""
        assert self.customer.open(f"{HOME}/{place(self.merchant)}/{page}") == 200
        self.clicks = 0
        return self

    def click(self, what: str | Locator) -> None:
        """Clicks the first that bears a test id, or any other element, once it is there."""
        if isinstance(what, str):
            self.is_there(what)
            self.page.mouse.click(*self.page.evaluate(f"name => ({PLACE})({FIRST})", what))
        else:
            click(what)
        self.clicks += 1

    def press(self, act: str) -> None:
        """Presses the button of an act, even of one that is under More."""
        if self.page.evaluate(IS_UNDER_MORE, f"do-{act}"):
            self.click("more")
        self.page.mouse.click(*self.page.evaluate(PLACE_OF_BUTTON, f"do-{act}"))
        self.clicks += 1
        self.is_there("notice")

    def choose(self, field: str, value: str) -> None:
        self.is_there(field)
        is_list = self.page.evaluate(f"name => 'options' in {FIRST}", field)
        (pick if is_list else write)(self.page.main_frame, field, value)
        self.clicks += 1

    def write(self, field: str, text: str) -> None:
        self.is_there(field)
        write(self.page.main_frame, field, text)
        self.clicks += 1

    def is_there(self, what: str) -> None:
        """Waits until the page shows it, or the page that it leads to."""
        until_led_on(self.page, IS_THERE, what)

    def search(self, text: str) -> None:
        """From anywhere: a key, what is looked for, Enter, and the first hit."""
        self.page.keyboard.press("/")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")
        self.click("hit")

    def sees(self, what: str, text: str) -> None:
        until_led_on(self.page, SAYS, [what, text])

    def told(self) -> str:
        return self.customer.text("notice")


@pytest.fixture
def desk(onlooker: Customer, merchant: Merchant) -> Iterator[Desk]:
    merchant.get("/_sandbox/clock")
    yield Desk(onlooker, merchant)
    onlooker.alarms[:] = [alarm for alarm in onlooker.alarms if REFUSED not in alarm]


def test_why_did_it_fail(desk: Desk, merchant: Merchant) -> None:
    pay(merchant, "visa_insufficient_funds")
    desk.at("payments").click("payment")
    desk.sees("headline", "insufficient funds (DC_08)")
    assert desk.clicks == 1


def test_what_did_my_client_send(desk: Desk, merchant: Merchant) -> None:
    merchant.call("GET", "/payments/list", headers={"X-Mine": "shown", "Cookie": "secret=1"})
    desk.at("journal").click("line")
    desk.sees("headers", "shown")
    desk.sees("headers", "python-httpx")
    assert "secret=1" not in desk.customer.text("headers")
    assert desk.clicks == 1


def test_what_did_the_receiver_get_and_answer(desk: Desk, merchant: Merchant) -> None:
    merchant.call("PUT", "/_sandbox/webhooks/target", json={"url": NOWHERE})
    pay(merchant, "visa_success")
    desk.at("webhooks").click("event")
    desk.sees("payload", "payment_succeeded")
    desk.sees("attempt", "connection was refused")
    assert desk.clicks == 1


def test_make_a_pending_payment_succeed(desk: Desk, merchant: Merchant) -> None:
    made = pay(merchant, "visa_pending")
    desk.at(f"payments/{made['payment_id']}").press("control.settle")
    desk.sees("status", "succeeded")
    assert (merchant.status(made), desk.clicks) == ("succeeded", 1)


def test_capture_a_part(desk: Desk, merchant: Merchant) -> None:
    made = pay(merchant, "visa_success", capture_method="manual")
    desk.at(f"payments/{made['payment_id']}").write("amount_to_capture", "10.00")
    desk.press("payments.capture")
    assert (merchant.status(made), desk.clicks) == ("partially_captured", 2)


def test_approve_what_is_held_for_review(desk: Desk, merchant: Merchant) -> None:
    made = pay(merchant, "visa_review")
    desk.at(f"payments/{made['payment_id']}").press("payments.approve")
    assert (merchant.status(made), desk.clicks) == ("succeeded", 1)


def test_refund_a_part(desk: Desk, merchant: Merchant) -> None:
    made = pay(merchant, "visa_success")
    desk.at(f"payments/{made['payment_id']}")
    form = desk.customer.find("do-refunds.create")
    form.get_by_test_id("amount").fill("10.00")
    desk.press("refunds.create")
    desk.sees("headline", "Refunded in part: 10.00 of 65.40 USD")
    assert merchant.get(f"/payments/{made['payment_id']}")["refunds"][0]["amount"] == 1000


def test_win_a_dispute(desk: Desk, merchant: Merchant) -> None:
    made = pay(merchant, "visa_success")
    desk.at(f"payments/{made['payment_id']}").press("control.dispute")
    desk.customer.page.evaluate("() => document.querySelector('.notice').remove()")
    desk.press("control.advance_dispute")
    desk.sees("headline", "Dispute won")
    assert desk.clicks == 3


def test_open_the_customers_page(desk: Desk, merchant: Merchant, base: str) -> None:
    made = pay(merchant, "visa_3ds_required")
    desk.at(f"payments/{made['payment_id']}")
    page = desk.customer.find("customer-page")
    assert base + str(page.get_attribute("href")) == link(made, base)
    assert (page.get_attribute("target"), page.get_attribute("rel")) == ("_blank", "noopener")


def test_advance_to_what_is_scheduled_next(desk: Desk, merchant: Merchant) -> None:
    made = pay(merchant, "visa_pending_succeeds")
    desk.at(f"payments/{made['payment_id']}").press("control.clock_advance")
    assert (merchant.status(made), desk.clicks) == ("succeeded", 1)


def test_a_new_payment_by_what_shall_happen(desk: Desk, merchant: Merchant) -> None:
    desk.at("payments")
    desk.click(desk.customer.page.get_by_role("link", name="a new payment"))
    desk.choose("card", "visa_insufficient_funds")
    desk.press("payments.create")
    desk.sees("status", "failed")
    assert "card visa_insufficient_funds" in desk.told()
    made = merchant.get("/payments/list")["data"][0]["payment_id"]
    assert desk.customer.page.url.endswith(f"/payments/{made}"), "its page is live from here on"


def test_edit_a_call_and_make_it_again(desk: Desk, merchant: Merchant) -> None:
    pay(merchant, "visa_success")
    desk.at("journal").click("line")
    desk.click("replay")
    body = json.loads(desk.customer.find("json").input_value())
    desk.write("json", json.dumps({**body, "amount": 9900}))
    desk.choose("card", "visa_insufficient_funds")
    desk.press("replay")
    for text in ("9900", "insufficient funds"):
        desk.sees("changes", text)
    assert desk.clicks == 5


def test_compare_two_calls(desk: Desk, merchant: Merchant) -> None:
    pay(merchant, "visa_success")
    pay(merchant, "visa_insufficient_funds")
    desk.at("journal")
    for box in desk.customer.page.get_by_role("checkbox").all():
        desk.click(box)
    desk.click("compare")
    desk.sees("changes", "response.status")
    assert desk.clicks == 3


@pytest.mark.parametrize("text", ["cus_ada", "ada@shop.test", "order-42", "65.40", "pay_"])
def test_find_by_customer_order_amount_or_id(desk: Desk, merchant: Merchant, text: str) -> None:
    made = pay(merchant, "visa_success", email="ada@shop.test", **ORDER)
    desk.at("clock").search(text)
    desk.customer.page.wait_for_url(f"**/payments/{made['payment_id']}")
    assert desk.clicks == 1


# calm


def test_rows_do_not_move_under_who_reads_them(desk: Desk, merchant: Merchant) -> None:
    first = pay(merchant, "visa_success")["payment_id"]
    desk.at("payments")
    desk.customer.page.get_by_role("link", name=first).focus()
    pay(merchant, "visa_success")
    desk.sees("news", "1 new")
    expect(desk.customer.find("payment")).to_have_count(1)
    expect(desk.customer.page.get_by_role("link", name=first)).to_be_focused()
    desk.click("news")
    expect(desk.customer.find("payment")).to_have_count(2, timeout=SOON_MS)


AT_POINTER = (
    """([x, y]) => document.elementFromPoint(x, y).closest("tr").querySelector("a[data-testid]").getAttribute("href")"""
)


@pytest.mark.parametrize("click", range(times(3, soak=8)))
def test_a_click_opens_the_payment_under_the_pointer(desk: Desk, merchant: Merchant, click: int) -> None:
    """However many payments come between aiming and clicking."""
    page = desk.customer.page
    for _ in range(12):
        pay(merchant, "visa_success")
    desk.at("payments")
    box = desk.customer.find("payment").nth(click).bounding_box()
    assert box is not None
    at = [box["x"] + 5, box["y"] + box["height"] / 2]
    page.mouse.move(*at)
    wanted = page.evaluate(AT_POINTER, at)
    for number in range(12):
        made = pay(merchant, "visa_success")["payment_id"]
        desk.sees("news", f"{number + 1} new")
    assert page.evaluate(AT_POINTER, at) == wanted
    assert page.get_by_role("link", name=made).count() == 0
    page.mouse.click(*at)
    page.wait_for_url(f"**{wanted}")


def test_a_row_changes_in_place_while_others_wait(desk: Desk, merchant: Merchant) -> None:
    held = pay(merchant, "visa_success", capture_method="manual")["payment_id"]
    desk.at("payments")
    desk.customer.page.mouse.move(*desk.customer.page.get_by_role("link", name=held).evaluate(PLACE))
    pay(merchant, "visa_success")
    desk.sees("news", "1 new")
    merchant.post(f"/payments/{held}/capture", {})
    expect(desk.customer.find("badge")).to_have_text(["succeeded"], timeout=SOON_MS)
    desk.sees("news", "1 new")


def test_the_page_pauses_and_goes_on(desk: Desk, merchant: Merchant) -> None:
    desk.at("payments").click("live-state")
    desk.sees("live-state", "paused")
    pay(merchant, "visa_success")
    pay(merchant, "visa_success")
    expect(desk.customer.find("empty")).to_have_count(1)
    desk.click("live-state")
    expect(desk.customer.find("payment")).to_have_count(2, timeout=SOON_MS)
    desk.sees("live-state", "live")


def test_rows_are_walked_by_keyboard(desk: Desk, merchant: Merchant) -> None:
    made = [pay(merchant, "visa_success")["payment_id"] for _ in range(2)]
    desk.at("payments")
    keys = desk.customer.page.keyboard
    for key in ("j", "j", "k", "Enter"):
        keys.press(key)
    desk.customer.page.wait_for_url(f"**/payments/{made[1]}")
    keys.press("?")
    expect(desk.customer.find("keys")).to_be_visible()
    keys.press("Escape")
    keys.press("Control+k")
    expect(desk.customer.find("q")).to_be_focused()


def test_on_a_phone_the_tab_that_is_open_is_in_sight(reader: Customer, merchant: Merchant) -> None:
    merchant.get("/_sandbox/clock")
    reader.page.set_viewport_size({"width": 390, "height": 780})
    reader.open(f"{HOME}/{place(merchant)}/snapshots")
    expect(reader.page.locator(".menu [aria-current]")).to_be_in_viewport()


def test_nulls_are_hidden_where_one_likes(desk: Desk, merchant: Merchant) -> None:
    pay(merchant, "visa_success")
    desk.at("journal").click("line")
    nulls = desk.customer.find("response").locator("li.null")
    expect(nulls.first).to_be_visible()
    desk.click(desk.customer.find("response").get_by_label("Hide null fields"))
    expect(nulls.first).to_be_hidden()


# the scenario studio

STORY: Final = """\
version: 1
summary: Ones are declined.
rules:
  - on: charge
    when: {payment.amount: 1}
    then: {decline: lost_card}
story:
  - do: payments.create
    with: {amount: 1, currency: EUR, confirm: true, card: success}
    see: {http: 200, status: failed}
"""


def test_a_scenario_is_written_checked_run_named_and_saved(desk: Desk, merchant: Merchant) -> None:
    desk.at("new-scenario").write("text", STORY.replace("decline: lost", "declin: lost"))
    desk.sees("mistake", "line 6:12")
    desk.write("text", STORY)
    expect(desk.customer.find("mistake")).to_have_count(0, timeout=SOON_MS)
    desk.click("run")
    desk.sees("step", "payments.create")
    assert "1 passed." in desk.told()
    desk.write("name", "ones")
    desk.press("control.put_scenario")
    desk.customer.page.wait_for_url("**/scenarios/ones")
    assert merchant.get("/_sandbox/scenarios/ones")["summary"] == "Ones are declined."
    assert merchant.get("/payments/list")["total_count"] == 0, "the story was played elsewhere"


def test_a_step_that_differs_says_how(desk: Desk, merchant: Merchant) -> None:
    desk.at("new-scenario").write("text", STORY.replace("status: failed", "status: succeeded"))
    desk.click("run")
    desk.sees("step", 'status is "failed", not "succeeded"')
    assert "0 passed, 1 failed." in desk.told()


def test_words_of_the_language_are_offered_with_what_they_mean(desk: Desk, merchant: Merchant) -> None:
    desk.at("new-scenario").write("text", "")
    desk.customer.find("text").press_sequentially("rules:\n  - on: charge\n    then: {dec")
    desk.click(desk.customer.page.get_by_role("button", name="decline", exact=True))
    desk.customer.find("text").press_sequentially("insuff")
    desk.click(desk.customer.page.get_by_role("button", name="insufficient_funds", exact=True))
    expect(desk.customer.find("text")).to_have_value(re.compile(r"then: \{decline: insufficient_funds$"))
    desk.customer.leave()
    desk.customer.alarms.clear()  # the browser's console tells of text that is refused while it is written


def test_a_scenario_begins_with_a_shipped_one(desk: Desk, merchant: Merchant) -> None:
    desk.at("new-scenario").choose("from", "async_failure")
    desk.click("begin")
    expect(desk.customer.find("text")).to_have_value(re.compile("name: async_failure"))


def test_hits_are_in_the_list(desk: Desk, merchant: Merchant) -> None:
    merchant.activate("ones", STORY)
    pay(merchant, "visa_success", amount=1)
    desk.at("scenarios")
    desk.sees("hits", "1 hit since")


# read, and take home


def test_the_story_is_read_by_time_and_kind(desk: Desk, merchant: Merchant) -> None:
    made = pay(merchant, "visa_pending_succeeds")
    merchant.post("/_sandbox/clock/advance", {"by": "24h"})
    merchant.post("/refunds", {"payment_id": made["payment_id"], "amount": 100})
    desk.at(f"payments/{made['payment_id']}")
    rows = desk.customer.find("row")
    assert "+10 s" in rows.filter(has_text="payment_succeeded").first.inner_text()
    day = rows.filter(has_text="POST /refunds").first.locator("xpath=preceding-sibling::li[1]")
    expect(day).to_contain_text("3 March 2026")
    calls = desk.customer.page.locator(".timeline > .call")
    desk.click("kind-call")
    expect(calls.first).to_be_hidden()
    expect(day).to_be_visible()
    desk.click("kind-call")
    desk.click(calls.first.locator("summary"))
    expect(calls.first.get_by_test_id("request")).to_contain_text("amount")


def test_a_payment_is_taken_home_and_its_test_passes(desk: Desk, merchant: Merchant, tmp_path: Path) -> None:
    made = pay(merchant, "visa_insufficient_funds")
    desk.at(f"payments/{made['payment_id']}").click("export")
    desk.sees("said", "Verified: replayed in a fresh workspace")
    with desk.page.expect_download() as download:
        desk.click("save-pytest")
    download.value.save_as(saved := tmp_path / "test_replay.py")
    ran = subprocess.run([sys.executable, "-m", "pytest", "-q", saved], cwd=tmp_path, capture_output=True, text=True)
    assert "1 passed" in ran.stdout, ran.stdout
    assert desk.clicks == 2
