"""The customer pages: their kinds, their paths, and how each can end (ours).

Scenarios and the journal call them `page.<kind>`; the results have the names of the control API.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from mock_server.contract.operation import Effect, Operation
from mock_server.domain.methods import NEXT_ACTIONS, Flow
from mock_server.domain.outcomes import Challenge

CHALLENGE: Final = "challenge"
KINDS: Final = (CHALLENGE, *map(str, NEXT_ACTIONS))
"""A bank's challenge, and the page of each flow that has one."""

BASE: Final = "/payments/redirect/<payment_id>/<merchant_id>/<attempt_id>"
PAYING: Final = "payment_link"
"""The page of a payment link; scenarios cannot end it."""
PAYING_BASE: Final = "/payment_link/<merchant_id>/<payment_id>"
SOURCE: Final = "facts §1.1"


def _row(name: str, method: str, path: str, about: str) -> Operation:
    effect = Effect.READ if method == "GET" else Effect.CHANGE
    return Operation(name, method, path, frozenset(), effect, about, "", SOURCE)


ROUTES: Final = (
    _row("open", "GET", BASE, "Show what the customer has to do, or redirect to the shop."),
    _row("decide", "POST", BASE, "Record the customer's choice and redirect to the shop."),
    _row("finish", "GET", f"{BASE}/finish", "Complete a page whose result is fixed, with the page's token."),
    _row("back", "GET", "/payments/<payment_id>/<merchant_id>/redirect/response/<connector>", "Redirect to the shop."),
    _row("form", "GET", PAYING_BASE, "Show a page on which the customer can pay."),
    _row("pay", "POST", PAYING_BASE, "Take the customer's payment method and continue as that method does."),
    _row("qr_code", "GET", f"{BASE}/qr.svg", "Return the QR code that the page shows."),
)
"""The calls of a page."""


class Button(NamedTuple):
    """One way to end a page; `result` is its value in the form, and its test id."""

    result: Challenge
    text: str
    look: str = "plain"


def _buttons(good: str, bad: str | None = None) -> tuple[Button, ...]:
    """The buttons to pay, to fail and to cancel."""
    refuses = () if bad is None else (Button(Challenge.DECLINED, bad, "bad"),)
    return (Button(Challenge.APPROVED, good, "good"), *refuses, Button(Challenge.CANCELLED, "Cancel"))


MAIN: Final[dict[str, tuple[Button, ...]]] = {
    CHALLENGE: _buttons("Approve", "Decline"),
    Flow.REDIRECT: _buttons("Pay", "Decline"),
    Flow.QR_CODE: _buttons("Scanned and paid", "Declined in the app"),
    Flow.VOUCHER: _buttons("Paid at the counter"),
    Flow.BANK_TRANSFER: _buttons("Money sent", "Refused by the bank"),
    Flow.WAIT_SCREEN: _buttons("Approve in the app", "Decline in the app"),
    Flow.UPI_INTENT: _buttons("Approve in the app", "Decline in the app"),
    Flow.UPI_QR: _buttons("Scanned and paid", "Declined in the app"),
    Flow.CODE: _buttons("Confirm", "Decline"),
}
"""The main buttons of each kind of page."""

MORE: Final = (
    Button(Challenge.EXPIRED, "Let it expire"),
    Button(Challenge.UNAVAILABLE, "The bank is unavailable"),
)
"""The buttons under "more" on every page."""


@cache
def operation(kind: str, method: str) -> Operation:
    """The operation of a call of a page, for scenarios and the journal."""
    return _row(f"page.{kind}", method, BASE, "")
