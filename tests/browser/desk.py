"""A developer at the dashboard: a filled workspace, its pages, and a window on them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from playwright.sync_api import ViewportSize

from tests.browser.customer import PLACE, Customer
from tests.browser.merchant import Merchant
from tests.browser.sights import View
from tests.wire import card_payment

HOME: Final = "/_sandbox/ui"
NOWHERE: Final = "http://127.0.0.1:9/webhooks"
SCENARIO: Final = """\
version: 1
name: rainy_day
summary: Large orders are declined.
rules:
  - on: charge
    when: {payment.amount: {gt: 100000}}
    then: {decline: credit_limit_exceeded}
  - on: charge
    when: {payment.currency: EUR}
    then: {decline: do_not_honor}
expect:
  - {payments: {status: failed}, exactly: 1}
"""
PAGES: Final = (
    "overview",
    "payments", "payments/{failed}", "payments/{failed}/export", "new-payment",
    "refunds", "refunds/{refund}", "disputes", "disputes/{dispute}",
    "customers", "customers/cus_desk", "methods", "mandates", "journal", "journal/{line}", "journal/{line}/replay",
    "compare", "compare?of={failed}&of={waits}", "webhooks", "webhooks/{event}", "verdict", "clock", "scenarios",
    "scenarios/rainy_day", "new-scenario", "queue", "cards?find=visa+declined", "snapshots", "find", "find?q=pay_",
)  # fmt: skip


FIRST: Final = "document.querySelector(`[data-testid='${name}']`)"
IS_THERE: Final = f"name => {FIRST}?.checkVisibility()"
IS_UNDER_MORE: Final = f"name => document.querySelector('[data-testid=more]') && !{FIRST}.checkVisibility()"
PLACE_OF_BUTTON: Final = f"name => ({PLACE})({FIRST}.querySelector('button[type=submit]'))"
SAYS: Final = f"([name, text]) => {FIRST}?.innerText.replace(/\\s+/g, ' ').includes(text)"
"""What a page says and has, asked in the page itself, each of the first that bears a test id."""


class Filled(NamedTuple):
    """A workspace with something on every page."""

    failed: str
    waits: str
    event: str
    line: int
    place: str
    refund: str
    dispute: str

    def path(self, page: str) -> str:
        return f"{HOME}/{self.place}/{page.format(**self._asdict())}"


def pay(merchant: Merchant, card: str, **fields: Any) -> Any:
    body = {**card_payment(card), "confirm": True, "name": "Ada Lovelace", **fields}
    return merchant.post("/payments", body)


def fill(merchant: Merchant, **fields: Any) -> Filled:
    """Makes payments of many kinds, with time in between."""
    merchant.activate("rainy_day", SCENARIO)
    for amount in (2500, 2600):
        pay(merchant, "visa_success", amount=amount, **fields)
        merchant.post("/_sandbox/clock/advance", {"by": "7m"})
    pay(merchant, "mastercard_success", amount=120000, **fields)
    merchant.call("PUT", "/_sandbox/webhooks/target", json={"url": NOWHERE})
    paid = pay(merchant, "visa_success", customer={"id": "cus_desk", "email": "ada@shop.test"})["payment_id"]
    refund = merchant.post("/refunds", {"payment_id": paid, "amount": 1000})["refund_id"]
    dispute = merchant.post(f"/_sandbox/payments/{paid}/dispute", {"amount": 1000})["dispute_id"]
    failed = pay(merchant, "visa_insufficient_funds", amount=1999, **fields)["payment_id"]
    pay(merchant, "visa_pending_succeeds", **fields)
    pay(merchant, "visa_success", amount=8000, capture_method="manual", **fields)
    merchant.post("/_sandbox/clock/advance", {"by": "1m"})
    waits = pay(merchant, "visa_3ds_required", amount=4200, **fields)["payment_id"]
    merchant.post("/_sandbox/next", {"on": "charge", "then": {"decline": "stolen_card"}})
    event = merchant.get(f"/_sandbox/webhooks?payment_id={failed}")["data"][-1]["event_id"]
    line = merchant.get(f"/_sandbox/journal?payment_id={failed}")["data"][0]["number"]
    merchant.call("PUT", f"/_sandbox/snapshots/desk_{merchant.key.digest}")
    return Filled(failed, waits, event, line, place(merchant), refund, dispute)


def place(merchant: Merchant) -> str:
    """The workspace's own part of the dashboard's addresses."""
    return "w_" + merchant.key.digest


def look(customer: Customer, view: View) -> None:
    """Changes the window and its colours."""
    customer.page.emulate_media(color_scheme="dark" if view is View.DARK else "light")
    customer.page.set_viewport_size(_PHONE if view is View.PHONE else _DESK)


_DESK: Final = ViewportSize(width=1100, height=760)
_PHONE: Final = ViewportSize(width=390, height=780)
