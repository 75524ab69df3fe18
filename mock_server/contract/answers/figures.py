"""Metrics and filter values as answers show them (facts §1.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mock_server.contract.dialect import Dialect
from mock_server.domain import figures
from mock_server.domain.figures import AskFigures, Bucket, Dimension, Sums
from mock_server.domain.instants import iso

Computed = tuple[AskFigures, Sequence[Bucket], Sums]


def metrics(computed: Sequence[Computed], dialect: Dialect) -> dict[str, object]:
    """The buckets of all requests, and one object of totals for each."""
    return {
        "queryData": [_bucket(asked, bucket, dialect) for asked, buckets, _ in computed for bucket in buckets],
        "metaData": [_totals(asked, sums) for asked, _, sums in computed],
    }


def _bucket(asked: AskFigures, bucket: Bucket, dialect: Dialect) -> dict[str, object]:
    """All names of the subject, null where they were not asked for."""
    named = {row.name: word(row, value, dialect) for row, value in zip(asked.group_by, bucket.values, strict=True)}
    start, end = _time(asked, bucket)
    return {
        **_numbers(asked, bucket.sums),
        **dict.fromkeys(figures.dimensions(asked.subject)),
        **named,
        "time_range": {"start_time": iso(start), "end_time": iso(end)},
        "time_bucket": None if bucket.start_at is None else iso(bucket.start_at),
    }


def _time(asked: AskFigures, bucket: Bucket) -> tuple[int, int]:
    if bucket.start_at is None or asked.granularity_ms is None:
        return asked.start_at, asked.end_at
    return bucket.start_at, bucket.start_at + asked.granularity_ms


def _numbers(asked: AskFigures, sums: Sums) -> dict[str, object]:
    known: dict[str, object] = {
        figure.name: None for row in figures.metrics(asked.subject).values() for figure in row.figures
    }
    known.update((figure.name, figure.of(sums)) for row in asked.metrics for figure in row.figures)
    return known


def _totals(asked: AskFigures, sums: Sums) -> dict[str, object]:
    totals = {_total(figure.name): figure.of(sums) for row in asked.metrics for figure in row.figures}
    return {"current_time_range": {"start_time": iso(asked.start_at), "end_time": iso(asked.end_at)}, **totals}


def _total(name: str) -> str:
    return name if name.startswith("total_") else f"total_{name}"


def filters(found: Mapping[Dimension, Sequence[str]], dialect: Dialect) -> dict[str, object]:
    """The values that occur, by dimension."""
    data = [{"dimension": row.name, "values": [word(row, v, dialect) for v in there]} for row, there in found.items()]
    return {"queryData": data}


def word(row: Dimension, value: str | None, dialect: Dialect) -> str | None:
    """A dimension's value in the dialect's word."""
    return value if value is None or row.words is None else dialect.status_out(row.words(value))
