"""The pages that a customer sees: which there are, where they are, and how each can end (ours).

Scenarios and the journal name them `page.<kind>`; the words for the endings are those of the API twin.
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
"""The page of a payment link; no scenario ends it."""
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
"""What can be asked of a page."""


class Button(NamedTuple):
    """One way to end a page; `result` is its word, its value in the form, and its test id."""

    result: Challenge
    text: str
    look: str = "plain"


def _buttons(good: str, bad: str | None = None) -> tuple[Button, ...]:
    """How the customer pays, how that fails, and the way out."""
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
}
"""The buttons that stand in sight on each kind of page."""

MORE: Final = (
    Button(Challenge.EXPIRED, "Let it expire"),
    Button(Challenge.UNAVAILABLE, "The bank is unavailable"),
)
"""The endings that stand behind "more" on every page."""


@cache
def operation(kind: str, method: str) -> Operation:
    """The operation that a call of a page of this kind is, in scenarios and in the journal."""
    return _row(f"page.{kind}", method, BASE, "")
