"""Filters of lists beyond equal values: two names for one, and amounts between two bounds (facts §1.2, §1.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, TypeVar

from msgspec import structs

from mock_server.domain.api_keys import EphemeralKey
from mock_server.domain.customer import PaymentToken
from mock_server.domain.paging import Page, Query
from mock_server.domain.report import Report
from mock_server.engine.context import CommandContext
from mock_server.store.protocol import RecordKind
from mock_server.store.transaction import Transaction

R = TypeVar("R")
Expiring = TypeVar("Expiring", Report, PaymentToken, EphemeralKey)

SPANS = ("amount_filter", "start_amount", "end_amount")
"""Filters that are pairs of the smallest and the largest amount, None if that is open."""

Aliases = Mapping[str, str]
"""Filters with another name than their index."""
_NONE: Aliases = {}


def page(tx: Transaction, kind: RecordKind[R], query: Query, aliases: Aliases = _NONE) -> Page[R]:
    """One page of a kind, newest first by default."""
    asked = settled(tx, kind, query, aliases)
    return _by_amount(tx, kind, asked) if asked.by_amount else tx.find(kind, asked)


def pages(kind: RecordKind[R], aliases: Aliases = _NONE) -> Callable[[Transaction, CommandContext, Query], Page[R]]:
    """The command for one page of a kind."""
    return lambda tx, context, query: page(tx, kind, query, aliases)


def aggregates(
    kind: RecordKind[Any], aliases: Aliases = _NONE
) -> Callable[[Transaction, CommandContext, Query], Mapping[object, int]]:
    """The command for the number of a kind's records in each status (facts §1.7)."""
    return lambda tx, context, query: tx.tally(kind, "status", settled(tx, kind, query, aliases))


def _by_amount(tx: Transaction, kind: RecordKind[R], query: Query) -> Page[R]:
    """One page by amount, one amount after another; a cursor's place is by its amount, then by its creation."""
    most, least = (_amount(tx, kind, key) for key in (query.older_than, query.newer_than))
    bare = structs.replace(query, older_than=None, newer_than=None)

    def at(amount: object) -> Query:
        return structs.replace(
            bare,
            filters={**query.filters, "amount": (amount,)},
            older_than=query.older_than if amount == most else None,
            newer_than=query.newer_than if amount == least else None,
        )

    all_: Mapping[Any, int] = tx.tally(kind, "amount", bare)
    there = {
        amount: tx.count(kind, at(amount)) if amount in (most, least) else many
        for amount, many in all_.items()
        if (most is None or amount <= most) and (least is None or amount >= least)
    }
    items: list[R] = []
    skipped = query.offset
    for amount in sorted(there, reverse=not query.ascending):
        if len(items) == query.limit:
            break
        if skipped >= there[amount]:
            skipped -= there[amount]
            continue
        items += tx.find(kind, structs.replace(at(amount), offset=skipped, limit=query.limit - len(items))).items
        skipped = 0
    return Page(tuple(items), sum(there.values()), query.offset)


def _amount(tx: Transaction, kind: RecordKind[Any], key: str | None) -> Any:
    record = None if key is None else tx.get(kind, key)
    return None if record is None else record.amount


def settled(tx: Transaction, kind: RecordKind[Any], query: Query, aliases: Aliases) -> Query:
    """The query in the words of the indexes."""
    filters: dict[str, tuple[object, ...]] = {}
    spans: list[Any] = []
    for name, values in query.filters.items():
        if name in SPANS:
            spans.append(values)
        else:  # a filter that came under both of its names must match both
            index = aliases.get(name, name)
            filters[index] = tuple(filter(set(filters.get(index, values)).__contains__, values))
    if spans:  # an index answers for each amount alone, so they are the amounts that occur, also beyond a cursor
        least, most = max(one or 0 for one, _ in spans), min(inf if one is None else one for _, one in spans)
        span = Query(filters=filters, created_gte=query.created_gte, created_lte=query.created_lte)
        there: Mapping[Any, int] = tx.tally(kind, "amount", span)
        filters["amount"] = tuple(sorted(amount for amount in there if least <= amount <= most))
    return structs.replace(query, filters=filters)


_OLDEST = Query(limit=2, ascending=True)


def drop_expired(tx: Transaction, kind: RecordKind[Expiring], now: int) -> None:
    """Drops the two oldest if they have expired, for each new one: so they cannot pile up."""
    for old in tx.find(kind, _OLDEST).items:
        if old.expires_at <= now:
            tx.remove(kind, kind.key(old))
