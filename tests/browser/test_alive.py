"""What a dashboard page shows while time goes by: whether it hears, what its clock says, what its reader holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest
from playwright.sync_api import APIResponse, Route, expect

from mock_server.domain.instants import iso, parse
from mock_server.story import words
from tests.browser.customer import Customer, click
from tests.browser.desk import HOME, NOWHERE, SCENARIO, pay, place
from tests.browser.merchant import Merchant
from tests.counts import times
from tests.running import RunningSandbox

PATIENCE_MS: Final = 60_000
"""How long is waited for what comes at once: so long that no busy machine is taken for a broken one."""
AWAY: Final = ("net::ERR", "the server responded with a status", "Failed to load resource")
"""What the browser's console says of a server that is away, which is what these tests are about."""
DIALOG: Final = "dialog: "
FORM: Final = "application/x-www-form-urlencoded"
PICK: Final = """text => {
  const node = [...document.querySelectorAll('main code, main b')].find(one => one.textContent === text);
  getSelection().selectAllChildren(node);
}"""
PICKED: Final = "() => getSelection().toString()"


@pytest.fixture
def desk(onlooker: Customer, merchant: Merchant) -> Iterator[Customer]:
    merchant.get("/_sandbox/clock")
    go(onlooker, merchant, "payments")
    yield onlooker
    onlooker.page.unroute_all()
    quiet(onlooker)


def quiet(customer: Customer) -> None:
    customer.alarms[:] = [alarm for alarm in customer.alarms if not any(word in alarm for word in AWAY)]


def go(desk: Customer, merchant: Merchant, page: str) -> None:
    assert desk.open(f"{HOME}/{place(merchant)}/{page}") == 200


def becomes(desk: Customer, words: str) -> None:
    expect(desk.find("live-state")).to_have_text(re.compile(words), timeout=PATIENCE_MS)


def test_a_page_says_that_its_server_is_away_and_when_it_is_back(desk: Customer, merchant: Merchant) -> None:
    becomes(desk, "^live$")

    def away(route: Route) -> None:
        route.abort()

    desk.page.route("**/_sandbox/ui/**", away)
    pay(merchant, "visa_success")  # ends the connection that is parked
    becomes(desk, "^reconnecting")
    desk.page.unroute("**/_sandbox/ui/**", away)
    becomes(desk, "^live$")
    expect(desk.find("payment")).to_have_count(1, timeout=PATIENCE_MS)
    pay(merchant, "visa_success")
    expect(desk.find("payment")).to_have_count(2, timeout=PATIENCE_MS)


@pytest.mark.parametrize("page", ["new-scenario", "scenarios/rainy_day"])
def test_a_page_asked_before_an_act_and_answered_after_it_changes_nothing(
    desk: Customer, merchant: Merchant, page: str
) -> None:
    if page == "scenarios/rainy_day":
        merchant.activate("rainy_day", SCENARIO)
    go(desk, merchant, page)
    late: list[tuple[Route, APIResponse]] = []

    def hold(route: Route) -> None:
        if "x-live" in route.request.headers and not late:
            late.append((route, route.fetch()))
        else:
            route.continue_()

    desk.page.route("**/_sandbox/ui/**", hold)
    pay(merchant, "visa_success")
    while not late:
        desk.page.wait_for_timeout(10)
    if page == "new-scenario":
        desk.find("name").fill("rainy_day")
        desk.find("text").fill(SCENARIO)
    form = desk.find("do-control.put_scenario")
    click(form.locator("button[type=submit]").first)
    expect(desk.find("notice")).to_be_visible()
    before = desk.page.locator("#content").inner_text()
    with desk.page.expect_request(lambda request: "x-live" in request.headers):
        late[0][0].fulfill(response=late[0][1])
    assert desk.page.locator("#content").inner_text() == before
    assert desk.page.locator("[name=new]").count() == 0


def test_a_server_that_ended_is_not_live(hasty: Customer) -> None:
    """Time is advanced by the test, so nobody waits for half a minute."""
    with RunningSandbox() as sandbox, Merchant(sandbox.base) as merchant:
        merchant.get("/_sandbox/clock")
        assert hasty.open(f"{sandbox.base}{HOME}/{place(merchant)}/payments") == 200
        becomes(hasty, "^live$")
        sandbox.stop()
        becomes(hasty, "^reconnecting")
        for _ in range(12):
            hasty.page.clock.run_for(5_000)
            hasty.page.wait_for_timeout(50)
        becomes(hasty, "^stopped: the server does not answer")
    quiet(hasty)


@pytest.mark.parametrize(
    ("status", "says"), [(404, "this workspace is gone"), (403, "the server refuses this page; reload it")]
)
def test_a_page_that_is_answered_no_says_so_until_it_is_there_again(
    desk: Customer, merchant: Merchant, status: int, says: str
) -> None:
    """Another server in its place knows nothing of the workspace before its client's next call, or wants its token."""
    becomes(desk, "^live$")

    def other(route: Route) -> None:
        route.fulfill(status=status, content_type="text/html", body="<!doctype html><title>no</title>")

    desk.page.route("**/_sandbox/ui/**", other)
    pay(merchant, "visa_success")
    becomes(desk, f"^stopped: {says}")
    desk.page.unroute("**/_sandbox/ui/**")
    becomes(desk, "^live$")
    expect(desk.find("payment")).to_have_count(merchant.get("/payments/list")["total_count"], timeout=PATIENCE_MS)


def test_a_clock_that_goes_is_seen_to_go(desk: Customer, merchant: Merchant) -> None:
    go(desk, merchant, "clock")
    pay(merchant, "visa_success", capture_method="manual")
    merchant.post("/_sandbox/clock/resume")
    clock = desk.find("now").locator(".clock-time")
    expect(desk.page.locator("[data-ticks]")).to_have_count(1, timeout=PATIENCE_MS)
    for _ in range(2):
        before = clock.inner_text()
        expect(clock).not_to_have_text(before, timeout=PATIENCE_MS)
        assert clock.inner_text() > before
    merchant.post("/_sandbox/clock/freeze")
    expect(desk.page.locator("[data-ticks]")).to_have_count(0, timeout=PATIENCE_MS)
    assert desk.text("now")[11:23] == merchant.get("/_sandbox/clock")["now"][11:23]


def test_the_clock_of_every_page_goes(customer: Customer, merchant: Merchant, base: str) -> None:
    """It is let go on by itself: a page that asks the server anew sets it by the server's time again."""
    merchant.post("/_sandbox/clock/resume")
    for address in (f"{base}{HOME}/{place(merchant)}/payments", f"{base}{HOME}"):
        customer.open(address)
        clock = customer.page.locator(f"[href*='{place(merchant)}'] [data-ticks] .clock-time").first
        expect(clock).not_to_have_text(clock.inner_text(), timeout=PATIENCE_MS)


def test_a_selection_outlives_what_is_new(desk: Customer, merchant: Merchant) -> None:
    first = pay(merchant, "visa_3ds_required")["payment_id"]
    expect(desk.find("payment")).to_have_text([first], timeout=PATIENCE_MS)
    desk.page.evaluate(PICK, first)
    assert desk.page.evaluate(PICKED) == first
    second = pay(merchant, "visa_success")["payment_id"]
    expect(desk.find("news")).to_have_text("1 new", timeout=PATIENCE_MS)
    merchant.authenticate({"payment_id": first}, "declined")
    expect(desk.find("badge")).to_have_text(["failed"], timeout=PATIENCE_MS)
    assert desk.page.evaluate(PICKED) == first
    click(desk.find("news"))
    expect(desk.find("payment")).to_have_text([second, first], timeout=PATIENCE_MS)


def test_what_is_selected_is_renewed_once_it_is_let_go(desk: Customer, merchant: Merchant) -> None:
    waits = pay(merchant, "visa_3ds_required")["payment_id"]
    go(desk, merchant, f"payments/{waits}")
    headline = desk.find("headline")
    before = headline.inner_text()
    desk.page.evaluate("() => getSelection().selectAllChildren(document.querySelector('.headline'))")
    merchant.authenticate({"payment_id": waits}, "approved")
    expect(desk.find("status")).to_have_text("succeeded", timeout=PATIENCE_MS)
    assert (desk.page.evaluate(PICKED), headline.inner_text()) == (before, before)
    desk.page.evaluate("() => getSelection().removeAllRanges()")
    expect(headline).to_have_text("Payment succeeded.", timeout=PATIENCE_MS)


def test_a_new_scenario_gets_its_name(desk: Customer, merchant: Merchant) -> None:
    go(desk, merchant, "scenarios")
    click(desk.find("new"))
    desk.find("text").fill(SCENARIO)
    desk.find("name").fill("sunny_day")
    click(desk.find("do-control.put_scenario").locator("button.main"))
    expect(desk.find("mistake")).to_contain_text("line 2:1", timeout=PATIENCE_MS)
    expect(desk.find("mistake")).to_contain_text("name: rainy_day")
    desk.find("name").fill("")
    click(desk.find("do-control.put_scenario").locator("button.main"))
    expect(desk.find("scenario-state")).to_have_text("off", timeout=PATIENCE_MS)
    desk.page.wait_for_url("**/scenarios/rainy_day")
    assert merchant.get("/_sandbox/scenarios/rainy_day")["text"] == SCENARIO
    click(desk.find("do-control.activate_scenario").locator("button").first)
    expect(desk.find("scenario-state")).to_have_text("on", timeout=PATIENCE_MS)


def test_leaving_with_a_text_that_was_not_kept_asks(desk: Customer, merchant: Merchant) -> None:
    """Each dialog is answered with "stay" (`Customer`)."""
    go(desk, merchant, "new-scenario")
    desk.find("name").fill("rainy_day")
    clock = desk.page.locator(".menu").get_by_text("Clock", exact=True)
    for text, asks in (("rules: [", 2), (SCENARIO, 3)):
        desk.find("text").press_sequentially("x")  # a page that nobody has touched asks nothing
        desk.find("text").fill(text)
        click(clock)
        expect(desk.find("text")).to_have_value(text)
        desk.page.evaluate("() => document.querySelector('.notice')?.remove()")
        click(desk.find("do-control.put_scenario").locator("button.main"))
        expect(desk.find("notice")).to_be_visible(timeout=PATIENCE_MS)
        if text != SCENARIO:
            click(clock)  # with its mistakes shown it is not kept either
            expect(desk.find("mistakes")).to_be_visible()
        assert len(asked(desk)) == asks
    click(clock)
    desk.page.wait_for_url("**/clock")
    assert len(asked(desk)) == 3
    desk.alarms[:] = [alarm for alarm in desk.alarms if not alarm.startswith(DIALOG)]


def asked(desk: Customer) -> list[str]:
    return [alarm for alarm in desk.alarms if alarm.startswith(DIALOG)]


def test_a_button_whose_server_is_away_keeps_what_was_written(desk: Customer, merchant: Merchant) -> None:
    go(desk, merchant, "queue")
    desk.find("next-then").fill('{"decline": "lost_card"}')
    desk.page.route("**/queue", lambda route: route.abort())
    click(desk.find("do-next-free").locator("button.main, button[type=submit]").first)
    expect(desk.find("unanswered")).to_be_visible(timeout=PATIENCE_MS)
    expect(desk.find("next-then")).to_have_value('{"decline": "lost_card"}')


def test_an_answer_from_elsewhere_takes_nothing_that_was_typed(desk: Customer, merchant: Merchant) -> None:
    """As after a reset, of a workspace that was evicted, or of a server that no longer takes the page for its own."""
    go(desk, merchant, "new-payment")
    form = desk.find("do-payments.create")
    form.get_by_test_id("order").fill("order-17")
    gone = desk.page.url.replace(place(merchant), f"w_{'0' * 20}")
    answers: dict[str, dict[str, Any]] = {
        "Workspace not found": {"url": gone},
        "Request refused": {"headers": {"origin": "http://shop.example", "content-type": FORM}},
    }

    def elsewhere(route: Route) -> None:
        route.fulfill(response=route.fetch(**answers[title])) if route.request.method == "POST" else route.continue_()

    desk.page.route("**/new-payment", elsewhere)
    for title in answers:
        click(form.locator("button[type=submit]"))
        expect(desk.find("unanswered")).to_contain_text(f"Not done: {title}. Your input is kept.", timeout=PATIENCE_MS)
        assert form.get_by_test_id("order").input_value() == "order-17"
    desk.page.unroute_all()
    click(form.locator("button[type=submit]"))
    expect(desk.find("notice")).to_contain_text("The payment was created.", timeout=PATIENCE_MS)
    assert merchant.get("/payments/list")["total_count"] == 1


def test_a_row_that_is_opened_by_keyboard_goes_on_in_its_page(desk: Customer, merchant: Merchant) -> None:
    """From a list of events to Resend: j, Enter, and at most eight tabs."""
    merchant.call("PUT", "/_sandbox/webhooks/target", json={"url": NOWHERE})
    pay(merchant, "visa_success")
    go(desk, merchant, "webhooks")
    desk.page.keyboard.press("j")
    desk.page.keyboard.press("Enter")
    desk.page.wait_for_url("**/webhooks/evt_*")
    expect(desk.page.locator("#content")).to_be_focused()
    resend = desk.find("do-control.resend_webhook").get_by_role("button")
    for _ in range(8):
        desk.page.keyboard.press("Tab")
        if resend.evaluate("button => button === document.activeElement"):
            return
    raise AssertionError("Resend was not reached")


SPANS: Final = """([now, times]) => {
  for (const old of document.querySelectorAll("[data-ticks], [data-near], [data-until]")) old.remove();
  const clock = document.createElement("time");
  clock.dateTime = now;
  clock.dataset.ticks = "";
  clock.innerHTML = "<i class=day></i><i class=clock-time></i>";
  document.body.append(clock);
  for (const kind of ["near", "until"]) for (const at of times) {
    const one = document.createElement("span");
    one.dataset[kind] = at;
    document.body.append(one);
  }
}"""
SHOWN: Final = "kind => [...document.querySelectorAll(`[data-${kind}]`)].map(one => one.textContent)"


def test_what_goes_on_counting_says_what_the_server_says(hasty: Customer, merchant: Merchant) -> None:
    """The words of a near time and of a remaining one, as the page counts them and as the server writes them."""
    random, sizes = Random(1), (1_000, 60_000, 3_600_000, 86_400_000)
    edges = [
        count * size + less
        for size in sizes
        for count in (0, 1, 2, 7, 31, 32)
        for less in (0, 1, -size // 20, -size // 20 - 1)
    ]
    more = [random.randrange(1, 90) * random.choice(sizes) for _ in range(times(100, soak=3_000))]
    apart = [sign * ms for ms in (*edges, *more) for sign in (-1, 1)]
    merchant.get("/_sandbox/clock")
    go(hasty, merchant, "snapshots")
    now = parse("2026-03-02T10:00:00.000Z")
    hasty.page.clock.pause_at(hasty.page.evaluate("() => Date.now()") + 1_000)
    hasty.page.evaluate(SPANS, [iso(now), [iso(now + ms) for ms in apart]])
    hasty.page.clock.run_for(250)  # one tick, which is when the page hears of its clock
    assert hasty.page.evaluate(SHOWN, "near") == [words.near(iso(now + ms), now) for ms in apart]
    left = [re.sub(r" \d+ ms$", "", words.span(ms)) if ms >= 1_000 else "now" for ms in apart]
    assert hasty.page.evaluate(SHOWN, "until") == left
    quiet(hasty)
