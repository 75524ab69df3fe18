"""Metrics and filter values of a time range, and CSV reports: requested, sent, fetched (facts §1.7)."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from mock_server.domain import report as reports
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.figures import AskFigures, Bucket, Dimension, FigureSubject, Sums, summed
from mock_server.domain.instants import HOUR_MS, iso_date
from mock_server.domain.limits import REPORT_LINK_MS, REPORT_ROWS
from mock_server.domain.paging import Query
from mock_server.engine import profiles
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import DISPUTES, PAYMENTS, REFUNDS, REPORTS
from mock_server.engine.listing import drop_expired
from mock_server.store.protocol import RecordKind
from mock_server.store.transaction import Transaction

Scan = Callable[[RecordKind[Any], Query], Iterator[Any]]

KIND_OF: Final[Mapping[FigureSubject, RecordKind[Any]]] = {
    FigureSubject.PAYMENTS: PAYMENTS,
    FigureSubject.REFUNDS: REFUNDS,
    FigureSubject.DISPUTES: DISPUTES,
}


def compute(scan: Scan, asked: AskFigures) -> tuple[tuple[Bucket, ...], Sums]:
    """The buckets of a request, and the sums of all of them."""
    return summed(asked, scan(KIND_OF[asked.subject], _query(asked)))


def values(scan: Scan, asked: AskFigures) -> Mapping[Dimension, tuple[str, ...]]:
    """The sorted values of each dimension that occur."""
    found: dict[Dimension, set[str]] = {dimension: set() for dimension in asked.group_by}
    for record in scan(KIND_OF[asked.subject], _query(asked)):
        if all(dimension.of(record) in wanted for dimension, wanted in asked.filters):
            for dimension, there in found.items():
                value = dimension.of(record)
                if value is not None:
                    there.add(value)
    return {dimension: tuple(sorted(there)) for dimension, there in found.items()}


def _query(asked: AskFigures) -> Query:
    """The records that a request may need, as far as the indexes can tell."""
    narrowed = {row.indexed: tuple(wanted) for row, wanted in asked.filters if row.indexed is not None}
    return Query(filters=narrowed, created_gte=asked.start_at, created_lte=asked.end_at)


def request(
    tx: Transaction, context: CommandContext, kind: reports.ReportKind, profile_id: str | None, asked: reports.AskReport
) -> reports.Report:
    """Accepts a request for a report. Refused as `object_unknown` (profile), `value_invalid`, `report_too_large`."""
    if profile_id is not None:
        profiles.find(tx, profile_id)
    end_at = reports.end_of(asked.start_at, asked.end_at, context.now)
    drop_expired(tx, REPORTS, context.now)
    report = reports.Report(
        report_id=context.new_id(tx, "report"),
        merchant_id=context.merchant_id,
        kind=kind,
        start_at=asked.start_at,
        end_at=end_at,
        created_at=context.now,
        expires_at=context.now + REPORT_LINK_MS,
        token=context.token(tx, "report_token", 40),
        link_base=context.link_base,
        profile_id=profile_id,
        return_url=asked.return_url,
    )
    if _is_too_large(tx, report):
        raise Refusal(Cause.REPORT_TOO_LARGE, limit=REPORT_ROWS)
    if report.return_url is not None:
        tx.schedule(context.now, reports.DELIVER_REPORT, report.report_id)
    return tx.put(REPORTS, report)


def _is_too_large(tx: Transaction, report: reports.Report) -> bool:
    return tx.count(KIND_OF[report.kind.subject], query_of(report)) > REPORT_ROWS


def query_of(report: reports.Report) -> Query:
    """The query for a report's records, the oldest first."""
    filters = {} if report.profile_id is None else {"profile_id": (report.profile_id,)}
    return Query(filters=filters, created_gte=report.start_at, created_lte=report.end_at, ascending=True)


def fetch(tx: Transaction, report_id: str, token: str, now: int) -> reports.Report | None:
    """The report of a link, if it is this workspace's. Refused as `link_over`."""
    report = tx.get(REPORTS, report_id)
    if report is None or not hmac.compare_digest(report.token.encode(), token.encode("utf-8", "replace")):
        return None
    if now >= report.expires_at:
        raise Refusal(Cause.LINK_OVER)
    return report


def records(scan: Scan, report: reports.Report) -> Iterator[Any]:
    """The records of a report as they are now, up to the limit of a file."""
    return islice(scan(KIND_OF[report.kind.subject], query_of(report)), REPORT_ROWS)


def notice(tx: Transaction, report_id: str) -> reports.ReportNotice | None:
    """What is to be sent for a `deliver_report` entry; None without a report, or an address for it.

    The key is that of the report's profile, else of the merchant's default profile.
    """
    report = tx.get(REPORTS, report_id)
    if report is None or report.return_url is None:
        return None
    whose = {
        "org_id": reports.organization_of(report.merchant_id, tx.fact(reports.ORGANIZATION)),
        "merchant_id": report.merchant_id,
    }
    body: dict[str, object]
    if _is_too_large(tx, report):
        message = f"The report would have more than {REPORT_ROWS} rows; ask for a shorter time range."
        # The key is `event` here, as the public API has it (facts §1.7).
        body = {"event": "report_generation.failed", **whose, "data": {"code": "IR_16", "message": message}}
    else:
        data = {
            "report_type": report.kind.told_as,
            "start_date_utc": iso_date(report.start_at),
            "end_date_utc": iso_date(report.end_at),
            "download_url": report.download_url,
            "expires_in_hours": REPORT_LINK_MS // HOUR_MS,
        }
        body = {"event_type": "report_generation.completed", "status": "success", **whose, "data": data}
    profile = profiles.look_up(tx, report.profile_id)
    return reports.ReportNotice(report.return_url, profile.payment_response_hash_key if profile else None, body)
