"""Filters of two names, and amounts between bounds, over a store of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import structs

from mock_server.domain.paging import Query
from mock_server.domain.statuses import RefundStatus
from mock_server.engine import listing
from mock_server.engine.kinds import REFUNDS
from mock_server.store.memory import Store
from mock_server.store.transaction import Transaction
from tests.domain.records import REFUND

T = TypeVar("T")
ALIASES = {"refund_status": "status"}


def over(amounts: list[int], work: Callable[[Transaction], T]) -> T:
    """What work finds among refunds of these amounts, every second one of them open."""
    space = Store().open("workspace", lambda tx: None)

    def fill(tx: Transaction) -> None:
        for number, amount in enumerate(amounts):
            status = RefundStatus.PENDING if number % 2 else RefundStatus.SUCCEEDED
            tx.put(
                REFUNDS,
                structs.replace(REFUND, refund_id=f"ref_{number}", amount=amount, status=status, created_at=number),
            )

    space.transact(fill)
    return space.transact(work)


@given(
    st.lists(st.integers(1, 30), max_size=20),
    st.one_of(st.none(), st.integers(0, 30)),
    st.one_of(st.none(), st.integers(0, 30)),
    st.booleans(),
)
def test_bounds_let_through_what_lies_between_them(
    amounts: list[int], least: int | None, most: int | None, only_open: bool
) -> None:
    filters: dict[str, tuple[object, ...]] = {"amount_filter": (least, most)}
    if only_open:
        filters["refund_status"] = ("pending",)
    query = Query(filters=filters, limit=100)
    page = over(amounts, lambda tx: listing.page(tx, REFUNDS, query, ALIASES))
    chosen = [amount for number, amount in enumerate(amounts) if number % 2 or not only_open]
    between = [a for a in chosen if (least is None or a >= least) and (most is None or a <= most)]
    assert [refund.amount for refund in page.items] == between[::-1]
    assert page.total == len(between)
    tally = over(amounts, lambda tx: tx.tally(REFUNDS, "amount", listing.settled(tx, REFUNDS, query, ALIASES)))
    assert sum(tally.values()) == len(between)


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=20),
    st.one_of(st.none(), st.tuples(st.one_of(st.none(), st.integers(0, 9)), st.one_of(st.none(), st.integers(0, 9)))),
    *(st.one_of(st.none(), st.integers(0, 19)) for _ in ("older_than", "newer_than")),
    st.booleans(),
    st.booleans(),
    st.integers(0, 4),
    st.integers(1, 20),
)
@example([5, 3, 4], (None, 9), 0, None, False, True, 0, 10)  # what is less, and was created later
def test_a_page_is_what_is_left_of_the_whole_list(
    amounts: list[int],
    bounds: tuple[int | None, int | None] | None,
    older: int | None,
    newer: int | None,
    ascending: bool,
    by_amount: bool,
    offset: int,
    limit: int,
) -> None:
    """Every bound with every cursor, in every order: filtered, sorted and cut by hand."""
    filters: dict[str, tuple[object, ...]] = {} if bounds is None else {"amount_filter": bounds}
    cursors = [None if one is None else one % len(amounts) for one in (older, newer)]
    older_than, newer_than = (None if one is None else f"ref_{one}" for one in cursors)
    query = Query(
        filters=filters, offset=offset, limit=limit, ascending=ascending, by_amount=by_amount,
        older_than=older_than, newer_than=newer_than,
    )  # fmt: skip
    page = over(amounts, lambda tx: listing.page(tx, REFUNDS, query, ALIASES))
    least, most = (None, None) if bounds is None else bounds
    ranks = [(amount if by_amount else 0, number) for number, amount in enumerate(amounts)]
    before, after = (None if one is None else ranks[one] for one in cursors)
    wanted = [
        number
        for number, rank in enumerate(ranks)
        if (least is None or amounts[number] >= least) and (most is None or amounts[number] <= most)
        and (before is None or rank < before) and (after is None or rank > after)
    ]  # fmt: skip
    wanted.sort(key=lambda number: ranks[number], reverse=not ascending)
    assert [one.refund_id for one in page.items] == [f"ref_{one}" for one in wanted[offset : offset + limit]]
    assert page.total == len(wanted)


@pytest.mark.parametrize(
    ("one", "other", "total"),
    [
        (("pending",), None, 2),
        (None, ("pending",), 2),
        (("pending", "failed"), ("pending",), 2),
        (("failed",), ("pending",), 0),
    ],
)
def test_two_names_of_one_filter_mean_both(
    one: tuple[str, ...] | None, other: tuple[str, ...] | None, total: int
) -> None:
    filters = {name: values for name, values in (("status", one), ("refund_status", other)) if values}
    page = over([1, 2, 3, 4], lambda tx: listing.page(tx, REFUNDS, Query(filters=dict(filters)), ALIASES))
    assert page.total == total
