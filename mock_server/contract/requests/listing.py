"""What every list can be asked: one page, between two instants, of what its filters let through (interface §8)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from mock_server.contract.kinds.base import FieldKind
from mock_server.contract.kinds.objects import Body
from mock_server.contract.kinds.values import Instant, Whole
from mock_server.contract.requests.shapes import Shape
from mock_server.domain import limits
from mock_server.domain.errors import Cause
from mock_server.domain.paging import DEFAULT_LIMIT, Query


def listing(
    filters: Mapping[str, FieldKind],
    names: Mapping[str, str],
    translate: Mapping[str, Mapping[str, object]] | None = None,
) -> Shape[Query]:
    """The shape of a list, for its body and its query alike; `filters` are fields by the engine's names.

    `names` gives the wire's name of a parameter by the engine's, where they differ. `translate` gives, by the engine's
    name of a filter, what its words mean where they mean another one.
    """
    meant: Mapping[str, Mapping[str, object]] = translate or {}

    fields = {**_paging(), **filters}
    schema = type("List", (Body,), {names.get(name, name): field for name, field in fields.items()})
    ours = {names.get(name, name): name for name in names}
    return Shape(schema, partial(_query, ours, meant), Cause.UNKNOWN_PARAMETER)


_TIME_RANGE = "facts §1.1.1"


def _paging() -> Mapping[str, Any]:
    least, most = int(limits.LIST_MIN), int(limits.LIST_MAX)
    source = "interface §8.1"
    at = "2026-01-31T09:05:00.000Z"
    return {
        "limit": Whole("Items to return.", least=least, most=most, rule="out_of_range", source=source, example=10),
        "offset": Whole("Items to skip.", least=0, most=int(limits.JSON_INTEGER), source=source, example=0),
        "created_gte": Instant("Only items created at or after this.", source=source, example=at),
        "created_lte": Instant("Only items created at or before this.", source=source, example=at),
        "start_time": Instant("Another name of `created_gte`.", source=_TIME_RANGE, example=at),
        "end_time": Instant("Another name of `created_lte`.", source=_TIME_RANGE, example=at),
    }


def _query(ours: Mapping[str, str], meant: Mapping[str, Mapping[str, object]], loaded: Mapping[str, Any]) -> Query:
    asked = {ours.get(name, name): value for name, value in loaded.items() if value is not None}
    limit = asked.pop("limit", DEFAULT_LIMIT)
    offset = asked.pop("offset", 0)
    since = [asked.pop(name) for name in ("created_gte", "start_time") if name in asked]
    until = [asked.pop(name) for name in ("created_lte", "end_time") if name in asked]
    filters = {name: _translated(value, meant.get(name)) for name, value in asked.items() if value}
    return Query(
        filters=filters,
        created_gte=max(since, default=None),
        created_lte=min(until, default=None),
        limit=limit,
        offset=offset,
    )


def _translated(words: tuple[object, ...], meant: Mapping[str, object] | None) -> tuple[object, ...]:
    return words if meant is None else tuple(str(meant.get(str(word), word)) for word in words)
