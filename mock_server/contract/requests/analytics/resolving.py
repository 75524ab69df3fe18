"""From the names of a request to what is computed; what is not computed is refused by name (decisions)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from mock_server.contract.requests.analytics import RawFigures
from mock_server.domain import figures
from mock_server.domain.errors import Cause, FieldError, Refusal
from mock_server.domain.figures import GRANULARITIES, AskFigures, Dimension, FigureSubject
from mock_server.domain.report import ReportKind

E = TypeVar("E", FigureSubject, ReportKind)
Readings = Mapping[type, Mapping[str, object]]


def named(kind: type[E], what: str, word: str) -> E:
    """The member of an enum that a path names. Refused as `not_computed`."""
    try:
        return kind(word)
    except ValueError:
        raise _not_computed(what, word, tuple(kind), what) from None


def resolved(raw: RawFigures, subject: FigureSubject, readings: Readings, now: int, place: str = "") -> AskFigures:
    """A request in the engine's words; `place` is where it stands in an array.

    Refused as `not_computed`, and as `value_invalid` for a status that the dialect does not have.
    """
    dimensions, metrics = figures.dimensions(subject), figures.metrics(subject)
    at = f"{place}." if place else ""
    if raw.delta:
        raise _not_computed("option", "delta", (), f"{at}delta")
    end_at = now if raw.end_at is None else raw.end_at
    if end_at < raw.start_at:
        raise Refusal.of_fields([FieldError(f"{at}timeRange.endTime", "must not lie before timeRange.startTime")])
    return AskFigures(
        subject=subject,
        start_at=raw.start_at,
        end_at=end_at,
        granularity_ms=_granularity(raw, at),
        group_by=tuple(_known("dimension", name, dimensions, f"{at}groupByNames") for name in raw.group_by),
        filters=tuple(
            (row, _meant(row, raw.filters[name], readings, f"{at}filters.{name}"))
            for name in raw.filters
            if (row := _known("filter", name, dimensions, f"{at}filters.{name}"))
        ),
        metrics=tuple(_known("metric", name, metrics, f"{at}metrics") for name in raw.metrics),
    )


def of_profile(asked: AskFigures, profile_id: str) -> AskFigures:
    """The same, of one profile alone."""
    row = figures.dimensions(asked.subject)["profile_id"]
    return asked._replace(filters=(*asked.filters, (row, frozenset((profile_id,)))))


def _granularity(raw: RawFigures, at: str) -> int | None:
    if raw.granularity is None:
        return None
    found: int = _known("granularity", raw.granularity, GRANULARITIES, f"{at}timeSeries.granularity")
    return found


def _known(kind: str, name: str, table: Mapping[str, Any], field: str) -> Any:
    row = table.get(name)
    if row is None:
        raise _not_computed(kind, name, table, field)
    return row


def _meant(row: Dimension, words: tuple[str, ...], readings: Readings, field: str) -> frozenset[str]:
    """Values as the records hold them."""
    if row.words is None:
        return frozenset(words)
    known = readings[row.words]
    for word in words:
        if word not in known:
            raise Refusal.of_fields([FieldError(field, f"must be one of {', '.join(known)}")])
    return frozenset(str(known[word]) for word in words)


def _not_computed(kind: str, name: str, offered: Iterable[str], field: str) -> Refusal:
    return Refusal(
        Cause.NOT_COMPUTED,
        kind=kind,
        name=name,
        offered=tuple(offered),
        fields=(FieldError(field, "is not computed here", Cause.NOT_COMPUTED),),
    )
