"""What every list can be asked: one page, between two instants, of what its filters let through (interface §8)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from mock_server.contract.kinds.base import FieldKind
from mock_server.contract.kinds.objects import Body, ObjectOf, OneOrMany
from mock_server.contract.kinds.texts import Choice, Text
from mock_server.contract.kinds.values import Amount, Instant, Whole
from mock_server.contract.requests.shapes import Shape
from mock_server.domain import limits
from mock_server.domain.errors import Cause
from mock_server.domain.paging import DEFAULT_LIMIT, Query

_TIME_RANGE: Final = "facts §1.1.1"
_AT: Final = "2026-01-31T09:05:00.000Z"


def listing(
    filters: Mapping[str, FieldKind],
    names: Mapping[str, str],
    translate: Mapping[str, Mapping[str, object]] | None = None,
    most: int = limits.LIST_MAX,
) -> Shape[Query]:
    """The shape of a list, for its body and its query alike; `filters` are fields by the engine's names.

    `names` gives the wire's name of a parameter by the engine's, where they differ. `translate` gives, by the engine's
    name of a filter, what its words mean where they mean another one. `most` are the items of the longest page.
    """
    meant: Mapping[str, Mapping[str, object]] = translate or {}

    fields = {**_paging(most), **filters}
    schema = type("List", (Body,), {names.get(name, name): field for name, field in fields.items()})
    ours = {names.get(name, name): name for name in names}
    return Shape(schema, partial(_query, ours, meant), Cause.UNKNOWN_PARAMETER)


class AmountBounds(Body):
    """A range of amounts, both ends included. Either end can be omitted."""

    start_amount = Amount("Smallest amount.", source=_TIME_RANGE, example=100)
    end_amount = Amount("Largest amount.", source=_TIME_RANGE, example=5000)


class AmountRange(ObjectOf):
    """The bounds of an amount, loaded as a pair."""

    def read(self, value: Any) -> Any:
        loaded = super().read(value)
        return loaded.get("start_amount"), loaded.get("end_amount")


def amounts() -> dict[str, FieldKind]:
    """What a list is asked for by amount."""
    return {
        "amount_filter": AmountRange(lambda: AmountBounds, "Range of the amount, in a body.", source=_TIME_RANGE),
        "start_amount": OneOrMany(Amount(), "Smallest amount, in a query.", source="ours", example=100),
        "end_amount": OneOrMany(Amount(), "Largest amount, in a query.", source="ours", example=5000),
    }


class OrderBody(Body):
    """Field to sort by, and direction."""

    on = Choice(("created", "amount"), "Field to sort by. Defaults to creation.", source=_TIME_RANGE)
    by = Choice(("asc", "desc"), "Direction. Defaults to descending.", source=_TIME_RANGE)


def order() -> dict[str, FieldKind]:
    """How a list is sorted."""
    return {"order": ObjectOf(lambda: OrderBody, "Sort order, in a body.", source=_TIME_RANGE)}


def cursors() -> dict[str, FieldKind]:
    """What a list is asked for beside that where it is read from record to record (facts §1.1.1)."""
    return {
        "starting_after": Text("Items older than the one with this id.", source=_TIME_RANGE, example="pay_1"),
        "ending_before": Text("Items newer than the one with this id.", source=_TIME_RANGE, example="pay_1"),
        "created": Instant("Items created at this time.", source=_TIME_RANGE, example=_AT),
        "created_gt": Instant("Items created after this time.", source=_TIME_RANGE, example=_AT),
        "created_lt": Instant("Items created before this time.", source=_TIME_RANGE, example=_AT),
    }


def _paging(most: int) -> Mapping[str, Any]:
    least = limits.LIST_MIN
    source = "interface §8.1"
    return {
        "limit": Whole(
            "Number of items to return.", least=least, most=most, rule="out_of_range", source=source, example=10
        ),
        "offset": Whole("Number of items to skip.", least=0, most=limits.JSON_INTEGER, source=source, example=0),
        "created_gte": Instant("Items created at or after this time.", source=source, example=_AT),
        "created_lte": Instant("Items created at or before this time.", source=source, example=_AT),
        "start_time": Instant("Alias of `created_gte`.", source=_TIME_RANGE, example=_AT),
        "end_time": Instant("Alias of `created_lte`.", source=_TIME_RANGE, example=_AT),
    }


def _query(ours: Mapping[str, str], meant: Mapping[str, Mapping[str, object]], loaded: Mapping[str, Any]) -> Query:
    asked = {ours.get(name, name): value for name, value in loaded.items() if value is not None}
    limit = asked.pop("limit", DEFAULT_LIMIT)
    offset = asked.pop("offset", 0)
    since = [asked[name] + more for name, more in _SINCE.items() if name in asked]
    until = [asked[name] - less for name, less in _UNTIL.items() if name in asked]
    older_than, newer_than = asked.pop("starting_after", None), asked.pop("ending_before", None)
    sorted_by = asked.pop("order", {})
    for name in (*_SINCE, *_UNTIL):
        asked.pop(name, None)
    filters = {name: _translated(value, meant.get(name)) for name, value in asked.items() if value}
    return Query(
        filters=filters,
        created_gte=max(since, default=None),
        created_lte=min(until, default=None),
        limit=limit,
        offset=offset,
        older_than=older_than,
        newer_than=newer_than,
        ascending=sorted_by.get("by") == "asc",
        by_amount=sorted_by.get("on") == "amount",
    )


_SINCE: Final = {"created_gte": 0, "start_time": 0, "created": 0, "created_gt": 1}
_UNTIL: Final = {"created_lte": 0, "end_time": 0, "created": 0, "created_lt": 1}
"""The parameters that bound a list, and the milliseconds between them and what is still in it."""


def _translated(words: tuple[object, ...], meant: Mapping[str, object] | None) -> tuple[object, ...]:
    return words if meant is None else tuple(str(meant.get(str(word), word)) for word in words)
