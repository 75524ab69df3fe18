"""Every page of the dashboard where each text of a client is as long as it may be: nothing stands beside the page, and
no text is squeezed into a column of single letters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.domain.limits import IDENTIFIER, TEXT, WORKSPACE_LABEL
from tests.browser.customer import Customer
from tests.browser.desk import HOME, PAGES, Filled, place
from tests.browser.merchant import Merchant
from tests.browser.test_dashboard_shown import BEYOND, BROKEN, OPEN_ALL, found
from tests.counts import SOAK
from tests.wire import card_payment

WIDTHS: Final = (320, 640, 1024, 1280) if not SOAK else (320, 390, 480, 640, 800, 928, 1024, 1280, 1440, 2560)
"""In the normal run a page is looked at in half of them as it comes, in the others with all opened that can be."""
SQUEEZED: Final = """() => {
  const found = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim(), range = document.createRange();
    if (text.length < 12 || !texts.currentNode.parentElement.checkVisibility()) continue;
    range.selectNodeContents(texts.currentNode);
    const lines = new Set([...range.getClientRects()].filter(r => r.width).map(r => Math.round(r.top))).size;
    if (lines > 3 && text.length < 6 * lines) found.push(`${lines} lines: ${text.slice(0, 60)}`);
  }
  return found;
}"""
"""Texts with fewer than six letters to a line."""
CUT_PILLS: Final = BROKEN.replace("table:not(.changes) :is(td, th)", ".pill")
"""Statuses with a word that is cut in two."""


def longest(prefix: str, most: int = TEXT) -> str:
    return prefix + "W" * (most - len(prefix))


SCENARIO: Final = f"""\
version: 1
name: {longest("rainy_", IDENTIFIER)}
summary: {longest("S", 2_000)}
rules:
  - on: charge
    when: {{payment.amount: 1999, payment.metadata.order: {longest("", 200)}}}
    then: {{decline: do_not_honor}}
expect:
  - {{payments: {{metadata.order: {longest("", 200)}}}, exactly: 1}}
"""
CUSTOMER: Final = {
    "id": longest("cus_", IDENTIFIER),
    "name": longest(""),
    "email": f"{longest('', 64)}@{'.'.join([longest('', 60)] * 3)}.test",
    "phone": "9" * 20,
}


def pay(merchant: Merchant, card: str, **fields: Any) -> str:
    texts = {
        name: longest(name) for name in ("description", "merchant_order_reference_id", "statement_descriptor_suffix")
    }
    own = {"metadata": {longest("key", 40): longest("", 500), "order": longest("", 200)}}
    body = {**card_payment(card), "confirm": True, **texts, **own, "profile_id": longest("pro_", IDENTIFIER)}
    return str(merchant.post("/payments", {**body, **fields})["payment_id"])


def snapshot(merchant: Merchant) -> str:
    return f"/_sandbox/snapshots/{longest(merchant.key.digest, IDENTIFIER)}"


def fill(merchant: Merchant) -> Filled:
    name = longest("rainy_", IDENTIFIER)
    merchant.call("PUT", f"/_sandbox/scenarios/{name}", content=SCENARIO, headers={"content-type": "application/yaml"})
    merchant.post(f"/_sandbox/scenarios/{name}/activate")
    url = longest("http://127.0.0.1:9/", 2_000)
    merchant.call("PUT", "/_sandbox/webhooks/target", json={"url": url, "secret": longest("", 200)})
    label = {"X-Sandbox-Label": longest("", WORKSPACE_LABEL)}
    merchant.call("GET", "/payments/list", headers=label)
    accepted = {"acceptance_type": "offline"}
    kept = {"setup_future_usage": "off_session", "customer_acceptance": accepted, "customer": CUSTOMER}
    paid = pay(merchant, "visa_success", payment_id=longest("pay_", IDENTIFIER), **kept)
    sent = {"payment_id": paid, "amount": 1000, "reason": longest("reason"), "refund_id": longest("ref_", IDENTIFIER)}
    refund = merchant.post("/refunds", sent)["refund_id"]
    dispute = merchant.post(f"/_sandbox/payments/{paid}/dispute", {"reason": longest("reason")})["dispute_id"]
    failed = pay(merchant, "visa_insufficient_funds", customer_id=CUSTOMER["id"])
    waits = pay(merchant, "visa_3ds_required", customer_id=CUSTOMER["id"], return_url=longest("https://a.test/", 2_000))
    merchant.post(
        "/_sandbox/next", {"on": "payments.create", "then": {"respond": {"status": 503, "body": longest("", 500)}}}
    )
    event = merchant.get(f"/_sandbox/webhooks?payment_id={failed}")["data"][-1]["event_id"]
    line = merchant.get(f"/_sandbox/journal?payment_id={failed}")["data"][0]["number"]
    merchant.call("PUT", snapshot(merchant))
    return Filled(failed, waits, event, line, place(merchant), refund, dispute)


@pytest.fixture(scope="module")
def filled(base: str) -> Iterator[Filled]:
    with Merchant(base) as merchant:
        yield fill(merchant)
        merchant.call("DELETE", snapshot(merchant))  # every workspace of the server lists it


LONG_PAGES: Final = (
    "",
    *(page.replace("cus_desk", CUSTOMER["id"]).replace("rainy_day", longest("rainy_", IDENTIFIER)) for page in PAGES),
    "find?q=cus_",
    "payments/{waits}",
)


@pytest.mark.parametrize("page", LONG_PAGES, ids=lambda page: page.replace("W", "") or "workspaces")
def test_the_longest_texts_have_room(onlooker: Customer, base: str, filled: Filled, page: str) -> None:
    assert onlooker.open(base + (filled.path(page) if page else HOME)) == 200
    for opened in (False, True):
        if opened:
            onlooker.page.evaluate(OPEN_ALL)
        for width in WIDTHS if SOAK else WIDTHS[(LONG_PAGES.index(page) + opened) % 2 :: 2]:
            onlooker.page.set_viewport_size({"width": width, "height": 900})
            assert found(onlooker, BEYOND, SQUEEZED, CUT_PILLS) == [], (width, opened)
