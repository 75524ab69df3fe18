"""The customer pages, their paths and how each can end; and a customer's link, whether its page is still open (ours).

Scenarios and the journal call them `page.<kind>`; the results have the names of the control API (facts §2.3).
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from enum import StrEnum
from functools import cache, partial
from typing import Any, Final, NamedTuple

from msgspec import Struct, structs

from mock_server.contract.operation import Operation
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.events import EventType
from mock_server.domain.ids import part_id
from mock_server.domain.merchant import Profile
from mock_server.domain.methods import NEXT_ACTIONS, Flow
from mock_server.domain.outcomes import Challenge
from mock_server.domain.payment import Payment, linked
from mock_server.domain.statuses import PaymentStatus
from mock_server.domain.transitions import UNCONFIRMED
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PAYMENTS, PROFILES
from mock_server.engine.payments.access import as_now
from mock_server.engine.payments.due import flow_of
from mock_server.http.running import Call, T
from mock_server.sandbox import Sandbox, Workspace
from mock_server.store.transaction import Transaction

FORM: Final = "form"
FINISH: Final = "finish"


class Stands(StrEnum):
    """The state of a link."""

    OPEN = "open"
    DONE = "done"
    OVER = "over"


class Link(Struct, frozen=True):
    """An issued link and its payment now; `now` in ms of the workspace. `pays`: it is the page of a payment link."""

    workspace: Workspace
    payment: Payment
    profile: Profile
    attempt_id: str
    now: int
    pays: bool = False

    @property
    def stands(self) -> Stands:
        """Open while its own attempt waits for the customer; over after its time, or when another attempt has begun."""
        payment = self.payment
        if self.pays and payment.status in UNCONFIRMED:
            return Stands.OPEN if self.now < payment.expires_at else Stands.OVER
        if self.attempt_id != payment.attempt_id or payment.status is PaymentStatus.EXPIRED:
            return Stands.OVER
        return Stands.OPEN if payment.status is PaymentStatus.REQUIRES_ACTION and not self.pays else Stands.DONE

    @property
    def kind(self) -> str:
        """The bank's challenge for a card, the flow of another method, or a payment link, which no scenario can end."""
        return "payment_link" if self.pays else CHALLENGE if self.payment.card is not None else flow_of(self.payment)


def find(sandbox: Sandbox, payment_id: str, merchant_id: str, of_attempt: str | None, *, pays: bool = False) -> Link:
    """The link, if it was issued; without an attempt, the payment's newest. Refused as `link_unknown`."""
    for workspace in sandbox.workspaces_of(merchant_id, (PAYMENTS, payment_id)):
        now = workspace.catch_up()
        found = workspace.space.transact(partial(_read, payment_id=payment_id, now=now))
        if found is None:
            continue
        own = of_attempt or found[0].attempt_id
        if linked(found[0]) if pays else _was_issued(found[0], own):
            return Link(workspace, *found, own, now, pays)
    raise Refusal(Cause.LINK_UNKNOWN)


def link_of(call: Call) -> Link:
    """The link of a call, as it is now. Refused as `link_unknown`."""
    pays = call.environ["PATH_INFO"].startswith("/payment_link/")
    return find(call.sandbox, call.args["payment_id"], call.args["merchant_id"], call.args.get("attempt_id"), pays=pays)


def _read(tx: Transaction, payment_id: str, now: int) -> tuple[Payment, Profile] | None:
    """The payment and its profile; one that was deleted has no settings, and no key to sign with."""
    payment = tx.get(PAYMENTS, payment_id)
    if payment is None:
        return None
    same: Any = {name: getattr(payment, name) for name in ("profile_id", "merchant_id", "created_at")}
    unsigned: Any = {"enable_payment_response_hash": False, "payment_response_hash_key": ""}
    profile = tx.get(PROFILES, payment.profile_id) or Profile(profile_name="", **same, **unsigned)
    return as_now(tx, payment, now), profile


def as_seen(tx: Transaction, context: CommandContext, link: Link, command: Callable[..., T], *given: Any) -> T | None:
    """What a command about the payment gives; None, with nothing done, if it is not as it was seen through the link."""
    found = _read(tx, link.payment.payment_id, link.now)
    is_same = found == (link.payment, link.profile) and structs.replace(link, now=context.now).stands is link.stands
    return command(tx, context, link.payment.payment_id, *given) if is_same else None


def _was_issued(payment: Payment, of_attempt: str) -> bool:
    """Whether the payment has this attempt, and has ever sent its customer to a page."""
    own = {part_id(payment.payment_id, one.number) for one in payment.attempts}
    return of_attempt in own and EventType.ACTION_REQUIRED in payment.told


def token_for(link: Link, purpose: str) -> str:
    """A token that proves that a form or a refresh comes from this page, in this state: an HMAC with a key (ours)."""
    message = f"{purpose}/{link.payment.payment_id}/{link.attempt_id}/{link.stands}".encode()
    return hmac.digest(link.workspace.randomness.sha_key("pages"), message, "sha256").hex()[:40]


def check_token(link: Link, purpose: str, given: str | None) -> None:
    """Refused as `page_token_wrong`."""
    if not hmac.compare_digest(token_for(link, purpose).encode(), (given or "").encode()):
        raise Refusal(Cause.PAGE_TOKEN_WRONG)


CHALLENGE: Final = "challenge"
KINDS: Final = (CHALLENGE, *map(str, NEXT_ACTIONS))
"""A bank's challenge, and the page of each flow that has one."""

BASE: Final = "/payments/redirect/<payment_id>/<merchant_id>/<attempt_id>"
PAYING_BASE: Final = "/payment_link/<merchant_id>/<payment_id>"
SOURCE: Final = "facts §1.1"


def _row(name: str, method: str, path: str, about: str) -> Operation:
    return Operation(name, method, path, frozenset(), method != "GET", about, "", SOURCE)


ROUTES: Final = (
    _row("open", "GET", BASE, "Show what the customer has to do, or redirect to the shop."),
    _row("decide", "POST", BASE, "Record the customer's choice and redirect to the shop."),
    _row("finish", "GET", f"{BASE}/finish", "Complete a page whose result is fixed, with the page's token."),
    _row("back", "GET", "/payments/<payment_id>/<merchant_id>/redirect/response/<connector>", "Redirect to the shop."),
    _row("form", "GET", PAYING_BASE, "Show a page on which the customer can pay."),
    _row("pay", "POST", PAYING_BASE, "Take the customer's payment method and continue as that method does."),
    _row("qr_code", "GET", f"{BASE}/qr.svg", "Return the QR code that the page shows."),
)


class Button(NamedTuple):
    """One way to end a page; `result` is its value in the form, and its test id."""

    result: Challenge
    text: str
    look: str = "plain"


def _buttons(good: str, bad: str | None = None) -> tuple[Button, ...]:
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

MORE: Final = (Button(Challenge.EXPIRED, "Let it expire"), Button(Challenge.UNAVAILABLE, "The bank is unavailable"))


@cache
def operation(kind: str, method: str) -> Operation:
    """The operation of a call of a page, for scenarios and the journal."""
    return _row(f"page.{kind}", method, BASE, "")
