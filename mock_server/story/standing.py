"""A payment's present state for people: a badge, a note beside it, and a headline.

The API's status is the result of the charge; refunds, disputes and reversals are other records. What needs the
merchant's attention most comes first, and is the badge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import Final, NamedTuple

from mock_server.domain import masking
from mock_server.domain.dispute import Dispute
from mock_server.domain.events import EventType
from mock_server.domain.instants import HOUR_MS, iso
from mock_server.domain.paging import Query
from mock_server.domain.payment import Failure, Payment
from mock_server.domain.refund import Refund
from mock_server.domain.statuses import DisputeStage
from mock_server.domain.statuses import DisputeStatus as D
from mock_server.domain.statuses import PaymentStatus as P
from mock_server.domain.statuses import RefundStatus as R
from mock_server.engine.kinds import DISPUTES, REFUNDS
from mock_server.store.transaction import Transaction
from mock_server.story.payment_history import OWNED, PaymentHistory
from mock_server.story.words import Tone, amount, plain, rounded, tone_of


class Standing(NamedTuple):
    """A payment's present state; `note` is shown beside the badge."""

    badge: str
    tone: Tone
    note: str
    headline: str


class StandingPart(NamedTuple):
    """One part of the state; the lowest rank comes first."""

    rank: int
    badge: str
    tone: Tone
    says: str
    note: str = ""


_BACK: Final = "{what} was returned to the customer"
_BY_DISPUTE: Final[Mapping[D, StandingPart]] = {
    D.OPENED: StandingPart(0, "disputed", Tone.BAD, "Disputed{stage}{part}: {until}"),
    D.CHALLENGED: StandingPart(
        1, "dispute challenged", Tone.WAIT, "Dispute{part} challenged: the bank is reviewing your evidence"
    ),
    D.LOST: StandingPart(4, "dispute lost", Tone.BAD, f"Dispute lost: {_BACK}"),
    D.ACCEPTED: StandingPart(4, "dispute accepted", Tone.BAD, f"Dispute accepted: {_BACK}"),
    D.EXPIRED: StandingPart(4, "dispute lost", Tone.BAD, f"Dispute lost: it was not answered in time, and {_BACK}"),
    D.WON: StandingPart(7, "dispute won", Tone.GOOD, "Dispute won: you keep {kept}"),
    D.CANCELLED: StandingPart(7, "dispute withdrawn", Tone.GOOD, "Dispute withdrawn: you keep {kept}"),
}
"""The text for disputes by their status: `{what}` is the amount, `{until}` what can still be done."""
_REFUND_FAILED, _REFUND_OPEN, _REFUNDED, _STATUS = 2, 3, 5, 8
"""Ranks of the other parts."""

_BY_STATUS: Final[Mapping[P, Callable[[Payment, int | None], str]]] = {
    P.SUCCEEDED: lambda payment, _: (
        f"Payment succeeded: {_sum(payment, payment.captured_amount)} was captured"
        if payment.captured_amount != payment.net_amount
        else "Payment succeeded"
    ),
    P.FAILED: lambda payment, _: _failed(payment.failure) if payment.failure else "Payment failed",
    P.CANCELLED: lambda payment, _: "Cancelled" + _because(payment.cancellation_reason),
    P.CANCELLED_POST_CAPTURE: lambda payment, _: (
        f"Reversed after capture: {_sum(payment, payment.captured_amount)} was returned to the customer"
        + _because(payment.cancellation_reason)
    ),
    P.EXPIRED: lambda payment, at: _expired(payment, at),
    P.PARTIALLY_CAPTURED: lambda payment, _: f"Captured in part: {_captured(payment)}",
    P.PARTIALLY_CAPTURED_AND_CAPTURABLE: lambda payment, _: (
        f"Captured in part: {_captured(payment)}; the rest can still be captured or released"
    ),
    P.PARTIALLY_AUTHORIZED: lambda payment, _: (
        f"Authorized in part: {_of(payment, payment.authorized_amount, payment.net_amount)}; capture or cancel it"
    ),
    P.REQUIRES_CAPTURE: lambda *_: "Authorized: capture or cancel it",
    P.REQUIRES_PAYMENT_METHOD: lambda *_: "Needs a payment method",
    P.REQUIRES_CONFIRMATION: lambda *_: "Needs to be confirmed",
    P.REQUIRES_ACTION: lambda payment, _: _waits(payment) or "Waiting for the customer",
    P.REQUIRES_MERCHANT_ACTION: lambda *_: "Held for review: approve or reject it",
    P.PENDING: lambda payment, _: _waits(payment) or "Pending",
}
"""The text for each status, of the payment and of when it expired, if that is known."""


def standing_of(tx: Transaction, payment: Payment, now: int) -> Standing:
    """The state of a stored payment at a time of its workspace; most have no refund or dispute, and need no search."""
    mine = Query(filters={"payment_id": (payment.payment_id,)}, limit=OWNED)
    refunds = tx.find(REFUNDS, mine).items if payment.refund_count else ()
    return standing(payment, refunds, tx.find(DISPUTES, mine).items if payment.dispute_count else (), now)


def standing_kept(kept: PaymentHistory, now: int) -> Standing:
    """The state of a payment whose data was collected: its events say when it expired."""
    expired_at = next((one.created_at for one in kept.events if one.type is EventType.PAYMENT_EXPIRED), None)
    return standing(kept.payment, kept.refunds, kept.disputes, now, expired_at)


def standing(
    payment: Payment, refunds: Sequence[Refund], disputes: Sequence[Dispute], now: int, expired_at: int | None = None
) -> Standing:
    """The state of a payment with its refunds and disputes, newest first."""
    parts = [*_of_disputes(payment, disputes, now), *_of_refunds(payment, refunds)]
    if not parts or payment.status is not P.SUCCEEDED:  # the other parts imply that it succeeded
        badge = "reversed" if payment.status is P.CANCELLED_POST_CAPTURE else plain(payment.status)
        note = plain(payment.failure.decline) if payment.failure else ""
        if payment.status is P.PARTIALLY_AUTHORIZED:
            note = f"{_sum(payment, payment.authorized_amount)} authorized"
        says = _BY_STATUS[payment.status](payment, expired_at)
        parts.append(StandingPart(_STATUS, badge, tone_of(payment.status), says, note))
    parts.sort(key=lambda part: part.rank)
    first = parts[0]
    return Standing(first.badge, first.tone, first.note, " ".join(f"{part.says.removesuffix('.')}." for part in parts))


def _of_disputes(payment: Payment, disputes: Sequence[Dispute], now: int) -> Iterator[StandingPart]:
    """One part for all disputes in a status, with their sum; open ones by their deadlines, the soonest first."""
    alike: dict[tuple[object, ...], list[Dispute]] = {}
    for one in sorted(disputes, key=lambda one: one.challenge_required_by or inf):
        until = (one.stage, one.challenge_required_by) if one.status is D.OPENED else ()
        alike.setdefault((one.status, *until), []).append(one)
    keeps_all = all(_BY_DISPUTE[one.status].tone is Tone.GOOD for one in disputes)
    for some in alike.values():
        row, by, total = _BY_DISPUTE[some[0].status], some[0].challenge_required_by, sum(one.amount for one in some)
        what = _of(payment, total, payment.captured_amount)
        says = row.says.format(
            what=_sum(payment, total),
            part=f" over {what}" if total < payment.captured_amount else "",
            stage="" if some[0].stage is DisputeStage.DISPUTE else f" ({plain(some[0].stage)})",
            until=_until(by, now),
            kept="the money" if keeps_all else what,
        )
        open_until = f", {left(by, now)}" if some[0].status is D.OPENED and by is not None else ""
        noted = sum(one.amount for one in disputes if _BY_DISPUTE[one.status].badge == row.badge)
        note = _sum(payment, noted) if noted < payment.captured_amount else ""
        yield row._replace(badge=row.badge + open_until, says=says, note=note)


def _until(by: int | None, now: int) -> str:
    if by is None:
        return "it cannot be answered at this stage"
    at = iso(by)
    return f"answer by {at[:10]} {at[11:16]} UTC ({left(by, now)})"


def left(until: int, now: int) -> str:
    """The remaining time: `5 days left`, `1 hour left`."""
    return f"{rounded(until - now)} left" if until - now >= HOUR_MS else "less than an hour left"


def _of_refunds(payment: Payment, refunds: Sequence[Refund]) -> Iterator[StandingPart]:
    newest = refunds[0] if refunds else None
    if newest is not None and newest.status is R.FAILED:
        says = f"Refund of {_sum(payment, newest.amount)} failed"
        says += f": {_why(newest.failure)}" if newest.failure else ""
        yield StandingPart(_REFUND_FAILED, "refund failed", Tone.BAD, says, _sum(payment, newest.amount))
    if payment.refund_pending_amount:
        what = _of(payment, payment.refund_pending_amount, payment.captured_amount)
        held = any(one.status is R.REVIEW for one in refunds)
        badge, says = ("refund in review", "Refund held for review") if held else ("refund pending", "Refund pending")
        note = _sum(payment, payment.refund_pending_amount)
        yield StandingPart(_REFUND_OPEN, badge, Tone.WAIT, f"{says}: {what}", note)
    if 0 < payment.refunded_amount < payment.captured_amount:
        what = _of(payment, payment.refunded_amount, payment.captured_amount)
        note = _sum(payment, payment.refunded_amount)
        yield StandingPart(_REFUNDED, "refunded in part", Tone.PLAIN, f"Refunded in part: {what}", note)
    elif payment.refunded_amount:
        yield StandingPart(_REFUNDED, "refunded in full", Tone.PLAIN, "Refunded in full")


def _waits(payment: Payment) -> str:
    """What an open payment waits for, and the result if it is fixed."""
    waiting = payment.waiting
    if waiting is None:
        return ""
    ends = waiting.outcome.ends
    return f"Waiting for the {plain(waiting.kind)}" + (f" (result: {plain(ends)})" if ends else "")


def _expired(payment: Payment, at: int | None) -> str:
    """What did not happen in time; with the time that it had, if it is known when it expired."""
    spent = rounded(at - payment.attempt_began_at) if at is not None else ""
    if payment.released:
        return "Expired: it was authorized, and not captured " + (f"for {spent}" if spent else "in time")
    what = "finish 3-D Secure" if payment.card else f"finish paying with {plain(payment.payment_method_type or '')}"
    return f"Expired: the customer did not {what} in {spent or 'time'}"


def _failed(failure: Failure) -> str:
    message = failure.error_message
    return f"{message} ({failure.error_code})" if message.startswith("Payment ") else f"Payment failed: {_why(failure)}"


def _why(failure: Failure) -> str:
    message = failure.error_message
    is_sentence = message[1:2].islower()
    return f"{message[:1].lower() if is_sentence else message[:1]}{message[1:]} ({failure.error_code})"


def _because(reason: str | None) -> str:
    return f" ({plain(masking.shown(reason))})" if reason else ""


def _captured(payment: Payment) -> str:
    return _of(payment, payment.captured_amount, payment.net_amount)


def _of(payment: Payment, part: int, whole: int) -> str:
    """`10.00 of 65.40 USD`, or `65.40 USD` for all of it."""
    shown = _sum(payment, part)
    return shown if part >= whole else f"{shown.rpartition(' ')[0]} of {_sum(payment, whole)}"


def _sum(payment: Payment, minor: int) -> str:
    return amount(minor, payment.currency)
