"""The refund: its record, its states, and how it counts on its payment (facts §2.5, §3.7).

Amounts in minor units, instants in ms UTC.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final, NamedTuple

from msgspec import structs

from mock_server.domain.commands import JsonText
from mock_server.domain.events import EventType
from mock_server.domain.instants import SECOND_MS
from mock_server.domain.payment import Payment
from mock_server.domain.payment_parts import Failure, Waiting
from mock_server.domain.records import Record
from mock_server.domain.statuses import RefundStatus as S

INSTANT = "instant"
SCHEDULED = "scheduled"
SCHEDULED_AFTER_MS: Final = 10 * SECOND_MS
"""When the scheduler carries a scheduled refund out (ours)."""


class RefundTrigger(StrEnum):
    """What happened to a refund."""

    CREATED = "created"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    HELD = "held"
    CAME_BACK = "came_back"


class RefundTransition(NamedTuple):
    """One edge: from where (None: not there yet), what happened, to where, and the event it raises."""

    source: S | None
    what: RefundTrigger
    target: S
    event: EventType | None
    cites: str


_H, _E, _F37 = RefundTrigger, EventType, "facts §3.7"

REFUND_TRANSITIONS: Final = (
    RefundTransition(None, _H.CREATED, S.PENDING, None, _F37),
    RefundTransition(S.PENDING, _H.SUCCEEDED, S.SUCCEEDED, _E.REFUND_SUCCEEDED, _F37),
    RefundTransition(S.PENDING, _H.FAILED, S.FAILED, _E.REFUND_FAILED, _F37),
    RefundTransition(S.PENDING, _H.HELD, S.REVIEW, None, _F37),
    RefundTransition(S.REVIEW, _H.SUCCEEDED, S.SUCCEEDED, _E.REFUND_SUCCEEDED, "ours: a review ends"),
    RefundTransition(S.REVIEW, _H.FAILED, S.FAILED, _E.REFUND_FAILED, "ours: a review ends"),
    RefundTransition(S.SUCCEEDED, _H.CAME_BACK, S.FAILED, _E.REFUND_FAILED, "facts §7.2"),
)
"""Every change a refund can go through. Its reason and metadata can be updated in any state (facts §3.7)."""

_BY_KEY: Final = {(row.source, row.what): row for row in REFUND_TRANSITIONS}

OPEN: Final = frozenset({S.PENDING, S.REVIEW})
"""The money is neither back nor kept: such a refund counts as if it were made."""


def after(status: S | None, what: RefundTrigger) -> RefundTransition | None:
    """The one row for a status and what happened; None where that cannot happen."""
    return _BY_KEY.get((status, what))


def between(status: S, target: S) -> RefundTransition | None:
    """The row that leads from one status to another; None where none does."""
    return next((row for row in REFUND_TRANSITIONS if (row.source, row.target) == (status, target)), None)


def leading_to(target: S) -> tuple[S, ...]:
    """The statuses from which a refund can come to another."""
    return tuple(status for status in S if between(status, target))


class Refund(Record, frozen=True, kw_only=True):
    """Money that goes back to the customer, whole or in part.

    `waiting` is what an open refund waits for, or what a made one still comes to. Customer and method are the
    payment's; lists filter by them.
    """

    refund_id: str
    payment_id: str
    merchant_id: str
    profile_id: str
    status: S
    amount: int
    currency: str
    created_at: int
    modified_at: int
    connector: str
    connector_refund_id: str | None = None
    refund_type: str = INSTANT
    reason: str | None = None
    metadata: JsonText = "{}"
    split_refunds: JsonText | None = None
    failure: Failure | None = None
    waiting: Waiting | None = None
    customer_id: str | None = None
    payment_method: str | None = None
    payment_method_type: str | None = None
    merchant_connector_id: str | None = None
    told: tuple[EventType, ...] = ()


class ImpossibleRefundTransition(Exception):
    """The engine tried a change that the table does not have: a defect of ours, never a caller's mistake."""


def apply_transition(refund: Refund, what: RefundTrigger, now: int, **changes: Any) -> tuple[Refund, EventType | None]:
    """The refund after something happened to it, and the event to tell, once each; other changes ride along."""
    row = after(refund.status, what)
    if row is None:
        raise ImpossibleRefundTransition(f"{what} cannot happen to a refund in {refund.status}")
    event = None if row.event in refund.told else row.event
    told = (*refund.told, event) if event else refund.told
    return structs.replace(refund, status=row.target, modified_at=now, told=told, **changes), event


def counted(payment: Payment, amount: int, source: S | None, target: S, now: int) -> Payment:
    """The payment once a refund of this amount went from one status to another."""
    sums = {"refund_pending_amount": payment.refund_pending_amount, "refunded_amount": payment.refunded_amount}
    for status, sign in ((source, -1), (target, 1)):
        name = _SUM_OF.get(status)
        if name is not None:
            sums[name] += sign * amount
    count = payment.refund_count + (source is None)
    return structs.replace(payment, modified_at=now, refund_count=count, **sums)


_SUM_OF: Final[dict[S | None, str]] = {
    S.PENDING: "refund_pending_amount",
    S.REVIEW: "refund_pending_amount",
    S.SUCCEEDED: "refunded_amount",
}
"""The sum of the payment that a refund stands in; a failed one stands in none."""


def refundable(payment: Payment) -> int:
    """How much can still be refunded: open refunds count as made, disputed money is gone (facts §8)."""
    gone = payment.refunded_amount + payment.refund_pending_amount + payment.disputed_amount
    return payment.captured_amount - gone
