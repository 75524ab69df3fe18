"""Reporting: metrics, values to filter by, CSV reports (facts §1.7)."""

from __future__ import annotations

from typing import Final

from mock_server.api.binding import view
from mock_server.api.events import profile_of
from mock_server.contract.answers import reports as answers
from mock_server.contract.kinds.base import Loaded
from mock_server.contract.requests.analytics import named, of_profile, resolved
from mock_server.domain.figures import AskFigures, FigureSubject
from mock_server.domain.report import AskReport, ReportKind
from mock_server.engine import profiles, reports
from mock_server.http.binding import show
from mock_server.http.running import Answer, Call, run

PROFILE_LEVEL: Final = "/analytics/v1/profile/"


def _asked(call: Call, raw: Loaded, domain: str, index: str = "") -> AskFigures:
    """A request with its names looked up. Refused as `not_computed`, `object_unknown` (profile)."""
    found = resolved(raw, named(FigureSubject, "domain", domain), call.dialect, call.now, index)
    if not call.operation.path.startswith(PROFILE_LEVEL):
        return found
    profile_id = profile_of(call)
    run(call, profiles.retrieve, profile_id)
    return of_profile(found, profile_id)


@view("analytics.metrics")
def compute_metrics(call: Call, requests: tuple[Loaded, ...], domain: str) -> Answer:
    scan = call.workspace.space.scan
    wanted = [_asked(call, raw, domain, str(index)) for index, raw in enumerate(requests)]
    return show(answers.figures([(asked, *reports.compute(scan, asked)) for asked in wanted], call.dialect))


@view("analytics.filters")
def list_filters(call: Call, raw: Loaded, domain: str) -> Answer:
    return show(answers.filters(reports.values(call.workspace.space.scan, _asked(call, raw, domain)), call.dialect))


@view("analytics.report")
def request_report(call: Call, command: AskReport, report: str) -> Answer:
    kind = named(ReportKind, "report", report)
    profile_id = profile_of(call) if call.operation.path.startswith(PROFILE_LEVEL) else None
    run(call, reports.request, kind, profile_id, command)
    return show(None)
