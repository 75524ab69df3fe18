"""Lists: pages, a range of time, and filters (interface §8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import partial
from typing import Any, Final, NamedTuple

from mock_server.contract.dialect import Dialect
from mock_server.contract.kinds.base import FieldKind, FieldPlace, Write, read_as
from mock_server.contract.kinds.objects import Body, ObjectOf, OneOrMany
from mock_server.contract.kinds.texts import Choice, Text
from mock_server.contract.kinds.values import Amount, Instant, Whole
from mock_server.contract.operation import PerDialect
from mock_server.contract.requests.shapes import Shape
from mock_server.domain import limits
from mock_server.domain.paging import DEFAULT_LIMIT, Query

_PAGE: Final = "interface §8.1"
_TIME_RANGE: Final = "facts §1.1.1"
_AT: Final = "2026-01-31T09:05:00.000Z"


class StatusFilter(NamedTuple):
    """A filter by statuses of a kind, in all words that a dialect reads for them."""

    kind: type[StrEnum]
    says: str
    source: str
    example: str


Filters = Mapping[str, FieldKind | StatusFilter]
"""The filters of a list, by the engine's names; a row's place converts its words."""


def meaning(of: Callable[[str], str]) -> FieldPlace:
    """A place that converts the words of a filter."""
    return read_as(lambda values: tuple(map(of, values)))


def listing(
    operation: str, filters: Filters, route: str = "", names: Mapping[str, str] | None = None
) -> PerDialect[Shape[Query]]:
    """The shape of a list, for its body and its query, with the parameters of each dialect.

    `names` gives the wire's name of a filter by the engine's where they differ in every dialect.
    """

    def make(dialect: Dialect) -> Shape[Query]:
        keys = dialect.list_of(operation, route)
        on_the_wire = {**(names or {}), **keys.parameters}
        own = {name: _field(row, dialect) for name, row in filters.items()}
        usual = f"Number of items to return. Defaults to {'all' if keys.whole else DEFAULT_LIMIT}."
        fields = {"limit": LIMIT(usual, most=keys.most), **_PAGING, **own}
        schema = type("List", (Body,), {on_the_wire.get(name, name): field for name, field in fields.items()})
        rows = {on_the_wire.get(name, name): _row(name, field, dialect) for name, field in fields.items()}
        return Shape(schema, partial(_query, rows, limits.JSON_INTEGER if keys.whole else DEFAULT_LIMIT))

    return PerDialect(make)


def _row(name: str, field: FieldKind, dialect: Dialect) -> tuple[str, Write | None]:
    """The index of a filter, and what converts its words."""
    own = dialect.dimensions.get(name)
    return (name, field.place.write) if own is None else (own.indexed or name, meaning(own.meant).write)


def _field(row: FieldKind | StatusFilter, dialect: Dialect) -> FieldKind:
    if isinstance(row, FieldKind):
        return row
    words = dialect.readings[row.kind]
    meant = meaning(lambda word: str(words.get(word, word)))
    choice = Choice(tuple(words), named=row.kind.__name__, narrows=True)
    return OneOrMany(choice, row.says, source=row.source, example=row.example, place=meant)


class AmountBounds(Body, source=_TIME_RANGE):
    """A range of amounts, both ends included. Either end can be omitted."""

    start_amount = Amount("Smallest amount.", example=100)
    end_amount = Amount("Largest amount.", example=5000)


_PAIR: Final = read_as(lambda given: (given.get("start_amount"), given.get("end_amount")))
_LEAST, _MOST = read_as(lambda value: (value, None)), read_as(lambda value: (None, value))
AMOUNTS: Final[Filters] = {
    "amount_filter": ObjectOf(lambda: AmountBounds, "Range of the amount, in a body.", source=_TIME_RANGE, place=_PAIR),
    "start_amount": Amount("Smallest amount, in a query.", source="ours", example=100, place=_LEAST),
    "end_amount": Amount("Largest amount, in a query.", source="ours", example=5000, place=_MOST),
}
"""Filters by amount."""


class OrderBody(Body, source=_TIME_RANGE):
    """Field to sort by, and direction."""

    on = Choice(("created", "amount"), "Field to sort by. Defaults to creation.")
    by = Choice(("asc", "desc"), "Direction. Defaults to descending.")


CURSORS_AND_ORDER: Final[Filters] = {
    "starting_after": Text("Items older than the one with this ID.", source=_TIME_RANGE, example="pay_1"),
    "ending_before": Text("Items newer than the one with this ID.", source=_TIME_RANGE, example="pay_1"),
    "created": Instant("Items created at this time.", source=_TIME_RANGE, example=_AT),
    "created_gt": Instant("Items created after this time.", source=_TIME_RANGE, example=_AT),
    "created_lt": Instant("Items created before this time.", source=_TIME_RANGE, example=_AT),
    "order": ObjectOf(lambda: OrderBody, "Sort order, in a body.", source=_TIME_RANGE),
}
"""Parameters of lists with cursors and an order (facts §1.1.1)."""

LIMIT: Final = partial(Whole, least=limits.LIST_MIN, rule="out_of_range", source=_PAGE, example=10)
_PAGING: Final[Mapping[str, FieldKind]] = {
    "offset": Whole("Items to skip. Defaults to 0.", least=0, most=limits.JSON_INTEGER, source=_PAGE, example=0),
    "created_gte": Instant("Items created at or after this time.", source=_PAGE, example=_AT),
    "created_lte": Instant("Items created at or before this time.", source=_PAGE, example=_AT),
    "start_time": Instant("Alias of `created_gte`.", source=_TIME_RANGE, example=_AT),
    "end_time": Instant("Alias of `created_lte`.", source=_TIME_RANGE, example=_AT),
}
"""Parameters of every list, besides `limit`."""


def _query(rows: Mapping[str, tuple[str, Write | None]], usual: int, loaded: Mapping[str, Any]) -> Query:
    asked: dict[str, Any] = {}
    for sent, value in loaded.items():
        if value is not None:
            name, write = rows[sent]
            asked[name] = value if write is None else write(value)
    paged = {"limit": usual} | {own: asked.pop(name) for name, own in _PAGED.items() if name in asked}
    since = [asked[name] + more for name, more in _SINCE.items() if name in asked]
    until = [asked[name] - less for name, less in _UNTIL.items() if name in asked]
    sorted_by = asked.pop("order", {})
    return Query(
        filters={name: value for name, value in asked.items() if value and name not in _SINCE and name not in _UNTIL},
        created_gte=max(since, default=None),
        created_lte=min(until, default=None),
        **paged,
        ascending=sorted_by.get("by") == "asc",
        by_amount=sorted_by.get("on") == "amount",
    )


def moments(name: str, source: str) -> Filters:
    """The parameters of a list for the time of creation, under another name."""
    ends = "", "_gt", "_gte", "_lt", "_lte"
    return {f"{name}{end}": Instant(f"Alias of `created{end}`.", source=source, example=_AT) for end in ends}


_PAGED: Final = {"limit": "limit", "offset": "offset", "starting_after": "older_than", "ending_before": "newer_than"}
_NAMES: Final = ("created", "created_time", "received_time")
_SINCE: Final = {"start_time": 0, "created_after": 0} | {
    name + end: more for name in _NAMES for end, more in (("", 0), ("_gte", 0), ("_gt", 1))
}
_UNTIL: Final = {"end_time": 0, "created_before": 0} | {
    name + end: less for name in _NAMES for end, less in (("", 0), ("_lte", 0), ("_lt", 1))
}
"""The parameters that bound a list, and the milliseconds between their value and the bound, which is included."""
