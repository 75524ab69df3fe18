"""The requests of reporting: metrics, filter values, CSV reports (facts §1.7)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from mock_server.contract.requests.load import Shape
from mock_server.contract.requests.many import Many
from mock_server.domain.report import AskReport

Loaded = Mapping[str, Any]
MOST_REQUESTS: Final = 10


class RawFigures(NamedTuple):
    """A request for numbers before its names were looked up; instants in ms."""

    start_at: int
    filters: Mapping[str, tuple[str, ...]]
    end_at: int | None = None
    granularity: str | None = None
    group_by: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    delta: bool = False


def _body(name: str) -> Any:
    from mock_server.contract.requests.analytics import bodies

    return getattr(bodies, name)()


def _figures(loaded: Loaded) -> RawFigures:
    time, series = loaded["timeRange"], loaded.get("timeSeries")
    return RawFigures(
        start_at=time["startTime"],
        end_at=time.get("endTime"),
        granularity=series["granularity"] if series else None,
        group_by=tuple(dict.fromkeys(loaded.get("groupByNames") or ())),
        filters=loaded.get("filters") or {},
        metrics=tuple(dict.fromkeys(loaded.get("metrics") or ())),
        delta=loaded.get("delta") or False,
    )


def _report(loaded: Loaded) -> AskReport:
    time = loaded["timeRange"]
    return AskReport(start_at=time["startTime"], end_at=time.get("endTime"), return_url=loaded.get("returnUrl"))


METRICS: Final[Many[RawFigures]] = Many(Shape(partial(_body, "MetricsBody"), _figures), MOST_REQUESTS)
FILTERS: Final[Shape[RawFigures]] = Shape(partial(_body, "FiltersBody"), _figures)
REPORT: Final[Shape[AskReport]] = Shape(partial(_body, "ReportBody"), _report)
