"""What metrics and reports must say, added up from the ledger's answers; only the names on offer come from the code.

Rates are percentages. A payment is a success once it is `succeeded` or `partially_captured` (docs of the metrics).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any, Final

from mock_server.domain.figures import DIMENSIONS, GRANULARITIES, METRICS
from tests.money import reports
from tests.money.ledger import Account, Answer, Ledger
from tests.money.till import Till, fine

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MINUTES: Final = {
    "G_ONEMIN": 1,
    "G_FIVEMIN": 5,
    "G_FIFTEENMIN": 15,
    "G_THIRTYMIN": 30,
    "G_ONEHOUR": 60,
    "G_ONEDAY": 24 * 60,
}
SUCCESSES: Final = {"succeeded", "partially_captured"}
AT_ONCE: Final = 10
ALL: Final = {"startTime": reports.LONG_AGO}

Read = Callable[[Answer], object]
Numbers = dict[str, Fraction | int | None]


def card(name: str) -> Read:
    return lambda answer: ((answer["payment_method_data"] or {}).get("card") or {}).get(name)


def plain(name: str) -> Read:
    return lambda answer: answer[name]


def decline(answer: Answer) -> object:
    """The name of a payment's decline, as its details give it."""
    return answer["error_details"] and answer["error_details"]["connector_details"]["reason"]


DIMENSION: Final[Mapping[str, Mapping[str, Read]]] = {
    "payments": {
        **{name: plain(name) for name in ("connector", "payment_method", "payment_method_type", "currency", "status")},
        "authentication_type": plain("authentication_type"),
        "profile_id": plain("profile_id"),
        "card_network": card("brand"),
        "card_last_4": card("last4"),
        "error_reason": decline,
    },
    "refunds": {
        **{name: plain(name) for name in ("connector", "currency", "profile_id")},
        "refund_status": plain("status"),
        "refund_type": plain("asked_type"),
        "refund_reason": plain("reason"),
        "refund_error_message": plain("error_message"),
    },
    "disputes": {
        name: plain(name) for name in ("connector", "currency", "profile_id", "dispute_stage", "dispute_status")
    },
}
"""Where an answer shows what it is told apart by."""


def of_payments(some: list[Answer]) -> Numbers:
    good = [one for one in some if one["status"] in SUCCESSES]
    received = sum(one["amount_received"] or 0 for one in good)
    confirmed = sum(one["connector"] is not None for one in some)
    return {
        "payment_count": len(some),
        "payment_success_count": len(good),
        "payment_success_rate": share(100 * len(good), len(some)),
        "payment_processed_amount": received,
        "avg_ticket_size": share(received, len(good)),
        "retries_count": sum(one["attempt_count"] - 1 for one in some),
        "connector_success_rate": share(100 * len(good), confirmed),
        "failure_reason_count": sum(one["status"] == "failed" for one in some),
    }


def of_refunds(some: list[Answer]) -> Numbers:
    good = [one for one in some if one["status"] == "succeeded"]
    return {
        "refund_count": len(some),
        "refund_success_count": len(good),
        "refund_success_rate": share(100 * len(good), len(some)),
        "refund_processed_amount": sum(one["amount"] for one in good),
    }


def of_disputes(some: list[Answer]) -> Numbers:
    lost = [one for one in some if one["dispute_status"] == "dispute_lost"]
    return {
        "disputes_challenged": sum(one["dispute_status"] == "dispute_challenged" for one in some),
        "disputes_won": sum(one["dispute_status"] == "dispute_won" for one in some),
        "disputes_lost": len(lost),
        "total_amount_disputed": sum(int(one["amount"]) for one in some),
        "total_dispute_lost_amount": sum(int(one["amount"]) for one in lost),
    }


def share(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


SUMS: Final = {"payments": of_payments, "refunds": of_refunds, "disputes": of_disputes}
CREATED: Final = {"payments": "created", "refunds": "created_at", "disputes": "created_at"}


def kept(ledger: Ledger, domain: str) -> list[Answer]:
    """The ledger's answers, with what a refund was asked to be and its answer does not say."""
    if domain != "refunds":
        found: list[Answer] = getattr(ledger, domain)
        return found
    accounts: Iterable[Account] = ledger.accounts.values()
    return [
        {**one, "asked_type": account.asked_types[key]} for account in accounts for key, one in account.refunds.items()
    ]


def expected(domain: str, answers: list[Answer], group_by: str | None, granularity: str | None) -> dict[Any, Numbers]:
    """The numbers of each bucket, by its beginning and its value."""
    groups: dict[Any, list[Answer]] = defaultdict(list)
    for one in answers:
        value = DIMENSION[domain][group_by](one) if group_by else None
        groups[bucket(one[CREATED[domain]], granularity), value].append(one)
    return {key: SUMS[domain](some) for key, some in groups.items()}


def bucket(created: str, granularity: str | None) -> datetime | None:
    if granularity is None:
        return None
    since = datetime.fromisoformat(created) - EPOCH
    width = timedelta(minutes=MINUTES[granularity])
    return EPOCH + since // width * width


def said(buckets: list[Answer], names: Iterable[str], group_by: str | None) -> dict[Any, Numbers]:
    """The numbers of each bucket as they were answered."""
    found = {}
    for one in buckets:
        at = one["time_bucket"] and datetime.fromisoformat(one["time_bucket"])
        found[at, one[group_by] if group_by else None] = {name: one[name] for name in names}
    assert len(found) == len(buckets)
    return found


def same(left: dict[Any, Numbers], right: dict[Any, Numbers]) -> bool:
    """Sums and counts to the unit; a rate as near as a float can be."""
    return left.keys() == right.keys() and all(
        alike(numbers[name], right[key][name]) for key, numbers in left.items() for name in numbers
    )


def alike(left: Fraction | float | None, right: Fraction | float | None) -> bool:
    if isinstance(left, Fraction) and left.denominator != 1 and right is not None:
        return float(left) == float(right)
    return left == right


def compare(till: Till) -> int:
    """Every metric by every dimension in every granularity, and every report; gives how many questions there were."""
    asked = 0
    for domain, reads in DIMENSION.items():
        answers = kept(till.ledger, domain)
        metrics = [row.name for row in METRICS if row.subject == domain]
        cases = [(group, size) for group in (None, *reads) for size in (None, *MINUTES)]
        for begin in range(0, len(cases), AT_ONCE):
            some = cases[begin : begin + AT_ONCE]
            reply = fine(
                till.api.post(f"/analytics/v1/merchant/metrics/{domain}", [ask(metrics, *one) for one in some])
            )
            buckets = list(reply["queryData"])
            for (group, size), totals in zip(some, reply["metaData"], strict=True):
                wanted = expected(domain, answers, group, size)
                mine, buckets = buckets[: len(wanted)], buckets[len(wanted) :]
                assert same(wanted, said(mine, SUMS[domain]([]), group)), (domain, group, size)
                whole = SUMS[domain](answers)
                assert all(alike(whole[name], totals[total_name(name)]) for name in whole), (domain, totals)
            assert not buckets
            asked += len(some)
    compare_reports(till)
    return asked


def total_name(name: str) -> str:
    return name if name.startswith("total_") else f"total_{name}"


def ask(metrics: list[str], group: str | None, size: str | None) -> Answer:
    series = {"timeSeries": {"granularity": size}} if size else {}
    return {"timeRange": ALL, "metrics": metrics, "groupByNames": [group] if group else [], **series}


def compare_reports(till: Till) -> None:
    """Every row of every file, and so every sum."""
    reads = {
        "payments": (
            "payment_id",
            ("status", "amount", "currency", "amount_received", "amount_capturable", "net_amount"),
        ),
        "refunds": ("refund_id", ("status", "amount", "currency", "payment_id")),
        "dispute": ("dispute_id", ("dispute_stage", "dispute_status", "amount", "currency", "is_already_refunded")),
    }
    for kind, (key, names) in reads.items():
        answers = {one[key]: one for one in getattr(till.ledger, "disputes" if kind == "dispute" else kind)}
        rows = {row[key]: row for row in reports.rows(till.api, kind)}
        assert rows.keys() == answers.keys()
        for number, row in rows.items():
            assert {name: row[name] for name in names} == {name: text(answers[number][name], name) for name in names}
        if kind == "payments":
            accounts = till.ledger.accounts
            assert sum(int(row["amount_refunded"]) for row in rows.values()) == sum(
                a.refunded for a in accounts.values()
            )
            assert sum(int(row["amount_disputed"]) for row in rows.values()) == sum(
                a.disputed for a in accounts.values()
            )


def text(value: object, name: str) -> str:
    """A value of an answer as a cell; what was not received yet is 0 there."""
    if value is None:
        return "0" if name == "amount_received" else ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def offered() -> tuple[dict[str, set[str]], set[str], dict[str, set[str]]]:
    """What the server says it computes: dimensions, granularities and numbers."""
    names: dict[str, set[str]] = defaultdict(set)
    numbers: dict[str, set[str]] = defaultdict(set)
    for row in DIMENSIONS:
        names[str(row.subject)].add(row.name)
    for metric in METRICS:
        numbers[str(metric.subject)].update(metric.figures)
    return dict(names), set(GRANULARITIES), dict(numbers)
