"""The refund's states and its place in a payment's sums."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from mock_server.domain.events import EventType
from mock_server.domain.machine import ImpossibleTransition, Transition, apply_transition
from mock_server.domain.refund import (
    OPEN,
    REFUND_MACHINE,
    RefundTrigger,
    counted,
    refundable,
)
from mock_server.domain.statuses import RefundStatus as S
from tests.domain.records import PAYMENT, REFUND

MAY_FOLLOW = {
    S.PENDING: {S.SUCCEEDED, S.FAILED, S.REVIEW},
    S.REVIEW: {S.SUCCEEDED, S.FAILED},
    S.SUCCEEDED: {S.FAILED},
    S.FAILED: set(),
}
"""Facts §3.7 and §7.2, written anew: pending goes anywhere, a made refund can still come back."""

TOLD = {S.PENDING: None, S.REVIEW: None, S.SUCCEEDED: EventType.REFUND_SUCCEEDED, S.FAILED: EventType.REFUND_FAILED}
"""Facts §6.1."""


@pytest.mark.parametrize("source", list(S))
@pytest.mark.parametrize("target", list(S))
def test_the_edges_are_those_that_were_decided(source: S, target: S) -> None:
    assert (REFUND_MACHINE.between(source, target) is not None) is (target in MAY_FOLLOW[source])


@pytest.mark.parametrize("row", REFUND_MACHINE.rows, ids=str)
def test_an_edge_tells_what_its_target_tells(row: Transition[S, RefundTrigger]) -> None:
    assert row.event == TOLD[row.target]


def test_no_edge_stands_twice() -> None:
    assert len({(row.source, row.what) for row in REFUND_MACHINE.rows}) == len(REFUND_MACHINE.rows)
    assert len({(row.source, row.target) for row in REFUND_MACHINE.rows}) == len(REFUND_MACHINE.rows)


@pytest.mark.parametrize("status", list(S))
@pytest.mark.parametrize("what", list(RefundTrigger))
def test_what_the_table_does_not_have_cannot_happen(status: S, what: RefundTrigger) -> None:
    refund = structs.replace(REFUND, status=status)
    row = REFUND_MACHINE.after(status, what)
    if row is None:
        with pytest.raises(ImpossibleTransition):
            apply_transition(refund, what, 5)
    else:
        moved, event = apply_transition(refund, what, 5, reason="x")
        assert (moved.status, moved.modified_at, moved.reason, event) == (row.target, 5, "x", row.event)


def test_each_sort_of_event_is_told_once() -> None:
    told = structs.replace(REFUND, told=(EventType.REFUND_SUCCEEDED,))
    moved, event = apply_transition(told, RefundTrigger.SUCCEEDED, 1)
    assert event is None
    assert moved.told == told.told


@given(st.lists(st.tuples(st.integers(1, 999), st.lists(st.sampled_from(list(RefundTrigger)), max_size=4))))
def test_sums_are_those_of_the_refunds(refunds: list[tuple[int, list[RefundTrigger]]]) -> None:
    """However refunds go on, the payment's sums are those of the refunds that stand there now."""
    payment, stand = PAYMENT, []
    for amount, story in refunds:
        payment, status = counted(payment, amount, None, S.PENDING, 1), S.PENDING
        for what in story:
            row = REFUND_MACHINE.after(status, what)
            if row is not None:
                payment, status = counted(payment, amount, status, row.target, 2), row.target
        stand.append((amount, status))
    assert payment.refunded_amount == sum(amount for amount, status in stand if status is S.SUCCEEDED)
    assert payment.refund_pending_amount == sum(amount for amount, status in stand if status in OPEN)
    assert payment.refund_count == len(refunds)
    gone = sum(amount for amount, status in stand if status is not S.FAILED)
    assert refundable(structs.replace(payment, disputed_amount=7)) == 1000 - gone - 7
