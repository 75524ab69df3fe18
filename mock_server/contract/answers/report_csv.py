"""The columns of CSV reports (ours: the public ones are not known, facts §1.7). Amounts in minor units."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import StringIO
from typing import Any, Final, NamedTuple

from mock_server.contract.answers import failure
from mock_server.contract.answers.fields import at, plain, word
from mock_server.contract.dialect import Dialect
from mock_server.domain.report import ReportKind

_ROWS_AT_ONCE: Final = 200
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a cell begins with that spreadsheets take for a formula (OWASP, "CSV injection"), full width too."""


class Column(NamedTuple):
    """One column of a file."""

    name: str
    of: Callable[[Any, Dialect], object]


def _plain(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, plain(name)) for name in names)


def _card(name: str) -> Callable[[Any, Dialect], object]:
    def of(record: Any, _: Dialect) -> object:
        return getattr(record.card, name) if record.card is not None else None

    return of


_ERROR: Final = (
    Column("error_code", lambda record, d: failure.code(record.failure)),
    Column("error_message", lambda record, d: failure.message(record.failure)),
    Column("error_reason", lambda record, d: record.failure.decline if record.failure else None),
)
_TIMES: Final = (Column("created_at", at("created_at")), Column("modified_at", at("modified_at")))

COLUMNS: Final[Mapping[ReportKind, tuple[Column, ...]]] = {
    ReportKind.PAYMENTS: (
        *_plain("payment_id", "merchant_id", "profile_id", "customer_id"),
        Column("status", word("status")),
        *_plain("amount", "net_amount", "currency"),
        Column("amount_received", plain("captured_amount")),
        *_plain("amount_capturable"),
        Column("amount_refunded", plain("refunded_amount")),
        Column("amount_disputed", plain("disputed_amount")),
        *_plain("capture_method"),
        Column("authentication_type", plain("authentication_shown")),
        *_plain("payment_method", "payment_method_type"),
        Column("card_network", _card("brand")),
        Column("card_last_4", _card("last4")),
        *_plain("connector", "connector_transaction_id"),
        Column("attempt_count", plain("attempt_number")),
        *_ERROR,
        *_plain("merchant_order_reference_id"),
        *_TIMES,
    ),
    ReportKind.REFUNDS: (
        *_plain("refund_id", "payment_id", "merchant_id", "profile_id"),
        Column("status", word("status")),
        *_plain("amount", "currency", "refund_type", "reason", "connector", "connector_refund_id"),
        *_ERROR,
        *_TIMES,
    ),
    ReportKind.DISPUTE: (
        *_plain("dispute_id", "payment_id", "attempt_id", "merchant_id", "profile_id"),
        Column("dispute_stage", word("stage")),
        Column("dispute_status", word("status")),
        *_plain("amount", "currency", "connector", "connector_dispute_id"),
        Column("connector_reason", plain("reason")),
        Column("connector_reason_code", plain("reason_code")),
        Column("challenge_required_by", at("challenge_required_by")),
        *_plain("is_already_refunded"),
        *_TIMES,
    ),
}


def text(kind: ReportKind, records: Iterable[Any], dialect: Dialect) -> Iterator[str]:
    """The file, some rows at a time; lines end as RFC 4180 says."""
    columns = COLUMNS[kind]
    buffer = StringIO()
    writer = csv.writer(buffer)
    writer.writerow([column.name for column in columns])
    for number, record in enumerate(records, 1):
        writer.writerow([_cell(column.of(record, dialect)) for column in columns])
        if number % _ROWS_AT_ONCE == 0:
            yield _taken(buffer)
    yield _taken(buffer)


def _cell(value: object) -> object:
    """A value as a spreadsheet shows it: no text of a caller's becomes a formula (decision 0017)."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _taken(buffer: StringIO) -> str:
    written = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return written
