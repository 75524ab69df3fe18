"""Every page, left open while others act: it then says what a fresh load of it says, its title too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

from tests.browser.customer import Customer
from tests.browser.desk import NOWHERE, PAGES, Filled, fill, pay
from tests.browser.merchant import Merchant
from tests.counts import SOAK

MORE: Final = ("payments/{waits}", "methods/{method}", "mandates/{mandate}", "webhooks?type=payment_failed")
"""Pages of records that the desk's other tests do not open."""
OPEN: Final = tuple(page for page in (*PAGES, *MORE) if page not in ("cards?find=visa+declined", "compare"))
RECORDS: Final = tuple(page for page in OPEN if "{" in page)
"""Pages that are about one thing, which can change or go."""
FOLLOWS: Final = """async patience => {
  const until = Date.now() + patience, words = one => one.textContent.split(/\\s+/).join(" ").trim();
  const get = async url => new DOMParser().parseFromString(
    await (await fetch(url, { headers: { "X-Live": "1" } })).text(), "text/html");
  for (;;) {
    const fresh = await get(location.href);
    for (const one of fresh.querySelectorAll("[data-later]"))
      one.textContent = (await get(one.dataset.later)).querySelector("[data-testid=summary]").textContent;
    const [is, should] = [document, fresh].map(
      one => [one.title, ...[...one.querySelectorAll("#content > *, #space, #state")].map(words)]);
    if (is.join() === should.join()) return [];
    if (Date.now() > until) return is.map((one, at) => [one, should[at]]).filter(([one, other]) => one !== other);
    await new Promise(done => setTimeout(done, 50));
  }
}"""
"""What of a page is not what a fresh load of it is, after a time in which what is live follows."""
PATIENCE_MS: Final = 60_000


@contextmanager
def tidy(customer: Customer, merchant: Merchant) -> Iterator[Customer]:
    """Takes away what the test leaves in the whole server."""
    yield customer
    customer.leave()  # a last request may still be under way
    for row in merchant.get("/_sandbox/snapshots")["data"]:
        if row["name"].endswith(merchant.key.digest):
            merchant.call("DELETE", f"/_sandbox/snapshots/{row['name']}")
    customer.alarms[:] = [one for one in customer.alarms if "the server responded with a status of 4" not in one]


@pytest.fixture
def desk(customer: Customer, merchant: Merchant) -> Iterator[Customer]:
    with tidy(customer, merchant):
        yield customer


@pytest.fixture
def undrawn_desk(onlooker: Customer, merchant: Merchant) -> Iterator[Customer]:
    with tidy(onlooker, merchant):
        yield onlooker


def filled(merchant: Merchant) -> tuple[Filled, dict[str, str]]:
    """A workspace with something on every page, and the ids of a saved method and of a mandate."""
    made = fill(merchant)
    merchant.call("DELETE", "/_sandbox/next")
    consent = {"acceptance_type": "offline"}
    terms = {"mandate_type": {"multi_use": {"amount": 9_000, "currency": "USD"}}, "customer_acceptance": consent}
    buyer = {"customer": {"id": "cus_desk"}, "setup_future_usage": "off_session"}
    saved = pay(merchant, "visa_success", amount=100, mandate_data=terms, **buyer)
    return made, {"method": saved["payment_method_id"], "mandate": saved["mandate_id"]}


def change(merchant: Merchant, made: Filled, more: dict[str, str]) -> None:
    """Each record changes, and its list with it."""
    merchant.post("/_sandbox/clock/advance", {"by": "1m"})
    merchant.post(f"/_sandbox/disputes/{made.dispute}/advance", {"to": "won"})
    merchant.post(f"/refunds/{made.refund}", {"reason": "a reason given later"})
    merchant.authenticate({"payment_id": made.waits}, "declined")
    merchant.post(f"/_sandbox/webhooks/{made.event}/resend")
    merchant.post(f"/mandates/revoke/{more['mandate']}")
    merchant.call("PUT", "/_sandbox/webhooks/target", json={"url": f"{NOWHERE}/new"})
    merchant.call("PUT", f"/_sandbox/snapshots/more_{merchant.key.digest}")
    merchant.post("/_sandbox/scenarios/rainy_day/deactivate")
    merchant.post("/_sandbox/next", {"on": "charge", "then": {"decline": "lost_card"}})
    pay(merchant, "visa_insufficient_funds", amount=77, currency="JPY")
    merchant.call("DELETE", "/customers/cus_desk")


def lose(merchant: Merchant, *_: object) -> None:
    merchant.post("/_sandbox/reset")


def clear(merchant: Merchant, *_: object) -> None:
    merchant.call("DELETE", "/_sandbox/journal")


DOES: Final = [
    *((page, change) for page in OPEN),
    *((page, lose) for page in (OPEN if SOAK else RECORDS)),
    ("journal/{line}", clear),
]


@pytest.mark.parametrize(("page", "do"), DOES, ids=lambda one: one if isinstance(one, str) else one.__name__)
def test_a_page_left_open_says_what_a_fresh_one_says(
    undrawn_desk: Customer, merchant: Merchant, page: str, do: Any
) -> None:
    made, more = filled(merchant)
    assert undrawn_desk.open(made.path(page.format_map({**made._asdict(), **more}))) == 200
    do(merchant, made, more)
    assert undrawn_desk.page.evaluate(FOLLOWS, PATIENCE_MS) == []


TWICE: Final = """() => {
  const sent = [];
  window.fetch = (url, {body} = {}) => { if (body) sent.push(body.get("do")); return new Promise(() => {}); };
  const buttons = [...document.querySelectorAll("form[data-act] button[type=submit]")];
  for (const button of buttons) {
    button.form.noValidate = true;
    for (const _ of [1, 2]) button.form.requestSubmit(button);
  }
  return [sent.length, new Set(buttons.map(one => one.form)).size, sent.join()];
}"""
"""How many calls are made if every button of every form is pressed twice before anything is answered."""


def test_a_button_pressed_twice_acts_once(undrawn_desk: Customer, merchant: Merchant) -> None:
    made, more = filled(merchant)
    for page in OPEN:
        assert undrawn_desk.open(made.path(page.format_map({**made._asdict(), **more}))) == 200
        calls, forms, names = undrawn_desk.page.evaluate(TWICE)
        assert calls == forms, (page, names)


PRESSED: Final = {
    "journal/{line}/replay": ("do-replay", {"json": "{}"}),
    "new-payment": ("do-payments.create", {"amount": "nothing"}),
    "webhooks": ("verify", {"header": "00", "body": "{ }"}),
    "scenarios/rainy_day": ("do-control.put_scenario", {"text": "rules: 1"}),
}
"""Pages on which the answer to a form says more than a fresh load: the form's test id, and what is written there."""
SHOWN: Final = (
    "all => all.map(one => [one.innerText, ...[...one.querySelectorAll('[name]')].map(field => field.value)])"
)


@pytest.mark.parametrize("page", PRESSED)
def test_what_an_act_left_stays_when_others_act(desk: Customer, merchant: Merchant, page: str) -> None:
    made, more = filled(merchant)
    desk.open(made.path(page.format_map({**made._asdict(), **more})))
    id, texts = PRESSED[page]
    form = desk.find(id)
    form.evaluate("form => { for (let at = form; at; at = at.parentElement) if (at.open === false) at.open = true }")
    for name, text in texts.items():
        form.locator(f"[name='{name}'], [data-testid='{name}']").first.fill(text)
    form.locator("button[type=submit]").first.click()
    desk.find("notice").wait_for()
    before = desk.page.locator("section.notice, [data-kept], #write").evaluate_all(SHOWN)
    with desk.page.expect_response(lambda answer: "x-live" in answer.request.headers):
        merchant.call("PUT", "/_sandbox/webhooks/target", json={"url": f"{NOWHERE}/new"})
    desk.page.wait_for_timeout(100)
    assert desk.page.locator("section.notice, [data-kept], #write").evaluate_all(SHOWN) == before
