"""A report of a merchant's records as a CSV file, made on request and fetched by a link (facts §1.7)."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Final, NamedTuple

from mock_server.domain.errors import wrong_field
from mock_server.domain.figures import FigureSubject
from mock_server.domain.instants import Instant
from mock_server.domain.records import Record

DELIVER_REPORT: Final = "deliver_report"
"""The scheduled event that sends a report's webhook; its subject is the report."""
ORGANIZATION: Final = "organization"
"""The fact with the ID of the merchant's organization, if a call set one."""


class ReportKind(StrEnum):
    """What a report is about, as in its path; `dispute` is singular there."""

    PAYMENTS = "payments"
    REFUNDS = "refunds"
    DISPUTE = "dispute"

    @property
    def subject(self) -> FigureSubject:
        """What its rows are about."""
        return FigureSubject.DISPUTES if self is ReportKind.DISPUTE else FigureSubject(self.value)

    @property
    def told_as(self) -> str:
        """Its name in the webhook."""
        return f"{self.value.removesuffix('s')}_report"


class AskReport(NamedTuple):
    """A request for a report: instants in ms, both included; no end means now."""

    start_at: int
    end_at: int | None = None
    return_url: str | None = None


class Report(Record, frozen=True, kw_only=True):
    """A report; its rows are read when it is fetched. `token` opens its link until `expires_at`."""

    HIDDEN: ClassVar = frozenset({"token"})

    report_id: str
    merchant_id: str
    kind: ReportKind
    start_at: Instant
    end_at: Instant
    created_at: Instant
    expires_at: Instant
    token: str
    link_base: str
    profile_id: str | None = None
    return_url: str | None = None

    @property
    def download_url(self) -> str:
        """The file's URL."""
        return f"{self.link_base}/_sandbox/downloads/{self.merchant_id}/{self.report_id}.csv?token={self.token}"


class ReportNotice(NamedTuple):
    """The webhook when a report is ready or could not be made; signed with the `key` of its profile (facts §1.7)."""

    url: str
    key: str | None
    body: dict[str, object]


def organization_of(merchant_id: str, named: str | None) -> str:
    """The ID of a merchant's organization: as it was set, else its own (ours)."""
    return named or f"org_{merchant_id.removeprefix('mer_')}"


def end_of(start_at: int, end_at: int | None, now: int, at: str = "") -> int:
    """The end of a time range: now, if none was sent. Refused as `value_invalid` if it is before the start."""
    blamed, why = ("startTime", "after now") if end_at is None else ("endTime", "before timeRange.startTime")
    if (end := now if end_at is None else end_at) < start_at:
        raise wrong_field(f"{at}timeRange.{blamed}", f"must not be {why}")
    return end
