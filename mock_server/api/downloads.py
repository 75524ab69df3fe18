"""Files that are fetched by a link, without a key (facts §1.7)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from mock_server.contract.answers.reports import text
from mock_server.domain.errors import Cause, Refusal
from mock_server.engine import reports
from mock_server.engine.kinds import REPORTS
from mock_server.http.asked import param
from mock_server.http.errors import answer_refusal
from mock_server.http.express import AnswerStream, unknown

if TYPE_CHECKING:
    from mock_server.domain.report import Report
    from mock_server.http.express import PageView
    from mock_server.http.running import Answer, Environ
    from mock_server.sandbox import Sandbox, Workspace

TYPE: Final = "text/csv; charset=utf-8"


def views(sandbox: Sandbox) -> Mapping[str, PageView]:
    """The view of the links."""
    return {"report": partial(_served, sandbox)}


def _served(sandbox: Sandbox, environ: Environ, merchant_id: str, name: str) -> Answer | AnswerStream:
    """A report's file, made while it is sent."""
    report_id = name.removesuffix(".csv")
    if report_id in ("", name):
        raise unknown(environ)
    try:
        workspace, report = _found(sandbox, merchant_id, report_id, param(environ, "token") or "")
    except Refusal as refusal:
        return answer_refusal(sandbox.dialect, refusal)
    rows = reports.records(workspace.space.scan, report)
    name = f"{report.kind.told_as}_{name}"
    shown_as = ("Content-Disposition", f'attachment; filename="{name}"')
    headers = (shown_as, ("Cache-Control", "no-store"), ("Content-Type", TYPE))
    return AnswerStream(headers, map(str.encode, text(report.kind, rows, workspace.dialect)))


def _found(sandbox: Sandbox, merchant_id: str, report_id: str, token: str) -> tuple[Workspace, Report]:
    """The report of a link; of restored workspaces with the same merchant ID, the newest with this report counts.

    Refused as `link_unknown`, `link_over`.
    """
    for workspace in sandbox.workspaces_of(merchant_id, (REPORTS, report_id)):
        report = workspace.space.transact(
            partial(reports.fetch, report_id=report_id, token=token, now=workspace.catch_up())
        )
        if report is not None:
            return workspace, report
    raise Refusal(Cause.LINK_UNKNOWN)
