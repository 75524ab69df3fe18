"""The refunds and disputes that a payment's answer shows (facts §2.1)."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from mock_server.domain.dispute import Dispute
from mock_server.domain.limits import LIST_MAX
from mock_server.domain.paging import Query
from mock_server.domain.payment import Payment
from mock_server.domain.refund import Refund
from mock_server.engine.kinds import DISPUTES, REFUNDS
from mock_server.store.protocol import RecordKind
from mock_server.store.records import decode
from mock_server.store.transaction import Transaction

R = TypeVar("R")


class Related(NamedTuple):
    """The records that a payment's answer shows, the oldest first."""

    refunds: tuple[Refund, ...] = ()
    disputes: tuple[Dispute, ...] = ()


NOTHING = Related()


def of(tx: Transaction, payment: Payment) -> Related:
    """A payment's refunds and disputes: as many as it counts, as others may have been added since it was read."""
    refunds = _first(tx, REFUNDS, payment, payment.refund_count)
    return Related(refunds, _first(tx, DISPUTES, payment, payment.dispute_count))


def _first(tx: Transaction, kind: RecordKind[R], payment: Payment, count: int) -> tuple[R, ...]:
    query = Query(filters={"payment_id": (payment.payment_id,)}, limit=min(count, LIST_MAX), ascending=True)
    return tx.find(kind, query).items if count else ()


def encoded(tx: Transaction, payment: Payment) -> tuple[bytes, ...]:
    """The same as bytes, as an event stores them."""
    if not (payment.refund_count or payment.dispute_count):
        return ()
    found = of(tx, payment)
    refunds = (tx.encoded(REFUNDS, refund.refund_id) for refund in found.refunds)
    return (*refunds, *(tx.encoded(DISPUTES, dispute.dispute_id) for dispute in found.disputes))


def decoded(kept: tuple[bytes, ...]) -> Related:
    """The records that an event stored."""
    records: list[Any] = [_decoded(one) for one in kept]
    return Related(
        tuple(record for record in records if isinstance(record, Refund)),
        tuple(record for record in records if isinstance(record, Dispute)),
    )


def _decoded(kept: bytes) -> Refund | Dispute:
    try:
        return decode(REFUNDS, kept)
    except (TypeError, ValueError):
        return decode(DISPUTES, kept)
