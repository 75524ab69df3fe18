"""Metrics and filter values, by one pass over the records of a time (facts §1.7).

The pass runs over the records as they stand when it begins, with no lock held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from mock_server.domain.figures import AskFigures, Bucket, Dimension, Subject, Sums, dimensions, summed
from mock_server.domain.paging import Query
from mock_server.engine.kinds import DISPUTES, PAYMENTS, REFUNDS
from mock_server.store.protocol import Kind

Scan = Callable[[Kind[Any], Query], Iterator[Any]]

KIND_OF: Final[Mapping[Subject, Kind[Any]]] = {
    Subject.PAYMENTS: PAYMENTS,
    Subject.REFUNDS: REFUNDS,
    Subject.DISPUTES: DISPUTES,
}


def compute(scan: Scan, asked: AskFigures) -> tuple[tuple[Bucket, ...], Sums]:
    """The buckets of a request, and the sums of all of them."""
    return summed(asked, scan(KIND_OF[asked.subject], _query(asked)))


def with_dimensions(asked: AskFigures) -> AskFigures:
    """A request for filter values: of all dimensions where it names none."""
    return asked if asked.group_by else asked._replace(group_by=tuple(dimensions(asked.subject).values()))


def values(scan: Scan, asked: AskFigures) -> Mapping[Dimension, tuple[str, ...]]:
    """The values that occur of each dimension, in their own order."""
    found: dict[Dimension, set[str]] = {dimension: set() for dimension in asked.group_by}
    for record in scan(KIND_OF[asked.subject], _query(asked)):
        if all(dimension.of(record) in wanted for dimension, wanted in asked.filters):
            for dimension, there in found.items():
                value = dimension.of(record)
                if value is not None:
                    there.add(value)
    return {dimension: tuple(sorted(there)) for dimension, there in found.items()}


def _query(asked: AskFigures) -> Query:
    """What the indexes can narrow the pass down to."""
    narrowed = {row.indexed: tuple(wanted) for row, wanted in asked.filters if row.indexed is not None}
    return Query(filters=narrowed, created_gte=asked.start_at, created_lte=asked.end_at)
