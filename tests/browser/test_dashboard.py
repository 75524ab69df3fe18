"""The dashboard used as a person would: each function ends in the state that the control API then tells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.browser.customer import Customer, click, until
from tests.browser.desk import HOME, NOWHERE, SCENARIO, Filled, fill, pay, place
from tests.browser.merchant import Merchant
from tests.running import RunningSandbox

SOON_MS: Final = 3_600_000
"""How long is waited for what takes a tenth of a second on an idle machine: until the suite ends the test."""
REFUSED: Final = "the server responded with a status of 400"
"""What the browser writes into its console when a button was refused."""


@pytest.fixture
def desk(onlooker: Customer, merchant: Merchant) -> Iterator[Customer]:
    """A developer who looks at the workspace of the merchant's key."""
    merchant.get("/_sandbox/clock")
    go(onlooker, merchant, "payments")
    yield onlooker
    onlooker.alarms[:] = [alarm for alarm in onlooker.alarms if REFUSED not in alarm]


PICKED: Final = (
    "() => { const t = document.querySelector('textarea'); return t.value.slice(t.selectionStart, t.selectionEnd) }"
)


def go(desk: Customer, merchant: Merchant, page: str) -> None:
    assert desk.open(f"{HOME}/{place(merchant)}/{page}") == 200


def press(desk: Customer, form: str) -> str:
    """Presses a form's button by mouse; what the notice says."""
    desk.page.evaluate("() => document.querySelector('.notice')?.remove()")
    if desk.find("more").count() and not desk.find(f"do-{form}").first.is_visible():
        click(desk.find("more"))
    click(desk.find(f"do-{form}").locator("button[type=submit]").first)
    notice = desk.find("notice")
    notice.wait_for()
    return notice.inner_text()


def test_a_failing_payment_is_explained_in_four_clicks(customer: Customer, merchant: Merchant) -> None:
    """From the front page: the workspace, its payments, the payment, and what was checked and did not match."""
    made: Filled = fill(merchant)
    desk = customer
    desk.open(HOME)
    click(desk.page.locator(f"a[data-testid=workspace][href*='{made.place}']"))
    click(desk.page.get_by_role("link", name="Payments", exact=True).first)
    click(desk.page.get_by_role("link", name=made.failed))
    assert desk.text("status") == "failed"
    assert "DC_08" in desk.text("headline")
    assert "visa_insufficient_funds" in desk.text("because")
    assert not desk.find("near-miss").first.is_visible()
    click(desk.find("near").first)
    assert desk.find("near-miss").first.inner_text() == (
        "rainy_day:5 did not match: payment.amount is 1999, not over 100000"
    )


def test_the_first_payment_shows_by_itself(desk: Customer, merchant: Merchant) -> None:
    """Live: the page that said how to make it shows it, and the next one, and the change of either."""
    desk.open(HOME)
    desk.find("key").fill(merchant.key.text)
    desk.page.keyboard.press("Enter")
    desk.page.wait_for_url(f"**/{place(merchant)}/overview")
    expect(desk.find("empty")).to_be_visible()
    go(desk, merchant, "payments")
    waits = pay(merchant, "visa_3ds_required")["payment_id"]
    expect(desk.page.get_by_role("link", name=waits)).to_be_visible(timeout=SOON_MS)
    expect(desk.find("empty")).to_have_count(0)
    pay(merchant, "visa_success")
    expect(desk.find("payment")).to_have_count(2, timeout=SOON_MS)
    desk.page.get_by_role("link", name=waits).focus()
    merchant.authenticate({"payment_id": waits}, "declined")
    expect(desk.find("status-failed")).to_be_visible(timeout=SOON_MS)
    expect(desk.page.get_by_role("link", name=waits)).to_be_focused()


def test_the_front_page_shows_what_happens_in_every_workspace(customer: Customer) -> None:
    """On a server of its own: the page shows two hundred workspaces, and all tests of a run together have more."""
    with RunningSandbox() as quiet, Merchant(quiet.base) as merchant:
        customer.open(f"{quiet.base}{HOME}")
        customer.find("key").fill("snd_half_typed")
        pay(merchant, "visa_success")
        mine = customer.page.locator(f"a[data-testid=workspace][href*='{place(merchant)}']")
        expect(mine).to_contain_text("1 payment", timeout=SOON_MS)
        pay(merchant, "visa_insufficient_funds")
        expect(mine).to_contain_text("1 failed", timeout=SOON_MS)
        expect(customer.find("key")).to_have_value("snd_half_typed")
        merchant.post("/_sandbox/reset")
        expect(mine).to_contain_text("0 payments", timeout=SOON_MS)
        customer.page.goto("about:blank")


def test_scenarios_that_others_turn_on_and_write_show_by_themselves(desk: Customer, merchant: Merchant) -> None:
    go(desk, merchant, "scenarios")
    merchant.activate("rainy_day", SCENARIO)
    expect(desk.find("do-off-rainy_day")).to_be_visible(timeout=SOON_MS)
    click(desk.page.get_by_role("link", name="rainy_day"))
    expect(desk.find("scenario-state")).to_have_text("on")
    merchant.post("/_sandbox/scenarios/rainy_day/deactivate")
    expect(desk.find("scenario-state")).to_have_text("off", timeout=SOON_MS)
    desk.find("text").fill("mine")
    click(desk.page.locator("h1"))
    merchant.activate("rainy_day", SCENARIO.replace("Large", "Huge"))
    expect(desk.page.get_by_text("Huge orders are declined.", exact=True)).to_be_visible(timeout=SOON_MS)
    expect(desk.find("text")).to_have_value("mine")


def test_a_text_that_others_write_is_shown_where_nobody_has_begun_another(desk: Customer, merchant: Merchant) -> None:
    merchant.activate("rainy_day", SCENARIO)
    go(desk, merchant, "scenarios/rainy_day")
    merchant.activate("rainy_day", SCENARIO.replace("Large", "Huge"))
    expect(desk.find("text")).to_have_value(SCENARIO.replace("Large", "Huge"), timeout=SOON_MS)
    desk.find("text").fill("rules: 5")
    press(desk, "control.put_scenario")
    expect(desk.find("mistakes")).to_be_visible()
    merchant.post("/_sandbox/scenarios/rainy_day/deactivate")
    expect(desk.find("scenario-state")).to_have_text("off", timeout=SOON_MS)
    expect(desk.find("text")).to_have_value("rules: 5")
    desk.alarms[:] = [alarm for alarm in desk.alarms if "400" not in alarm]  # of the text with a mistake


def test_what_others_queue_shows_by_itself(desk: Customer, merchant: Merchant) -> None:
    go(desk, merchant, "queue")
    merchant.post("/_sandbox/next", {"on": "charge", "then": {"decline": "lost_card"}})
    expect(desk.find("queue").locator("tbody tr")).to_have_count(1, timeout=SOON_MS)
    merchant.call("DELETE", "/_sandbox/next")
    expect(desk.find("empty")).to_be_visible(timeout=SOON_MS)


def test_snapshots_that_others_take_show_by_themselves(desk: Customer, merchant: Merchant) -> None:
    go(desk, merchant, "snapshots")
    name = f"others_{place(merchant)}"
    merchant.call("PUT", f"/_sandbox/snapshots/{name}")
    expect(desk.find(f"do-drop-{name}")).to_be_visible(timeout=SOON_MS)
    merchant.call("DELETE", f"/_sandbox/snapshots/{name}")
    expect(desk.find(f"do-drop-{name}")).to_have_count(0, timeout=SOON_MS)


def test_where_events_go_shows_by_itself(desk: Customer, merchant: Merchant) -> None:
    go(desk, merchant, "webhooks")
    merchant.call("PUT", "/_sandbox/webhooks/target", json={"url": NOWHERE})
    expect(desk.find("target")).to_have_text(NOWHERE, timeout=SOON_MS)


def test_a_story_grows_while_it_is_looked_at(customer: Customer, merchant: Merchant) -> None:
    waits = pay(merchant, "visa_3ds_required")["payment_id"]
    go(customer, merchant, f"payments/{waits}")
    customer.find("picture").click()
    before = customer.find("row").count()
    merchant.post("/_sandbox/clock/advance", {"by": "10s"})
    merchant.authenticate({"payment_id": waits}, "approved")
    expect(customer.find("status")).to_have_text("succeeded", timeout=SOON_MS)
    expect(customer.find("row")).to_have_count(before + 3, timeout=SOON_MS)
    assert customer.find("sequence").is_visible(), "what was open stays open"
    drawn = "() => document.querySelector('.picture img').naturalHeight > 300"
    until(customer.page, drawn)


def test_a_payments_changes_are_gone_through_by_keys(desk: Customer, merchant: Merchant) -> None:
    waits = pay(merchant, "visa_3ds_required")
    merchant.post("/_sandbox/clock/advance", {"by": "10s"})
    merchant.authenticate(waits, "approved")
    go(desk, merchant, f"payments/{waits['payment_id']}")
    expect(desk.find("step")).to_have_text("2")
    desk.page.keyboard.press("ArrowLeft")
    expect(desk.find("step")).to_have_text("1")
    assert desk.page.url.endswith("?step=1"), "it can be linked"
    desk.page.keyboard.press("ArrowRight")
    expect(desk.find("new-fields")).to_contain_text('"succeeded"')
    click(desk.find("stretch").first)
    expect(desk.find("step")).to_have_text("1")
    expect(desk.page.locator(".timeline .current")).to_contain_text("POST /payments")


def test_a_challenge_is_ended_by_hand(desk: Customer, merchant: Merchant) -> None:
    waits = pay(merchant, "visa_3ds_required")
    go(desk, merchant, f"payments/{waits['payment_id']}")
    desk.find("result").select_option("declined")
    assert "The challenge is finished." in press(desk, "control.authenticate")
    click(desk.find("notice").locator("summary"))
    assert desk.find("notice").locator("code").inner_text().endswith("""-d '{"result": "declined"}'"""), "as a command"
    assert (desk.text("status"), merchant.status(waits)) == ("failed", "failed")


def test_filters_are_links_and_fields(desk: Customer, merchant: Merchant) -> None:
    made = fill(merchant)
    go(desk, merchant, "payments")
    click(desk.find("status-failed"))
    failed = merchant.get("/payments/list?status=failed")
    expect(desk.find("payment")).to_have_count(failed["total_count"])
    click(desk.find("filters"))
    desk.find("filter-currency").select_option("USD")
    click(desk.page.get_by_role("button", name="Show"))
    desk.page.wait_for_url(re.compile("currency=USD"))
    assert "status=failed" in desk.page.url
    desk.find("q").fill(made.waits)
    desk.find("q").press("Enter")
    expect(desk.find("hit").first).to_have_text(made.waits)


def test_the_story_is_copied(desk: Customer, merchant: Merchant) -> None:
    made = fill(merchant)
    go(desk, merchant, f"payments/{made.failed}")
    told = f"/_sandbox/payments/{made.failed}/timeline"
    for form, wanted in (("mermaid", "sequenceDiagram"), ("json", '"kind": "created"'), ("text", "POST /payments")):
        click(desk.find(f"copy-{form}"))
        expect(desk.find(f"copy-{form}")).to_have_class(re.compile("copied"))
        assert wanted in clipboard(desk), form
    assert len(merchant.get(told)["data"]) == desk.find("row").count()


def clipboard(desk: Customer) -> str:
    return str(desk.page.evaluate("navigator.clipboard.readText()"))


def test_the_clock_is_stopped_led_on_and_let_go(desk: Customer, merchant: Merchant) -> None:
    pending = pay(merchant, "visa_pending_succeeds")
    go(desk, merchant, "clock")
    click(desk.find("do-advance-due").get_by_role("button").first)
    expect(desk.find("fired")).to_contain_text(pending["payment_id"])
    assert merchant.status(pending) == "succeeded"
    desk.find("advance-by").fill("1d")
    press(desk, "control.clock_advance")
    assert desk.text("now")[:10] == merchant.get("/_sandbox/clock")["now"][:10] == "2026-03-03"
    click(desk.find("do-advance-1h").locator("button"))
    expect(desk.find("now")).to_contain_text("11:00:10")
    press(desk, "control.clock_resume")
    assert merchant.get("/_sandbox/clock")["frozen"] is False
    press(desk, "control.clock_freeze")
    assert merchant.get("/_sandbox/clock")["frozen"] is True


def test_a_scenario_is_written_with_its_mistakes_shown(desk: Customer, merchant: Merchant) -> None:
    go(desk, merchant, "scenarios/rainy_day")
    desk.find("text").fill(SCENARIO.replace("decline: do", "declin: do"))
    press(desk, "control.put_scenario")
    assert "line 10:12" in desk.find("mistake").inner_text()
    click(desk.find("mistake").get_by_role("button"))
    assert str(desk.page.evaluate(PICKED)).strip() == "then: {declin: do_not_honor}"
    desk.find("text").fill(SCENARIO)
    assert "The scenario is saved." in press(desk, "control.put_scenario")
    press(desk, "control.activate_scenario")
    assert "rainy_day" in merchant.get("/_sandbox/scenarios")["active"]
    assert pay(merchant, "visa_success", currency="EUR")["status"] == "failed"
    assert "1 passed." in press(desk, "control.check_scenario")
    expect(desk.find("counters")).to_contain_text("rule 2")
    press(desk, "control.deactivate_scenario")
    press(desk, "control.drop_scenario")
    assert merchant.get("/_sandbox/scenarios")["active"] == []
    go(desk, merchant, "scenarios")
    press(desk, "on-flaky_1_percent")
    assert merchant.get("/_sandbox/scenarios")["active"] == ["flaky_1_percent"]


def test_the_next_call_is_decided(desk: Customer, merchant: Merchant) -> None:
    go(desk, merchant, "queue")
    desk.find("next-decline").select_option("lost_card")
    press(desk, "next-decline")
    desk.find("next-then").fill('{"challenge": "approved"}')
    desk.find("do-next-free").locator("[name='body.on']").fill("charge")
    press(desk, "next-free")
    assert [row["then"] for row in merchant.get("/_sandbox/next")["next"]] == [
        {"decline": "lost_card"},
        {"challenge": "approved"},
    ]
    assert pay(merchant, "visa_success")["status"] == "failed"
    expect(desk.find("queue").locator("tbody tr")).to_have_count(1, timeout=SOON_MS)
    press(desk, "control.drop_next")
    assert merchant.get("/_sandbox/next")["next"] == []


def test_webhooks_get_an_address_and_are_sent_again(desk: Customer, merchant: Merchant) -> None:
    pay(merchant, "visa_success")
    go(desk, merchant, "webhooks")
    desk.find("target-url").fill(NOWHERE)
    press(desk, "control.set_webhook_target")
    assert merchant.get("/_sandbox/webhooks/target")["url"] == NOWHERE
    click(desk.find("event").first)
    assert "no endpoint configured" in desk.text("no-attempt")
    assert "the connection was refused" in press(desk, "control.resend_webhook")
    expect(desk.find("attempt")).to_have_count(1)
    event = merchant.get("/_sandbox/webhooks")["data"][0]
    assert (event["attempts"], dict(event["headers"])["X-Webhook-Signature-512"]) == (1, desk.text("signature"))


def test_a_call_is_taken_as_a_command(desk: Customer, merchant: Merchant) -> None:
    pay(merchant, "visa_insufficient_funds")
    go(desk, merchant, "journal")
    click(desk.find("line").first)
    click(desk.page.get_by_role("button", name="Copy: This call as a command"))
    expect(desk.page.locator(".copied")).to_have_count(1)
    assert clipboard(desk).startswith(f"curl -X POST {desk.page.url.split('/_sandbox')[0]}/payments")


def test_cards_are_found_and_copied(desk: Customer, merchant: Merchant) -> None:
    go(desk, merchant, "cards")
    desk.page.keyboard.press("/")
    desk.page.keyboard.type("insufficient visa")
    shown = desk.page.locator(".cards tbody tr:visible")
    wanted = [row for row in merchant.get("/_sandbox/cards")["data"] if row["name"] == "visa_insufficient_funds"]
    expect(shown.first).to_contain_text(wanted[0]["number"])
    click(shown.first.get_by_role("button"))
    assert clipboard(desk) == wanted[0]["number"]


def test_a_snapshot_brings_a_workspace_back(desk: Customer, merchant: Merchant) -> None:
    pay(merchant, "visa_success")
    name = f"kept_{place(merchant)}"
    go(desk, merchant, "snapshots")
    desk.find("snapshot-name").fill(name)
    press(desk, "control.take_snapshot")
    pay(merchant, "visa_success")
    click(desk.find(f"ask-{name}"))
    click(desk.find(f"keep-{name}"))
    press(desk, f"restore-{name}")
    assert merchant.get("/payments/list")["total_count"] == 1
    press(desk, f"drop-{name}")
    assert name not in [row["name"] for row in merchant.get("/_sandbox/snapshots")["data"]]
    click(desk.page.get_by_text("Reset this workspace"))
    press(desk, "control.reset")
    assert merchant.get("/payments/list")["total_count"] == 0


def test_by_keyboard_alone(desk: Customer, merchant: Merchant) -> None:
    waits = pay(merchant, "visa_3ds_required")
    go(desk, merchant, "payments")
    desk.page.keyboard.press("Tab")
    expect(desk.page.get_by_text("Skip to the content")).to_be_focused()
    desk.page.keyboard.press("Enter")
    desk.tab_to("payment")
    desk.page.keyboard.press("Enter")
    desk.page.wait_for_url(f"**/{waits['payment_id']}")
    desk.tab_to("result")
    desk.page.keyboard.type("app")
    desk.page.keyboard.press("Tab")
    desk.page.keyboard.press("Enter")
    desk.find("notice").wait_for()
    expect(desk.find("notice")).to_be_focused()
    assert merchant.status(waits) == "succeeded"


def test_without_script_every_button_works(scriptless: Customer, merchant: Merchant) -> None:
    desk = scriptless
    waits = pay(merchant, "visa_3ds_required")
    desk.open(HOME)
    desk.find("key").fill(merchant.key.text)
    desk.page.get_by_role("button", name="Open workspace").click()
    desk.page.get_by_role("link", name="Payments", exact=True).first.click()
    desk.find("payment").first.click()
    desk.find("do-control.authenticate").locator("button[type=submit]").first.click()
    desk.find("notice").wait_for()
    assert merchant.status(waits) == "succeeded"
    go(desk, merchant, "cards?find=amex")
    assert desk.find("card").count() > 0
