"""The refund, its states, and how it counts on its payment (facts §2.5, §3.7): minor units, instants in ms UTC."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar, Final

from msgspec import Struct, field, structs

from mock_server.domain.commands import JsonText
from mock_server.domain.events import EventType
from mock_server.domain.instants import Instant
from mock_server.domain.machine import Machine
from mock_server.domain.payment import Failure, Payment, Waiting
from mock_server.domain.records import Record
from mock_server.domain.statuses import RefundStatus as S

INSTANT = "instant"
SCHEDULED = "scheduled"


class RefundTrigger(StrEnum):
    """What happened to a refund."""

    CREATED = "created"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    HELD = "held"
    CAME_BACK = "came_back"


_H, _E, _F37 = RefundTrigger, EventType, "facts §3.7"

OPEN: Final = frozenset({S.PENDING, S.REVIEW})
"""The statuses of refunds that are not final; they count like successful ones."""

REFUND_MACHINE: Final = Machine(
    "refunds",
    S,
    (
        ((None,), _H.CREATED, S.PENDING, None, _F37),
        ((S.PENDING,), _H.SUCCEEDED, S.SUCCEEDED, _E.REFUND_SUCCEEDED, _F37),
        ((S.PENDING,), _H.FAILED, S.FAILED, _E.REFUND_FAILED, _F37),
        ((S.PENDING,), _H.HELD, S.REVIEW, None, _F37),
        ((S.REVIEW,), _H.SUCCEEDED, S.SUCCEEDED, _E.REFUND_SUCCEEDED, "ours: a review ends"),
        ((S.REVIEW,), _H.FAILED, S.FAILED, _E.REFUND_FAILED, "ours: a review ends"),
        ((S.SUCCEEDED,), _H.CAME_BACK, S.FAILED, _E.REFUND_FAILED, "facts §7.2"),
    ),
    final=frozenset(S) - OPEN,
)
"""The changes of a refund's status. Its reason and metadata can be updated in any status (facts §3.7)."""


class Refund(Record, frozen=True, kw_only=True):
    """Money that goes back. `waiting`: what an open refund waits for, or how a successful one will change."""

    MACHINE: ClassVar = REFUND_MACHINE

    refund_id: str
    payment_id: str
    merchant_id: str
    profile_id: str
    status: S
    amount: int
    currency: str
    created_at: Instant
    modified_at: Instant
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


def counted(payment: Payment, amount: int, source: S | None, target: S, now: int) -> Payment:
    """The payment after a refund of this amount changed its status."""
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
"""The sum of the payment that includes a refund; a failed one is in none."""


def refundable(payment: Payment) -> int:
    """How much can still be refunded: open refunds count, and so does disputed money (facts §8)."""
    gone = payment.refunded_amount + payment.refund_pending_amount + payment.disputed_amount
    return payment.captured_amount - gone


class CreateRefund(Struct, frozen=True, kw_only=True):
    """The body of create, amount in minor units; `carried` is what the refund stores, by its attributes."""

    payment_id: str
    refund_id: str | None = None
    merchant_id: str | None = None
    amount: int | None = None
    carried: Mapping[str, Any] = field(default_factory=dict)


class UpdateRefund(Struct, frozen=True):
    """New values of a refund's attributes, never of its amount."""

    carried: Mapping[str, Any]
