"""Analytics of random records, compared with sums that are written anew."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Final

import pytest
from msgspec import structs

from mock_server.domain import figures
from mock_server.domain.figures import METRICS, AskFigures, Dimension, FigureSubject, Sums
from mock_server.domain.instants import DAY_MS, HOUR_MS, MINUTE_MS
from mock_server.domain.payment import Attempt, Failure
from mock_server.domain.statuses import AttemptStatus, DisputeStage, DisputeStatus, PaymentStatus, RefundStatus
from tests.counts import times
from tests.domain.records import REFUND
from tests.domain.test_dispute import DISPUTE
from tests.domain.test_payment import CARD, having

SUBJECTS: Final = tuple(FigureSubject)
GOOD: Final = (PaymentStatus.SUCCEEDED, PaymentStatus.PARTIALLY_CAPTURED)
BY_HAND: Final[dict[str, Callable[[Sequence[Any]], float | None]]] = {
    "payment_count": len,
    "payment_success_count": lambda all: len(_good(all)),
    "payment_success_rate": lambda all: _share(len(_good(all)), len(all)),
    "payment_processed_amount": lambda all: sum(one.captured_amount for one in _good(all)),
    "avg_ticket_size": lambda all: _mean([one.captured_amount for one in _good(all)]),
    "retries_count": lambda all: sum(len(one.past_attempts) for one in all),
    "connector_success_rate": lambda all: _share(len(_good(all)), sum(one.connector is not None for one in all)),
    "failure_reason_count": lambda all: sum(one.status == "failed" for one in all),
    "refund_count": len,
    "refund_success_count": lambda all: sum(one.status == "succeeded" for one in all),
    "refund_success_rate": lambda all: _share(sum(one.status == "succeeded" for one in all), len(all)),
    "refund_processed_amount": lambda all: sum(one.amount for one in all if one.status == "succeeded"),
    "disputes_challenged": lambda all: sum(one.status == "dispute_challenged" for one in all),
    "disputes_won": lambda all: sum(one.status == "dispute_won" for one in all),
    "disputes_lost": lambda all: sum(one.status == "dispute_lost" for one in all),
    "total_amount_disputed": lambda all: sum(one.amount for one in all),
    "total_dispute_lost_amount": lambda all: sum(one.amount for one in all if one.status == "dispute_lost"),
}


def _good(all: Sequence[Any]) -> list[Any]:
    return [one for one in all if one.status in GOOD]


def _share(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _mean(all: Sequence[int]) -> float | None:
    return sum(all) / len(all) if all else None


def drawn(subject: FigureSubject, dice: random.Random) -> Any:
    """One record with values of every kind, in the first two hours and three days."""
    at, currency = dice.choice((0, 1, DAY_MS)) + dice.randrange(2 * HOUR_MS), dice.choice(("USD", "EUR"))
    amount, failure = dice.randrange(1, 9_999), dice.choice((None, Failure("generic_decline")))
    if subject is FigureSubject.REFUNDS:
        status, told = dice.choice(list(RefundStatus)), {"failure": failure, "reason": dice.choice((None, "late"))}
        return structs.replace(REFUND, created_at=at, currency=currency, amount=amount, status=status, **told)
    if subject is FigureSubject.DISPUTES:
        stage, end = dice.choice(list(DisputeStage)), dice.choice(list(DisputeStatus))
        return structs.replace(DISPUTE, created_at=at, currency=currency, amount=amount, stage=stage, status=end)
    past = tuple(Attempt(number, AttemptStatus.FAILURE, 1, 0, 0) for number in range(dice.randrange(3)))
    return having(
        created_at=at,
        currency=currency,
        captured_amount=amount,
        status=dice.choice(list(PaymentStatus)),
        connector=dice.choice((None, "stripe")),
        card=dice.choice((None, CARD)),
        failure=failure,
        past_attempts=past,
    )


def shown(sums: Sums, subject: FigureSubject) -> dict[str, float | None]:
    return {name: of(sums) for one in METRICS if one.subject is subject for name, of in one.figures.items()}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_metric_is_the_sum_of_its_records(subject: FigureSubject) -> None:
    dice = random.Random(27)
    for count in (0, 1, *(dice.randrange(30) for _ in range(times(20, soak=2_000)))):
        records = [drawn(subject, dice) for _ in range(count)]
        grouped = tuple(row for row in figures.DIMENSIONS if row.subject is subject)[: dice.randrange(4)]
        long = dice.choice((None, *figures.GRANULARITIES.values()))
        buckets, total = figures.summed(AskFigures(subject, 0, 9, long, grouped), records)
        by_hand = shown(total, subject)
        assert by_hand == pytest.approx({name: BY_HAND[name](records) for name in by_hand})
        groups: dict[Any, list[Any]] = {}
        for one in records:
            begins = None if long is None else one.created_at - one.created_at % long
            groups.setdefault((begins, tuple(row.of(one) for row in grouped)), []).append(one)
        ordered = sorted(groups, key=lambda key: (key[0] or 0, [value or "" for value in key[1]]))
        assert [(bucket.start_at, bucket.values) for bucket in buckets] == ordered
        for bucket in buckets:
            mine = groups[bucket.start_at, bucket.values]
            assert shown(bucket.sums, subject) == pytest.approx({name: BY_HAND[name](mine) for name in by_hand})


@pytest.mark.parametrize("row", figures.DIMENSIONS, ids=lambda row: f"{row.subject}.{row.name}")
def test_a_filter_leaves_the_records_with_one_of_its_values(row: Dimension) -> None:
    dice = random.Random(row.name)
    records = [drawn(row.subject, dice) for _ in range(40)]
    values = {row.of(one) for one in records}
    for wanted in [*values, "no such value"]:
        asked = AskFigures(row.subject, 0, 9, filters=((row, frozenset({wanted or ""})),))
        _, total = figures.summed(asked, records)
        assert total["count"] == sum(row.of(one) == wanted for one in records if wanted)
    alone, _ = figures.summed(AskFigures(row.subject, 0, 9, group_by=(row,)), records)
    assert {bucket.values[0] for bucket in alone} == values


@pytest.mark.parametrize("row", figures.DIMENSIONS, ids=lambda row: f"{row.subject}.{row.name}")
def test_a_dimension_is_the_text_of_a_field(row: Dimension) -> None:
    names = {"authentication_type": "authentication_shown", "refund_status": "status", "dispute_status": "status"}
    names |= {"dispute_stage": "stage", "refund_reason": "reason"}
    dice = random.Random(row.name)
    for one in (drawn(row.subject, dice) for _ in range(30)):
        match row.name:
            case "card_network" | "card_last_4":
                wanted = one.card and {"card_network": one.card.brand, "card_last_4": one.card.last4}[row.name]
            case "error_reason":
                wanted = one.failure and one.failure.decline
            case "refund_error_message":
                wanted = one.failure and one.failure.error_message
            case name:
                wanted = getattr(one, names.get(name, name))
        assert row.of(one) == wanted
        assert row.words is None or wanted in list(row.words)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_rows_of_a_subject_are_found_by_name(subject: FigureSubject) -> None:
    rows, metrics = figures.dimensions(subject), figures.metrics(subject)
    assert list(rows.values()) == [row for row in figures.DIMENSIONS if row.subject is subject]
    assert list(metrics.values()) == [row for row in METRICS if row.subject is subject]
    assert [*rows, *metrics] == [*(row.name for row in rows.values()), *(row.name for row in metrics.values())]


def test_the_lengths_of_buckets_are_what_their_names_say() -> None:
    units = {"MIN": MINUTE_MS, "HOUR": HOUR_MS, "DAY": DAY_MS}
    counts = {"ONE": 1, "FIVE": 5, "FIFTEEN": 15, "THIRTY": 30}
    names = {f"G_{count}{unit}": counts[count] * units[unit] for count in counts for unit in units}
    assert len(figures.GRANULARITIES) == 6
    assert all(names[name] == length for name, length in figures.GRANULARITIES.items())
