"""Analytics: dimensions, metrics, and how each is computed (facts §1.7).

A payment is a success when it is `succeeded` or `partially_captured`: the money came, and nothing is open. Processed is
what such payments received. Rates are percentages. Sums are minor units of all currencies together; group or filter by
`currency` to separate them (ours).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from mock_server.domain.instants import DAY_MS, HOUR_MS, MINUTE_MS
from mock_server.domain.methods import MEANT
from mock_server.domain.statuses import DisputeStage, DisputeStatus, PaymentStatus, RefundStatus

_F: Final = "facts §1.7"
SUCCESS: Final = frozenset((PaymentStatus.SUCCEEDED, PaymentStatus.PARTIALLY_CAPTURED))


class FigureSubject(StrEnum):
    """What is counted."""

    PAYMENTS = "payments"
    REFUNDS = "refunds"
    DISPUTES = "disputes"


class Dimension(NamedTuple):
    """A field by which records are grouped and filtered.

    `indexed` names the store's index that has this value; `words` is the enum of its values, and
    `meant` tells what a word of a filter means.
    """

    subject: FigureSubject
    name: str
    of: Callable[[Any], str | None]
    indexed: str | None = None
    words: type[StrEnum] | None = None
    source: str = _F
    meant: Callable[[str], str] = str


def _plain(name: str) -> Callable[[Any], str | None]:
    def of(record: Any) -> str | None:
        value = getattr(record, name)
        return None if value is None else str(value)

    return of


_P, _R, _D = FigureSubject.PAYMENTS, FigureSubject.REFUNDS, FigureSubject.DISPUTES

DIMENSIONS: Final = (
    Dimension(_P, "connector", _plain("connector"), "connector"),
    Dimension(_P, "payment_method", _plain("payment_method"), meant=MEANT),
    Dimension(_P, "payment_method_type", _plain("payment_method_type"), "payment_method_type", meant=MEANT),
    Dimension(_P, "currency", _plain("currency"), "currency"),
    Dimension(_P, "authentication_type", _plain("authentication_shown"), "authentication_type"),
    Dimension(_P, "status", _plain("status"), "status", PaymentStatus),
    Dimension(_P, "profile_id", _plain("profile_id"), "profile_id"),
    Dimension(_P, "card_network", lambda payment: payment.card.brand if payment.card else None, "card_network"),
    Dimension(_P, "card_last_4", lambda payment: payment.card.last4 if payment.card else None),
    Dimension(_P, "error_reason", lambda payment: payment.failure.decline if payment.failure else None),
    Dimension(_R, "connector", _plain("connector"), "connector"),
    Dimension(_R, "currency", _plain("currency"), "currency"),
    Dimension(_R, "refund_status", _plain("status"), "status", RefundStatus),
    Dimension(_R, "refund_type", _plain("refund_type")),
    Dimension(_R, "refund_reason", _plain("reason")),
    Dimension(_R, "refund_error_message", lambda refund: refund.failure.error_message if refund.failure else None),
    Dimension(_R, "profile_id", _plain("profile_id"), "profile_id"),
    Dimension(_D, "connector", _plain("connector"), "connector"),
    Dimension(_D, "currency", _plain("currency"), "currency"),
    Dimension(_D, "dispute_stage", _plain("stage"), "stage", DisputeStage),
    Dimension(_D, "dispute_status", _plain("status"), "status", DisputeStatus, "ours"),
    Dimension(_D, "profile_id", _plain("profile_id"), "profile_id", None, "ours"),
)


Sums = Counter[str]
"""The sums of some records, by name."""

ADDENDS: Final[Mapping[FigureSubject, Mapping[str, Callable[[Any], int]]]] = {
    FigureSubject.PAYMENTS: {
        "count": lambda payment: 1,
        "retries": lambda payment: payment.attempt_number - 1,
        "connected": lambda payment: payment.connector is not None,
        "failed": lambda payment: payment.status is PaymentStatus.FAILED,
        "successes": lambda payment: payment.status in SUCCESS,
        "amount": lambda payment: payment.captured_amount if payment.status in SUCCESS else 0,
    },
    FigureSubject.REFUNDS: {
        "count": lambda refund: 1,
        "successes": lambda refund: refund.status is RefundStatus.SUCCEEDED,
        "amount": lambda refund: refund.amount if refund.status is RefundStatus.SUCCEEDED else 0,
    },
    FigureSubject.DISPUTES: {
        "count": lambda dispute: 1,
        "amount": lambda dispute: dispute.amount,
        "challenged": lambda dispute: dispute.status is DisputeStatus.CHALLENGED,
        "won": lambda dispute: dispute.status is DisputeStatus.WON,
        "lost": lambda dispute: dispute.status is DisputeStatus.LOST,
        "lost_amount": lambda dispute: dispute.amount if dispute.status is DisputeStatus.LOST else 0,
    },
}
"""What each record adds to the sums."""

Number = int | float | None


def _ratio(part: int, whole: int) -> Number:
    """A part of a whole; None of nothing. Whole numbers are integers, as JavaScript would write them."""
    if not whole:
        return None
    exact, rest = divmod(part, whole)
    return exact if not rest else part / whole


class FigureGroup(NamedTuple):
    """One metric that can be requested, with its numbers by their names in a bucket."""

    subject: FigureSubject
    name: str
    figures: Mapping[str, Callable[[Sums], Number]]
    about: str
    source: str = _F


def _metric(
    subject: FigureSubject, name: str, of: Callable[[Sums], Number], about: str, field: str = ""
) -> FigureGroup:
    return FigureGroup(subject, name, {field or name: of}, about)


_AMONG_CONFIRMED: Final = "Share of successes among confirmed payments."
METRICS: Final = (
    _metric(_P, "payment_count", lambda s: s["count"], "Number of payments."),
    _metric(_P, "payment_success_count", lambda s: s["successes"], "Number of successful payments."),
    _metric(_P, "payment_success_rate", lambda s: _ratio(100 * s["successes"], s["count"]), "Share of successes."),
    _metric(_P, "payment_processed_amount", lambda s: s["amount"], "Total amount received by successful payments."),
    _metric(
        _P, "avg_ticket_size", lambda s: _ratio(s["amount"], s["successes"]), "Average amount received by a success."
    ),
    _metric(_P, "retries_count", lambda s: s["retries"], "Number of retries."),
    _metric(_P, "connector_success_rate", lambda s: _ratio(100 * s["successes"], s["connected"]), _AMONG_CONFIRMED),
    _metric(_P, "failure_reasons", lambda s: s["failed"], "Number of failures.", "failure_reason_count"),
    _metric(_R, "refund_count", lambda s: s["count"], "Number of refunds."),
    _metric(_R, "refund_success_count", lambda s: s["successes"], "Number of successful refunds."),
    _metric(_R, "refund_success_rate", lambda s: _ratio(100 * s["successes"], s["count"]), "Share of successes."),
    _metric(_R, "refund_processed_amount", lambda s: s["amount"], "Total amount of successful refunds."),
    FigureGroup(
        _D,
        "dispute_status_metric",
        {
            "disputes_challenged": lambda s: s["challenged"],
            "disputes_won": lambda s: s["won"],
            "disputes_lost": lambda s: s["lost"],
        },
        "Number of disputes with this status.",
    ),
    _metric(_D, "total_amount_disputed", lambda s: s["amount"], "Total disputed amount."),
    _metric(_D, "total_dispute_lost_amount", lambda s: s["lost_amount"], "Total amount of lost disputes."),
)

GRANULARITIES: Final[Mapping[str, int]] = {
    "G_ONEMIN": MINUTE_MS,
    "G_FIVEMIN": 5 * MINUTE_MS,
    "G_FIFTEENMIN": 15 * MINUTE_MS,
    "G_THIRTYMIN": 30 * MINUTE_MS,
    "G_ONEHOUR": HOUR_MS,
    "G_ONEDAY": DAY_MS,
}
"""The length of a bucket of a time series in ms; buckets begin at multiples of it since the epoch (facts §1.7)."""


def dimensions(subject: FigureSubject) -> dict[str, Dimension]:
    """The dimensions of a subject."""
    return {row.name: row for row in DIMENSIONS if row.subject is subject}


def metrics(subject: FigureSubject) -> dict[str, FigureGroup]:
    """The groups of figures of a subject."""
    return {row.name: row for row in METRICS if row.subject is subject}


class AskFigures(NamedTuple):
    """One request for numbers: instants in ms, both included; filters have the engine's values."""

    subject: FigureSubject
    start_at: int
    end_at: int
    granularity_ms: int | None = None
    group_by: tuple[Dimension, ...] = ()
    filters: tuple[tuple[Dimension, frozenset[str]], ...] = ()
    metrics: tuple[FigureGroup, ...] = ()


class Bucket(NamedTuple):
    """The sums of the records that share an instant's bucket and the values of all dimensions."""

    start_at: int | None
    values: tuple[str | None, ...]
    sums: Sums


def summed(asked: AskFigures, records: Iterable[Any]) -> tuple[tuple[Bucket, ...], Sums]:
    """The buckets of some records, in the order of time and values, and the sums of all."""
    long = asked.granularity_ms
    total, groups = Sums(), dict[tuple[int | None, tuple[str | None, ...]], Sums]()
    for record in records:
        if any(dimension.of(record) not in wanted for dimension, wanted in asked.filters):
            continue
        begins = None if long is None else record.created_at // long * long
        key = (begins, tuple(dimension.of(record) for dimension in asked.group_by))
        for sums in (total, groups.setdefault(key, Sums())):
            for name, of in ADDENDS[asked.subject].items():
                sums[name] += of(record)
    buckets = sorted(groups.items(), key=lambda item: (item[0][0] or 0, [value or "" for value in item[0][1]]))
    return tuple(Bucket(*key, sums) for key, sums in buckets), total
