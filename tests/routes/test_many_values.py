"""Arrays with very many values, in every place of a request that takes an array."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import cycle, islice
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.kinds.objects import Items, ObjectOf, OneOrMany, Variant
from mock_server.contract.kinds.texts import Choice
from mock_server.contract.kinds.values import Flag, Instant, Whole
from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.contract.requests import listing
from mock_server.contract.requests.shapes import Many
from mock_server.dialects.interface import INTERFACE
from mock_server.domain import limits
from mock_server.domain.paging import Query
from tests.routes.good import GOOD, Good, caller
from tests.routes.hostile import control
from tests.wire import Wire, wire

MANY: Final = 1_000
EACH: Final = 3
"""How often a value may be compared; a look at each for each would be hundreds of times."""


def filters(row: Operation, where: int = 0) -> Iterator[tuple[str, Any]]:
    """The filters of a list that take several values, in its body or (1) its query."""
    shape: Any = row.takes[where]
    for name, field in shape.of(INTERFACE).schema.load_fields.items():
        if isinstance(field, OneOrMany):
            yield name, field


def several(field: Any, many: int) -> list[Any]:
    """So many values of a kind, different ones if there are enough."""
    if isinstance(field.inner, Choice):
        return list(islice(cycle(field.inner.words), many))
    if isinstance(field.inner, Flag):
        return list(islice(cycle((True, False)), many))
    if isinstance(field.inner, Whole):
        return list(range(1, many + 1))
    if isinstance(field.inner, Instant):
        return [f"2026-01-01T00:00:00.{at % 1000:03}Z" for at in range(many)]
    return [f"value_{at}@example.com" if "mail" in field.about else f"value_{at}" for at in range(many)]


class Counts(list[None]):
    """One item for each comparison of the values that it has made."""

    def of(self, value: object) -> object:
        """The same value, whose comparisons are counted; a flag has only two."""
        if not isinstance(value, str | int) or isinstance(value, bool):
            return value
        kind: Any = int if isinstance(value, int) else str

        def same(one: object, other: object) -> bool:
            self.append(None)
            return bool(kind.__eq__(one, other))

        return type("Counted", (kind,), {"__eq__": same, "__hash__": kind.__hash__})(value)


LISTS: Final = [
    pytest.param(row, name, field, id=f"{row.name} {name}")
    for row in {row.name: row for row in OPERATIONS if row.lists and row.reads_body(row.method)}.values()
    for name, field in filters(row)
]


@pytest.mark.parametrize(("row", "name", "field"), LISTS)
def test_no_value_of_a_filter_is_compared_with_all_others(
    monkeypatch: pytest.MonkeyPatch, row: Operation, name: str, field: OneOrMany
) -> None:
    api, counts = wire(), Counts()
    good = GOOD[row.name](api)

    def counting(filters: dict[str, tuple[object, ...]], **more: Any) -> Query:
        return Query(filters={name: tuple(map(counts.of, values)) for name, values in filters.items()}, **more)

    monkeypatch.setattr(listing, "Query", counting)
    reply = good.sent(caller(api, row), row, **{name: several(field, MANY)})
    assert reply.status == 200, reply.raw
    assert len(counts) <= EACH * MANY


def called(row: Operation) -> tuple[Good, Wire]:
    """A good call of an operation, with its client_secret only where its caller needs it, and who makes it."""
    api = wire()
    if row.name not in GOOD:
        return control(api, row), api
    good, client = GOOD[row.name](api), caller(api, row)
    return (replace(good, secret=None) if client is api else good), client


Put = Callable[[Any], Any]
"""Makes the body with a value in one place."""


def arrays(fields: Mapping[str, Any], put: Put, path: str = "") -> Iterator[tuple[str, Put]]:
    """The place of every array in these fields, also within others."""
    for name, field in fields.items():
        yield from _within(field, _under(put, name), f"{path}{name}")


def _under(put: Put, name: str) -> Put:
    return lambda value: put({name: value})


def _beside(put: Put, fields: Mapping[str, str]) -> Put:
    return lambda value: put({**fields, **value})


def _within(field: Any, put: Put, path: str) -> Iterator[tuple[str, Put]]:
    if isinstance(field, Items):
        yield path, put
        yield from _within(field.inner, lambda value: put([value]), f"{path}.0")
    elif isinstance(field, Variant):
        for word in field.variants:
            said = {field.on: word}
            yield from arrays(field.schema_for(said).load_fields, _beside(put, said), f"{path}.")
    elif isinstance(field, ObjectOf):
        yield from arrays(field.schema.load_fields, put, f"{path}.")


def places(row: Operation) -> Iterator[tuple[str, Put]]:
    """Every array of an operation's body."""
    shape: Any = row.takes[0]
    shape = shape and shape.of(INTERFACE)
    if isinstance(shape, Many):
        yield from arrays(shape.one.schema.load_fields, lambda value: [value], "0.")
    elif shape is not None and not row.multipart:
        yield from arrays(shape.schema.load_fields, lambda value: value)


ARRAYS: Final = [
    pytest.param(row, path, put, id=f"{row.name} {path}")
    for row in {row.name: row for row in (*OPERATIONS, *CONTROL_OPERATIONS) if row.reads_body(row.method)}.values()
    for path, put in places(row)
]


@pytest.mark.parametrize(("row", "path", "put"), ARRAYS)
def test_no_array_has_more_items_than_the_limit(row: Operation, path: str, put: Put) -> None:
    good, client = called(row)
    for many in (limits.ITEMS, limits.ITEMS + 1):
        body = put([None] * many)
        body = body if good.secret is None else {**body, "client_secret": good.secret}
        reply = client.call(row.method, good.path(row), body, headers=dict(good.headers))
        too_many = f"must have at most {limits.ITEMS} items, not {many}"
        said = {one["field"]: one["message"] for one in reply.error.get("fields", ())}
        assert (said.get(path, "") == too_many) is (many > limits.ITEMS), reply.raw


QUERIES: Final = [
    pytest.param(row, name, field, id=f"{row.name} {name}")
    for row in {row.name: row for row in OPERATIONS if row.method == "GET" and row.takes[1]}.values()
    for name, field in filters(row, 1)
]


@pytest.mark.parametrize(("row", "name", "field"), QUERIES)
def test_no_parameter_is_repeated_more_often_than_the_limit(row: Operation, name: str, field: OneOrMany) -> None:
    good, client = called(row)
    value = several(field, 1)[0]
    said = [(name, "true" if value is True else value)] * (limits.ITEMS + 1)
    query = urlencode([*said, *([("client_secret", good.secret)] if good.secret else [])])
    reply = client.call("GET", f"{good.path(row)}?{query}", headers=dict(good.headers))
    assert f"at most {limits.ITEMS} items" in reply.error["message"]
