"""Reporting: numbers, values to filter by, and the columns of CSV reports (facts §1.7; the columns are ours)."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Any, Final, NamedTuple

from mock_server.contract.answers.failure import failed
from mock_server.contract.answers.fields import AnswerShape, Field, Many, Several, each, itself
from mock_server.contract.answers.payment import ERROR
from mock_server.contract.answers.writing import fields_written, rows_of, write
from mock_server.contract.dialect import Dialect
from mock_server.contract.notation import FLAG, INSTANT, NUMBER, TEXT, WHOLE, many, maybe
from mock_server.domain.figures import METRICS, AskFigures, Bucket, Dimension, FigureSubject, Sums, dimensions, metrics
from mock_server.domain.report import ReportKind
from mock_server.domain.statuses import DisputeStage, DisputeStatus, PaymentStatus, RefundStatus


class _Shown(NamedTuple):
    """One bucket with all names of the subject; those that were not requested are null."""

    values: Mapping[str, object]
    span: tuple[int, int]
    start_at: int | None = None


def _total(name: str) -> str:
    return name if name.startswith("total_") else f"total_{name}"


_SPAN: Final[AnswerShape[tuple[int, int]]] = AnswerShape.inline(
    "TimeRange",
    Field("start_time", INSTANT, of=lambda span: span[0], nullable=False),
    Field("end_time", INSTANT, of=lambda span: span[1], nullable=False),
)
_NUMBERS: Final = dict.fromkeys(name for row in METRICS for name in row.figures)
_NAMES: Final = dict.fromkeys(name for subject in FigureSubject for name in dimensions(subject))
_BUCKET: Final[AnswerShape[_Shown]] = AnswerShape.inline(
    "FiguresBucket",
    Several(
        (*(Field(name, NUMBER) for name in _NUMBERS), *(Field(name, TEXT) for name in _NAMES)),
        lambda shown: shown.values,
    ),
    Field("time_range", _SPAN, of="span", nullable=False),
    Field("time_bucket", INSTANT, of="start_at"),
)
_TOTALS: Final[AnswerShape[_Shown]] = AnswerShape.inline(
    "FiguresTotals",
    Field("current_time_range", _SPAN, of="span", nullable=False),
    Several(tuple(Field(_total(name), NUMBER) for name in _NUMBERS), lambda shown: shown.values),
    about="Totals of one request.",
)
FIGURES: Final[AnswerShape[tuple[list[_Shown], list[_Shown]]]] = AnswerShape(
    "Figures",
    Field("queryData", Many(_BUCKET), of=lambda both: both[0], nullable=False),
    Field("metaData", Many(_TOTALS), of=lambda both: both[1], nullable=False),
    about="Metrics, in the order of the requests.",
)


def figures(computed: Sequence[tuple[AskFigures, Sequence[Bucket], Sums]], dialect: Dialect) -> object:
    """The buckets of all requests, and one object of totals for each."""
    shown = [_bucket(asked, bucket, dialect) for asked, buckets, _ in computed for bucket in buckets]
    totals = []
    for asked, _, sums in computed:
        named = ((name, of(sums)) for row in asked.metrics for name, of in row.figures.items())
        totals.append(_Shown({_total(name): value for name, value in named}, (asked.start_at, asked.end_at)))
    return write(FIGURES, (shown, totals), dialect)


def _bucket(asked: AskFigures, bucket: Bucket, dialect: Dialect) -> _Shown:
    named = {row.name: word(row, value, dialect) for row, value in zip(asked.group_by, bucket.values, strict=True)}
    known = (name for row in metrics(asked.subject).values() for name in row.figures)
    numbers = {name: of(bucket.sums) for row in asked.metrics for name, of in row.figures.items()}
    values = {**dict.fromkeys((*known, *dimensions(asked.subject))), **numbers, **named}
    span = asked.start_at, asked.end_at
    if bucket.start_at is not None and asked.granularity_ms is not None:
        span = bucket.start_at, bucket.start_at + asked.granularity_ms
    return _Shown(values, span, bucket.start_at)


_VALUES: Final[AnswerShape[tuple[str, Sequence[str | None]]]] = AnswerShape.inline(
    "DimensionValues",
    Field("dimension", TEXT, of=lambda pair: pair[0], nullable=False),
    Field("values", many(maybe(TEXT)), of=lambda pair: pair[1], nullable=False),
)
FILTER_VALUES: Final[AnswerShape[Sequence[tuple[str, Sequence[str | None]]]]] = AnswerShape(
    "FilterValues", Field("queryData", Many(_VALUES), of=itself, nullable=False)
)


def filters(found: Mapping[Dimension, Sequence[str]], dialect: Dialect) -> object:
    """The values that occur, by dimension."""
    pairs: list[tuple[str, list[str | None]]] = [
        (row.name, [word(row, value, dialect) for value in there]) for row, there in found.items()
    ]
    return write(FILTER_VALUES, pairs, dialect)


def word(row: Dimension, value: str | None, dialect: Dialect) -> str | None:
    """A dimension's value in the dialect's word."""
    return value if value is None or row.words is None else dialect.status_out(row.words(value))


# the columns of CSV reports, with amounts in minor units

_ROWS_AT_ONCE: Final = 200
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Beginnings of cells that spreadsheets read as formulas (OWASP, "CSV injection"), full width too."""


_TIMES: Final = each(INSTANT, "created_at", "modified_at")

REPORTS: Final[Mapping[ReportKind, AnswerShape[Any]]] = {
    ReportKind.PAYMENTS: AnswerShape(
        "PaymentsReport",
        *each(TEXT, "payment_id", "merchant_id", "profile_id", "customer_id"),
        Field("status", PaymentStatus),
        *each(WHOLE, "amount", "net_amount"),
        Field("currency", TEXT),
        Field("amount_received", WHOLE, of="captured_amount"),
        Field("amount_capturable", WHOLE),
        Field("amount_refunded", WHOLE, of="refunded_amount"),
        Field("amount_disputed", WHOLE, of="disputed_amount"),
        Field("capture_method", TEXT),
        Field("authentication_type", TEXT, of="authentication_shown"),
        *each(TEXT, "payment_method", "payment_method_type"),
        Field("card_network", TEXT, of="card.brand", given="card"),
        Field("card_last_4", TEXT, of="card.last4", given="card"),
        *each(TEXT, "connector", "connector_transaction_id"),
        Field("attempt_count", WHOLE, of="attempt_number"),
        *ERROR,
        *failed("error_reason"),
        Field("merchant_order_reference_id", TEXT),
        *_TIMES,
    ),
    ReportKind.REFUNDS: AnswerShape(
        "RefundsReport",
        *each(TEXT, "refund_id", "payment_id", "merchant_id", "profile_id"),
        Field("status", RefundStatus),
        Field("amount", WHOLE),
        *each(TEXT, "currency", "refund_type", "reason", "connector", "connector_refund_id"),
        *failed("error_code", "error_message", "error_reason"),
        *_TIMES,
    ),
    ReportKind.DISPUTE: AnswerShape(
        "DisputesReport",
        *each(TEXT, "dispute_id", "payment_id", "attempt_id", "merchant_id", "profile_id"),
        Field("dispute_stage", DisputeStage, of="stage"),
        Field("dispute_status", DisputeStatus, of="status"),
        Field("amount", WHOLE),
        *each(TEXT, "currency", "connector", "connector_dispute_id"),
        Field("connector_reason", TEXT, of="reason"),
        Field("connector_reason_code", TEXT, of="reason_code"),
        Field("challenge_required_by", INSTANT),
        Field("is_already_refunded", FLAG),
        *_TIMES,
    ),
}


def columns(kind: ReportKind, dialect: Dialect) -> list[str]:
    """The names of a report's columns."""
    return [row.field.name for row in rows_of(REPORTS[kind], dialect)]


def text(kind: ReportKind, records: Iterable[Any], dialect: Dialect) -> Iterator[str]:
    """The file, some rows at a time; lines end as RFC 4180 says."""
    buffer = StringIO()
    writer = csv.writer(buffer)
    writer.writerow(columns(kind, dialect))
    for number, record in enumerate(records, 1):
        writer.writerow([_cell(value) for value in fields_written(write(REPORTS[kind], record, dialect)).values()])
        if number % _ROWS_AT_ONCE == 0:
            yield _taken(buffer)
    yield _taken(buffer)


def _cell(value: object) -> object:
    """A value for a spreadsheet: no text from a caller becomes a formula (decision 0011)."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _taken(buffer: StringIO) -> str:
    written = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return written
