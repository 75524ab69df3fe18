"""Arrays with very many values, in every place of a request that takes an array."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any, Final

import pytest
from marshmallow import validate

from mock_server.contract.kinds.objects import OneOrMany
from mock_server.contract.kinds.values import Flag, Instant, Whole
from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.contract.requests import listing
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.paging import Query
from tests.routes.good import GOOD, caller
from tests.wire import wire

MANY: Final = 1_000
EACH: Final = 3
"""How often a value may be compared; a look at each for each would be hundreds of times."""


def filters(row: Operation) -> Iterator[tuple[str, Any]]:
    """The filters of a list that take several values."""
    shape: Any = row.takes[0]
    for name, field in shape.of(INTERFACE).schema.load_fields.items():
        if isinstance(field, OneOrMany):
            yield name, field


def several(field: Any, many: int) -> list[Any]:
    """So many values of a kind, different ones if there are enough."""
    words = [rule.choices for rule in field.inner.validators if isinstance(rule, validate.OneOf)]
    if words:
        return list(islice(cycle(words[0]), many))
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
