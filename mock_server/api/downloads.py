"""What browsers fetch or send without a key: files by a link, the configuration and the log of a checkout's script.

The log belongs to no workspace, and nothing of it is stored (facts §1.7; what a script reads is ours).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from mock_server.contract.answers.offered import SCRIPT_CONFIG
from mock_server.contract.answers.reports import text
from mock_server.contract.operation import Operation
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.offers import AskOffer
from mock_server.domain.report import Report
from mock_server.engine import reports
from mock_server.engine.kinds import REPORTS
from mock_server.engine.vault import offers
from mock_server.http.asked import param
from mock_server.http.authenticate import SECRET
from mock_server.http.binding import show, show_as
from mock_server.http.errors import answer_refusal
from mock_server.http.express import AnswerStream, PageView, serve, unknown
from mock_server.http.observe import stray_headers
from mock_server.http.pipeline import staged
from mock_server.http.running import NO_STORE, Answer, Environ, run
from mock_server.sandbox import Sandbox, Workspace

TYPE: Final = "text/csv; charset=utf-8"


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
    headers = (("Content-Disposition", f'attachment; filename="{name}"'), NO_STORE, ("Content-Type", TYPE))
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


LOGS: Final = "sdk.logs"
CONFIG: Final = Operation(
    "sdk.config", "GET", "/v1/sdk/configs/<platform>/sdk_config.json", frozenset((KeyKind.SECRET, KeyKind.PUBLISHABLE)),
    False, "List the fields that a script draws for each method.", "configuration", "ours", without_secret=True,
)  # fmt: skip
_EMPTY: Final[dict[str, object]] = {"raw_configs": {}, "payment_methods": [], "account_config": {}, "context_used": {}}
"""The configuration for a call without a key, which is enough for cards and redirects."""

_CONFIGURED: Final = staged(
    CONFIG, lambda call: show_as(call, SCRIPT_CONFIG, run(call, offers.offering, AskOffer(call.query.get(SECRET))))
)
"""The configuration for the payment of a client_secret; without one, for the default profile."""


def views(sandbox: Sandbox) -> Mapping[str, PageView]:
    """The views of the links, the log and the configuration."""

    def answered(answer: Answer) -> Answer:
        return answer.with_headers(*stray_headers(sandbox))

    def log(environ: Environ) -> Answer:
        sandbox.counts.call(LOGS, 204, 0.0)
        return answered(Answer(204, b""))

    def config(environ: Environ, platform: str) -> Answer:
        if "HTTP_API_KEY" in environ or "HTTP_AUTHORIZATION" in environ:
            return serve(sandbox, CONFIG, _CONFIGURED, environ, {"platform": platform})
        return answered(show(_EMPTY))

    return {"report": partial(_served, sandbox), "log": log, "config": config}
