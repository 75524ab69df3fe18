"""Everything that can be done at the till, as one table: drawn from by hypothesis and by plain chance alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from tests.money.ledger import Account
from tests.money.till import PERCENT, RETRIES, Till, wished
from tests.wire import card_payment

CARDS = (
    "success", "success", "success", "success", "success", "success",
    "visa_generic_decline", "visa_3ds_required", "visa_3ds_insufficient_funds",
    "visa_3ds_pending", "visa_review", "visa_review_approved", "visa_review_rejected", "visa_pending_succeeds",
    "visa_pending_fails", "visa_pending", "visa_connector_timeout", "visa_connector_timeout_fails",
    "visa_partial_authorization", "visa_partial_authorization_10", "visa_dispute_part", "visa_dispute_twice",
    "visa_dispute_later", "visa_inquiry", "visa_refund_pending", "visa_refund_fails_later", "visa_refund_fails",
    "visa_refund_pending_fails", "visa_capture_fails", "visa_cancel_fails", None,
)  # fmt: skip
"""Every sort of outcome that a card has; None is a bank transfer."""
METHODS = ("automatic", "manual", "manual_multiple")
LATER = (None, None, "pending", "failed", "pending:succeeded:30s", "pending:failed:30s")
REFUNDS = (None, None, "pending", "failed", "pending:failed:5s", "pending:succeeded:20s")
ENDS = ("won", "lost", "challenged", "accepted", "cancelled", "expired", "next_stage")
STAGES = ("pre_dispute", "dispute", "pre_arbitration", "arbitration")
CHALLENGES = ("approved", "declined", "cancelled", "expired", "unavailable", "abandoned")


class Draw(Protocol):
    """Where choices come from."""

    def one(self, choices: Any) -> Any: ...
    def number(self, least: int, most: int) -> int: ...


Move = Callable[[Till, Draw], None]


OPEN = ("requires_capture", "partially_authorized_and_requires_capture", "partially_captured_and_capturable")
CAPTURED = ("succeeded", "partially_captured", "partially_captured_and_capturable")
UNCONFIRMED = ("requires_payment_method", "requires_confirmation", "failed")


def _account(till: Till, draw: Draw, wanted: tuple[str, ...] = ()) -> Account:
    """One of the newest payments, mostly one that is where the move has something to do."""
    accounts = list(till.ledger.accounts.values())[-8:]
    fitting = [one for one in accounts if one.status in wanted]
    among = fitting if fitting and draw.number(0, 5) else accounts
    return among[draw.number(0, len(among) - 1)]


def _amount(draw: Draw, rest: int) -> int | None:
    """Small and large parts of what there is, the exact whole, and now and then too much."""
    part = draw.number(1, max(1, rest))
    amount: int | None = draw.one(
        (None, 1, part, part, max(1, rest // 2), max(1, rest), rest + 1, max(1, rest) * 6 // 5)
    )
    return amount


def _with(till: Till, draw: Draw, kind: str) -> Account:
    """A payment that has something: refunds, disputes, or money that could still go back."""
    having = [one for one in till.ledger.accounts.values() if getattr(one, kind)][-6:]
    return having[draw.number(0, len(having) - 1)] if having else _account(till, draw)


def create(till: Till, draw: Draw) -> None:
    fields: dict[str, Any] = {
        "amount": draw.one((1000, 1000, 1000, 1, 0, draw.number(1, 1300))),
        "capture_method": draw.one(METHODS),
        "confirm": draw.one((True, True, True, False)),
        "enable_partial_authorization": draw.one((True, True, False)),
        "enable_overcapture": draw.one((True, False)),
        "request_incremental_authorization": draw.one((True, False)),
        "shipping_cost": draw.one((None, None, 50)),
        "profile_id": draw.one(("pro_shop", RETRIES)),
        "currency": draw.one(("USD", "EUR", "JPY")),
    }
    till.create(draw.one(CARDS), **fields)


def confirm(till: Till, draw: Draw) -> None:
    account = _account(till, draw, UNCONFIRMED)
    body = {}
    if account.status in ("failed", "requires_payment_method"):
        card = draw.one([card for card in CARDS if card])
        asked = card_payment(card)
        body = {name: asked[name] for name in ("payment_method", "payment_method_type", "payment_method_data")}
        account.percent = PERCENT.get(card, 100)
    till.act("confirm", account, "/payments/{}/confirm", body)


def capture(till: Till, draw: Draw) -> None:
    account = _account(till, draw, (*OPEN, "pending") if draw.number(0, 2) == 0 else OPEN)
    till.capture(account, _amount(draw, account.capturable), draw.one(LATER))


def cancel(till: Till, draw: Draw) -> None:
    account = _account(till, draw, (OPEN[draw.number(0, 2)],))
    till.act("cancel", account, "/payments/{}/cancel", None, **wished(draw.one(LATER)))


def reverse(till: Till, draw: Draw) -> None:
    account = _account(till, draw, CAPTURED)
    reply = till.act("cancel_post_capture", account, "/payments/{}/cancel_post_capture")
    if account.refunded + account.refunding + account.disputed:
        assert reply.status == 400, reply.raw


def increment(till: Till, draw: Draw) -> None:
    path = "/payments/{}/incremental_authorization"
    till.act("increment", _account(till, draw, OPEN), path, {"amount": draw.number(900, 2000)})


def extend(till: Till, draw: Draw) -> None:
    till.act("extend", _account(till, draw, OPEN), "/payments/{}/extend_authorization")


def review(till: Till, draw: Draw) -> None:
    word = draw.one(("approve", "reject"))
    till.act(word, _account(till, draw, ("requires_merchant_action",)), f"/payments/{{}}/{word}")


def authenticate(till: Till, draw: Draw) -> None:
    path = "/_sandbox/payments/{}/authenticate"
    account = _account(till, draw, ("requires_action",))
    till.act("authenticate", account, path, {"result": draw.one(CHALLENGES)})


def settle(till: Till, draw: Draw) -> None:
    account = _account(till, draw, ("requires_action", "pending"))
    word = draw.one(("succeeded", "succeeded", "failed", "pending"))
    amount = draw.one((None, None, draw.number(1, 1300)))
    account.asked = amount
    body = {"as": word, **({} if amount is None or word != "succeeded" else {"amount": amount})}
    till.act("settle", account, "/_sandbox/payments/{}/settle", body)


def fail(till: Till, draw: Draw) -> None:
    till.act(
        "fail", _account(till, draw, ("pending",)), "/_sandbox/payments/{}/fail", {"decline": "insufficient_funds"}
    )


def expire(till: Till, draw: Draw) -> None:
    what = draw.one(("customer", "authorization", "session"))
    till.act("expire", _account(till, draw), "/_sandbox/payments/{}/expire", {"what": what})


def hold(till: Till, draw: Draw) -> None:
    till.act("hold", _account(till, draw, ("requires_capture", "pending")), "/_sandbox/payments/{}/hold")


def refund(till: Till, draw: Draw) -> None:
    kind = draw.one(("instant", "instant", "scheduled"))
    account = _with(till, draw, "refundable") if draw.number(0, 3) else _account(till, draw, CAPTURED)
    till.refund(account, _amount(draw, account.refundable), draw.one(REFUNDS), kind, draw.one((None, "returned")))


def settle_refund(till: Till, draw: Draw) -> None:
    account = _with(till, draw, "refunds")
    till.settle_refund(account, draw.number(0, 9), draw.one(("succeeded", "failed", "review")))


def dispute(till: Till, draw: Draw) -> None:
    account = _account(till, draw, CAPTURED)
    till.dispute(account, _amount(draw, account.disputable), draw.one(STAGES))


def advance_dispute(till: Till, draw: Draw) -> None:
    till.advance_dispute(_with(till, draw, "disputes"), draw.number(0, 9), draw.one(ENDS))


def evidence(till: Till, draw: Draw) -> None:
    text = draw.one(("winning_evidence", "losing_evidence", "the parcel was signed for"))
    till.evidence(_with(till, draw, "disputes"), draw.number(0, 9), text)


def wait(till: Till, draw: Draw) -> None:
    till.advance(draw.one(("1s", "5s", "30s", "10m", "1d", "8d")))


MOVES: tuple[tuple[Move, int], ...] = (
    (create, 8), (confirm, 4), (capture, 8), (cancel, 2), (reverse, 1), (increment, 2), (extend, 1), (review, 3),
    (authenticate, 3), (settle, 4), (fail, 1), (expire, 1), (hold, 1), (refund, 9), (settle_refund, 3),
    (dispute, 4), (advance_dispute, 4), (evidence, 2), (wait, 2),
)  # fmt: skip
"""What can be done, and how often."""
