"""The laws of money and of states, written by hand from the facts: nothing here is read from the code under test."""

from __future__ import annotations

from typing import Any

from tests.money.ledger import OPEN_REFUNDS, Account

Statuses = set[str | None]
Moves = dict[str | None, Statuses]

_OUT: Statuses = {
    "succeeded", "requires_capture", "partially_authorized_and_requires_capture", "failed",
    "requires_action", "pending", "requires_merchant_action",
}  # fmt: skip
"""What asking an issuer can come to (facts §3.4)."""
_OPEN = "requires_capture", "partially_authorized_and_requires_capture"
_CAPTURED: Statuses = {"succeeded", "partially_captured", "partially_captured_and_capturable", "pending", "failed"}
_ENDED: Statuses = {"succeeded", "requires_capture", "failed"}
_FREED: Statuses = {"cancelled", "pending", "failed"}
_PART = "partially_captured_and_capturable"

MOVES: dict[str, Moves] = {
    "create": {None: {"requires_payment_method", "requires_confirmation", *_OUT}},
    "update": {"requires_payment_method": {"requires_confirmation"}},
    "confirm": {
        "requires_payment_method": _OUT,
        "requires_confirmation": _OUT,
        "failed": _OUT,  # only where the profile allows it
    },
    "capture": {
        _OPEN[0]: _CAPTURED,
        _OPEN[1]: _CAPTURED,
        _PART: {"succeeded", "pending"},
        "pending": {"failed", _PART},
    },
    "cancel": {
        "requires_payment_method": {"cancelled"},
        "requires_confirmation": {"cancelled"},
        "requires_action": {"cancelled"},
        _OPEN[0]: _FREED,
        _OPEN[1]: _FREED,
        _PART: {"partially_captured", "pending"},
    },
    "cancel_post_capture": {
        "succeeded": {"cancelled_post_capture"},
        "partially_captured": {"cancelled_post_capture"},
    },
    "approve": {"requires_merchant_action": {"succeeded", "requires_capture", "expired"}},
    "reject": {"requires_merchant_action": {"failed"}},
    "increment": {},
    "extend": {},
    "authenticate": {"requires_action": _OUT - {"requires_action"}},
    "settle": {
        "requires_action": {"pending", "partially_captured", *_ENDED},
        "pending": {"partially_captured", _PART, "cancelled", *_ENDED},
    },
    "fail": {"requires_action": {"failed"}, "pending": {"failed", _PART}, "requires_merchant_action": {"failed"}},
    "expire": {
        "requires_action": {"expired"},
        _OPEN[0]: {"expired"},
        _OPEN[1]: {"expired"},
        _PART: {"partially_captured"},
    },
    "hold": {
        "requires_action": {"requires_merchant_action"},
        "pending": {"requires_merchant_action"},
        "requires_capture": {"requires_merchant_action"},
    },
    "look": {"pending": _ENDED},  # a retrieve counts as a poll
    "refund": {},
    "settle_refund": {},
    "dispute": {},
    "advance_dispute": {},
    "evidence": {},
}
"""Which statuses each operation may lead to, from where; staying is always allowed (facts §3.3 to §3.6)."""

BY_TIME: Moves = {
    "requires_action": {"expired", "failed", "pending", "succeeded", "requires_capture"},
    "pending": {"partially_captured", _PART, "cancelled", *_ENDED},
    "requires_merchant_action": {"succeeded", "requires_capture", "failed", "expired"},
    _OPEN[0]: {"expired"},
    _OPEN[1]: {"expired"},
    _PART: {"partially_captured"},
}
"""One step that the clock can take; a long advance may take several."""

TERMINAL = {"succeeded", "failed", "cancelled", "cancelled_post_capture", "partially_captured", "expired"}
"""Facts §3.1: no way leads out, but failed → a retry, and succeeded or partially_captured → cancelled_post_capture."""

WITHOUT_MONEY = {"failed", "cancelled", "expired"}
"""What was captured could not be refunded in these statuses, so nothing may be."""

REFUND_MOVES: dict[str, set[str]] = {
    "pending": {"succeeded", "failed", "review"},
    "review": {"succeeded", "failed"},
    "succeeded": {"failed"},  # facts §7.2: a refund that comes back
    "failed": set(),
}
DISPUTE_ENDS = {"dispute_accepted", "dispute_cancelled", "dispute_expired", "dispute_won", "dispute_lost"}
STAGES = ["pre_dispute", "dispute", "pre_arbitration", "arbitration", "dispute_reversal"]


def moved_lawfully(operation: str, before: str | None, now: str) -> bool:
    """Whether an operation may lead from one status to another."""
    if operation == "clock":
        return now in reach(before)
    return before == now or now in MOVES[operation].get(before, set())


def reach(status: str | None) -> set[str | None]:
    """Where time alone can lead."""
    found: Statuses = {status}
    edge: Statuses = {status}
    while edge:
        edge = {to for one in edge for to in BY_TIME.get(one, set())} - found
        found |= edge
    return found


def refund_moved_lawfully(operation: str, before: str, now: str) -> bool:
    """The clock may take two steps: out of a queue and to its end."""
    steps = REFUND_MOVES[before]
    return now == before or now in steps or (operation == "clock" and any(now in REFUND_MOVES[one] for one in steps))


def dispute_moved_lawfully(before: dict[str, Any], now: dict[str, Any]) -> bool:
    """Statuses move within a stage, and open again in a later one; stages never go back (facts §3.7)."""
    was, then = STAGES.index(before["dispute_stage"]), STAGES.index(now["dispute_stage"])
    if then != was:
        return then > was and now["dispute_status"] in ("dispute_opened", "dispute_expired")
    if before["dispute_status"] == now["dispute_status"]:
        return True
    if before["dispute_status"] in DISPUTE_ENDS:
        return False
    return now["dispute_status"] in {"dispute_challenged", *DISPUTE_ENDS}


def check(account: Account) -> None:
    """Every law about one payment's money; AssertionError names the first that is broken."""
    shown, state = account.payment, account.payment["state_metadata"] or {}
    told = (account.payment_id, account.status)
    assert account.captured + account.capturing <= account.most, told
    assert account.refunded + account.refunding <= account.captured, told
    assert account.disputed <= account.captured, told
    assert not (account.captured and account.status in WITHOUT_MONEY), told
    assert account.authorized or account.status not in _OPEN, told  # of nothing, nothing can be captured
    given_back = account.refunded + account.refunding + account.disputed
    assert not (given_back and account.status == "cancelled_post_capture"), told
    assert (shown["amount_received"] or 0) == account.captured, told
    assert shown["amount_capturable"] == account.capturable, (told, account.authorized, account.capturing)
    assert shown["net_amount"] == shown["amount"] + (shown["shipping_cost"] or 0), told
    assert (state.get("total_refunded_amount") or 0) == account.refunded, told
    assert (state.get("total_disputed_amount") or 0) == account.disputed, told
    assert {one["refund_id"] for one in shown["refunds"] or []} == set(account.refunds), told
    assert {one["dispute_id"] for one in shown["disputes"] or []} == set(account.disputes), told
    for dispute in account.disputes.values():
        assert int(dispute["amount"]) <= account.captured, told
        assert dispute["is_already_refunded"] is (account.refunded >= int(dispute["amount"])), told
    if shown.get("captures"):
        _check_captures(account)


def _check_captures(account: Account) -> None:
    sums = {"charged": 0, "pending": 0, "failed": 0}
    for one in account.payment["captures"]:
        sums[one["status"]] += one["amount"]
    assert (sums["charged"], sums["pending"]) == (account.captured, account.capturing), account.payment_id


def refund_fits(account: Account, amount: int | None) -> bool:
    """Whether a refund may be made now (facts §8)."""
    asked = account.captured if amount is None else amount
    open_for_it = account.status in ("succeeded", "partially_captured") and len(account.refunds) < 10
    return open_for_it and 0 < asked <= account.refundable


def is_open(refund: dict[str, Any]) -> bool:
    return refund["status"] in OPEN_REFUNDS
