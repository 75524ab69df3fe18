"""Metrics and filter values over HTTP, against sums of the test's own (facts §1.7)."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mock_server.domain.figures import DIMENSIONS, GRANULARITIES, METRICS, FigureSubject
from mock_server.domain.statuses import DisputeStage
from mock_server.engine import disputes
from tests.api.places import workspace
from tests.api.saving import refused
from tests.clocks import ManualClock
from tests.sandbox.workspaces import carry_out
from tests.wire import Reply, Wire

ALL = {"startTime": "2026-01-01T00:00:00Z", "endTime": "2026-02-01T00:00:00Z"}
START = datetime(2026, 1, 1, tzinfo=UTC)
LEVELS = ("", "merchant/", "profile/")
Row = dict[str, Any]


UNUSED = {
    "status": "requires_capture", "payment_method": "upi", "payment_method_type": "upi_intent", "currency": "XAF",
    "authentication_type": None, "card_network": "RuPay", "refund_type": "scheduled",
}  # fmt: skip
"""A word of each closed set of which the ledger has no record."""


def ask(api: Wire, domain: str, metrics: list[str], **more: Any) -> Reply:
    return api.post(f"/analytics/v1/merchant/metrics/{domain}", [{"timeRange": ALL, "metrics": metrics, **more}])


def names(subject: FigureSubject) -> list[str]:
    return [row.name for row in METRICS if row.subject is subject]


class Ledger:
    """What the test knows from the answers it received, in rows of its own."""

    def __init__(self, api: Wire, clock: ManualClock) -> None:
        self.api, self.clock = api, clock
        self.payments: list[Row] = []
        self.refunds: list[Row] = []
        self.disputes: list[Row] = []
        self.at = 0

    def wait(self, minutes: int) -> None:
        self.clock.advance(minutes * 60_000)
        self.at += minutes

    def pay(self, card: str, **fields: Any) -> Row:
        answer = self.api.pay(card, **fields).json
        return self._payment(answer)

    def _payment(self, answer: Row) -> Row:
        reason = ((answer["error_details"] or {}).get("connector_details") or {}).get("reason")
        card = (answer["payment_method_data"] or {}).get("card") or {}
        row = {
            "id": answer["payment_id"], "at": self.at, "connector": answer["connector"], "payment_method": answer["payment_method"],
            "payment_method_type": answer["payment_method_type"], "currency": answer["currency"],
            "authentication_type": answer["authentication_type"], "status": answer["status"], "profile_id": answer["profile_id"],
            "card_network": card.get("brand"), "card_last_4": card.get("last4"), "error_reason": reason,
            "received": answer["amount_received"] or 0, "attempts": answer["attempt_count"],
        }  # fmt: skip
        self.payments.append(row)
        return row

    def create(self, **fields: Any) -> Row:
        body = {"amount": 100, "currency": "USD", "profile_id": "pro_shop", **fields}
        return self._payment(self.api.post("/payments", body).json)

    def capture(self, row: Row, amount: int) -> None:
        answer = self.api.post(f"/payments/{row['id']}/capture", {"amount_to_capture": amount}).json
        row.update(status=answer["status"], received=answer["amount_received"])

    def refund(self, row: Row, amount: int, reason: str | None = None) -> None:
        answer = self.api.post("/refunds", {"payment_id": row["id"], "amount": amount, "reason": reason}).json
        self.refunds.append({
            "at": self.at, "connector": answer["connector"], "currency": answer["currency"], "refund_status": answer["status"],
            "refund_type": "instant", "refund_reason": reason, "profile_id": answer["profile_id"], "amount": amount,
            "refund_error_message": answer["error_message"],
        })  # fmt: skip

    def dispute(self, row: Row, amount: int, stage: DisputeStage = DisputeStage.DISPUTE) -> str:
        made = carry_out(workspace(self.api), disputes.open, row["id"], "fraudulent", stage, amount)
        self.disputes.append({
            "id": made.dispute_id, "at": self.at, "connector": row["connector"], "currency": row["currency"], "amount": amount,
            "dispute_stage": stage.value, "dispute_status": "dispute_opened", "profile_id": row["profile_id"],
        })  # fmt: skip
        return str(made.dispute_id)

    def answer_dispute(self, dispute: str, word: str) -> None:
        body = {"dispute_id": dispute, "uncategorized_text": word}
        status = self.api.post("/disputes/evidence", body)["dispute_status"]
        next(row for row in self.disputes if row["id"] == dispute)["dispute_status"] = status


@pytest.fixture
def ledger(api: Wire, clock: ManualClock) -> Ledger:
    """A merchant's month in little."""
    book = Ledger(api, clock)
    shop = book.pay("success")
    book.pay("visa_generic_decline")
    book.wait(3)
    book.pay("mastercard_success", currency="EUR", amount=1000, profile_id="pro_b")
    book.pay("visa_insufficient_funds", profile_id="pro_b", authentication_type="no_three_ds")
    book.create()
    book.wait(40)
    part = book.pay("success", capture_method="manual", amount=5000)
    book.capture(part, 1234)
    book.pay("visa_pending")
    merchant = api.get(f"/payments/{shop['id']}")["merchant_id"]
    api.post(f"/account/{merchant}/business_profile/pro_retry", {})
    book.wait(24 * 60)
    book.pay("visa_3ds_required")
    book.pay("success", amount=1, currency="JPY")
    held = book.pay("visa_refund_fails")
    book.refund(shop, 1000)
    book.refund(shop, 500, "returned")
    book.refund(held, 10, "returned")
    book.wait(7)
    won = book.dispute(book.pay("success", amount=700), 700)
    lost = book.dispute(book.pay("success", amount=900), 300)
    book.dispute(book.pay("success", amount=900), 900, DisputeStage.PRE_DISPUTE)
    challenged = book.dispute(book.pay("success", amount=50), 50)
    book.answer_dispute(won, "winning_evidence")
    book.answer_dispute(lost, "losing_evidence")
    book.answer_dispute(challenged, "something")
    return book


def expected(domain: str, rows: list[Row]) -> Row:
    """What the metrics must be of some rows: plain sums."""
    if domain == "disputes":
        lost = [row["amount"] for row in rows if row["dispute_status"] == "dispute_lost"]
        count = Counter(row["dispute_status"] for row in rows)
        return {
            "disputes_challenged": count["dispute_challenged"], "disputes_won": count["dispute_won"], "disputes_lost": len(lost),
            "total_amount_disputed": sum(row["amount"] for row in rows), "total_dispute_lost_amount": sum(lost),
        }  # fmt: skip
    if domain == "refunds":
        good = [row["amount"] for row in rows if row["refund_status"] == "succeeded"]
        return {
            "refund_count": len(rows), "refund_success_count": len(good), "refund_processed_amount": sum(good),
            "refund_success_rate": 100 * len(good) / len(rows),
        }  # fmt: skip
    good = [row["received"] for row in rows if row["status"] in ("succeeded", "partially_captured")]
    asked = [row for row in rows if row["connector"]]
    return {
        "payment_count": len(rows), "payment_success_count": len(good), "payment_processed_amount": sum(good),
        "payment_success_rate": 100 * len(good) / len(rows), "avg_ticket_size": sum(good) / len(good) if good else None,
        "retries_count": sum(row["attempts"] - 1 for row in rows),
        "connector_success_rate": 100 * len(good) / len(asked) if asked else None,
        "failure_reason_count": sum(row["status"] == "failed" for row in rows),
    }  # fmt: skip


def buckets(domain: str, rows: list[Row], by: list[str], minutes: int | None) -> dict[tuple[Any, ...], Row]:
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        begins = None if minutes is None else START + timedelta(minutes=row["at"] // minutes * minutes)
        groups.setdefault((begins, *(row[name] for name in by)), []).append(row)
    return {key: expected(domain, part) for key, part in groups.items()}


def found(reply: Reply, by: list[str], fields: list[str]) -> dict[tuple[Any, ...], Row]:
    out = {}
    for bucket in reply["queryData"]:
        begins = bucket["time_bucket"] and datetime.fromisoformat(bucket["time_bucket"])
        out[(begins, *(bucket[name] for name in by))] = {name: bucket[name] for name in fields}
        whole = [value for value in bucket.values() if isinstance(value, float) and value.is_integer()]
        assert not whole  # they are written as integers
    assert len(out) == len(reply["queryData"])
    return out


CASES = [(row.subject, (row.name,), granularity) for row in DIMENSIONS for granularity in (None, *GRANULARITIES)] + [
    (subject, (), granularity) for subject in FigureSubject for granularity in (None, *GRANULARITIES)
]
MINUTES = {"G_ONEMIN": 1, "G_FIVEMIN": 5, "G_FIFTEENMIN": 15, "G_THIRTYMIN": 30, "G_ONEHOUR": 60, "G_ONEDAY": 24 * 60}


def test_every_number_is_the_ledgers(api: Wire, ledger: Ledger) -> None:
    for subject, by, granularity in CASES:
        rows: list[Row] = getattr(ledger, subject)
        series = {"timeSeries": {"granularity": granularity}} if granularity else {}
        reply = ask(api, subject, names(subject), groupByNames=list(by), **series)
        wanted = buckets(subject, rows, list(by), MINUTES[granularity] if granularity else None)
        fields = list(expected(subject, rows))
        assert found(reply, list(by), fields) == wanted, (subject, by, granularity)


@pytest.mark.parametrize("subject", list(FigureSubject))
def test_all_dimensions_together(api: Wire, ledger: Ledger, subject: FigureSubject) -> None:
    by = [row.name for row in DIMENSIONS if row.subject is subject]
    rows: list[Row] = getattr(ledger, subject)
    reply = ask(api, subject, names(subject), groupByNames=by)
    assert found(reply, by, list(expected(subject, rows))) == buckets(subject, rows, by, None)


@pytest.mark.parametrize("row", DIMENSIONS, ids=lambda row: f"{row.subject}-{row.name}")
def test_every_dimension_filters(api: Wire, ledger: Ledger, row: Any) -> None:
    rows: list[Row] = getattr(ledger, row.subject)
    for value in {one[row.name] for one in rows} - {None}:
        chosen = [one for one in rows if one[row.name] == value]
        for given in (value, [value]):
            reply = ask(api, row.subject, names(row.subject), filters={row.name: given})
            assert found(reply, [], list(expected(row.subject, rows))) == {(None,): expected(row.subject, chosen)}
    nothing = UNUSED.get(row.name, "nothing such" if row.words is None else None)
    if nothing is not None:
        assert ask(api, row.subject, names(row.subject), filters={row.name: [nothing]})["queryData"] == []


@pytest.mark.parametrize("subject", list(FigureSubject))
def test_totals_are_of_all_buckets(api: Wire, ledger: Ledger, subject: FigureSubject) -> None:
    rows: list[Row] = getattr(ledger, subject)
    (totals,) = ask(api, subject, names(subject), groupByNames=["currency"])["metaData"]
    wanted = {
        name if name.startswith("total_") else f"total_{name}": value for name, value in expected(subject, rows).items()
    }
    assert {name: value for name, value in totals.items() if name != "current_time_range"} == wanted
    assert totals["current_time_range"] == {
        "start_time": "2026-01-01T00:00:00.000Z",
        "end_time": "2026-02-01T00:00:00.000Z",
    }


@pytest.mark.parametrize("metric", METRICS, ids=lambda row: row.name)
def test_a_bucket_holds_every_name_and_null_for_what_was_not_asked(api: Wire, ledger: Ledger, metric: Any) -> None:
    (bucket,) = ask(api, metric.subject, [metric.name])["queryData"]
    own = set(metric.figures)
    numbers = {name for row in METRICS if row.subject is metric.subject for name in row.figures}
    assert all(bucket[name] is not None for name in own)
    assert all(bucket[name] is None for name in numbers - own)
    assert set(bucket) == numbers | {row.name for row in DIMENSIONS if row.subject is metric.subject} | {
        "time_range",
        "time_bucket",
    }


def test_the_time_is_held_at_both_ends(api: Wire, ledger: Ledger) -> None:
    def count(start: str, end: str) -> int:
        body = [{"timeRange": {"startTime": start, "endTime": end}, "metrics": ["payment_count"]}]
        data = api.post("/analytics/v1/merchant/metrics/payments", body)["queryData"]
        return int(data[0]["payment_count"]) if data else 0

    third = sum(row["at"] == 3 for row in ledger.payments)
    assert count("2026-01-01T00:03:00Z", "2026-01-01T00:03:00Z") == third == 3
    assert count("2026-01-01T00:03:00.001Z", "2026-01-01T00:42:59.999Z") == 0


def test_without_an_end_it_is_now(api: Wire, ledger: Ledger) -> None:
    body = [{"timeRange": {"startTime": "2026-01-01"}, "metrics": ["payment_count"]}]
    (bucket,) = api.post("/analytics/v1/merchant/metrics/payments", body)["queryData"]
    assert bucket["payment_count"] == len(ledger.payments)
    assert bucket["time_range"]["end_time"] == (START + timedelta(minutes=ledger.at)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def test_several_requests_come_in_one_array(api: Wire, ledger: Ledger) -> None:
    first = {"timeRange": ALL, "metrics": ["payment_count"]}
    second = {**first, "groupByNames": ["currency"]}
    reply = api.post("/analytics/v1/merchant/metrics/payments", [first, second])
    assert len(reply["queryData"]) == 1 + len({row["currency"] for row in ledger.payments})
    assert len(reply["metaData"]) == 2


@pytest.mark.parametrize("kind", ["metrics", "filters"])
@pytest.mark.parametrize("subject", list(FigureSubject))
def test_one_profile_alone(api: Wire, ledger: Ledger, kind: str, subject: FigureSubject) -> None:
    path = f"/analytics/v1/profile/{kind}/{subject}"
    body: Any = [{"timeRange": ALL, "metrics": names(subject)}] if kind == "metrics" else {"timeRange": ALL}
    reply = api.post(path, body, X_Profile_Id="pro_shop")
    rows = [row for row in getattr(ledger, subject) if row["profile_id"] == "pro_shop"]
    if kind == "metrics":
        assert found(reply, [], list(expected(subject, rows))) == {(None,): expected(subject, rows)}
    else:
        values = {row["dimension"]: row["values"] for row in reply["queryData"]}
        assert values["profile_id"] == ["pro_shop"]
    assert refused(api.post(path, body)) == (400, "IR_04")
    assert refused(api.post(path, body, X_Profile_Id="pro_nobody")) == (404, "HE_02")


@pytest.mark.parametrize("level", ["", "merchant/"])
def test_the_level_of_the_merchant_has_two_paths(api: Wire, ledger: Ledger, level: str) -> None:
    body = [{"timeRange": ALL, "metrics": ["payment_count"]}]
    assert api.post(f"/analytics/v1/{level}metrics/payments", body)["queryData"][0]["payment_count"] == len(
        ledger.payments
    )


@pytest.mark.parametrize("subject", list(FigureSubject))
def test_the_values_to_filter_by_are_those_that_occur(api: Wire, ledger: Ledger, subject: FigureSubject) -> None:
    rows: list[Row] = getattr(ledger, subject)
    of = [row.name for row in DIMENSIONS if row.subject is subject]
    for name, value in [("", ""), *sorted({(name, row[name]) for name in of for row in rows if row[name] is not None})]:
        body: Row = {"timeRange": ALL, **({"filters": {name: value}} if name else {})}
        reply = api.post(f"/analytics/v1/merchant/filters/{subject}", body)
        chosen = [row for row in rows if not name or row[name] == value]
        wanted = {one: sorted({row[one] for row in chosen} - {None}) for one in of}
        assert {one["dimension"]: one["values"] for one in reply["queryData"]} == wanted, (name, value)
    body = {"timeRange": ALL, "groupByNames": ["currency"], "filters": {"currency": "USD"}}
    assert api.post(f"/analytics/v1/filters/{subject}", body)["queryData"] == [
        {"dimension": "currency", "values": ["USD"]}
    ]


NOT_COMPUTED: list[tuple[str, str, Any, str]] = [
    ("domain", "metrics/payouts", [{"timeRange": ALL, "metrics": ["payout_count"]}], "payouts"),
    ("domain of filters", "filters/payouts", {"timeRange": ALL}, "payouts"),
    ("report", "report/payouts", {"timeRange": ALL, "emails": ["a@b.co"]}, "payouts"),
    ("metric", "metrics/payments", [{"timeRange": ALL, "metrics": ["sessionized_payment_count"]}], "sessionized_payment_count"),
    ("distribution", "metrics/payments", [{"timeRange": ALL, "metrics": ["payments_distribution"]}], "payments_distribution"),
    ("metric of another", "metrics/refunds", [{"timeRange": ALL, "metrics": ["payment_count"]}], "payment_count"),
    ("dimension", "metrics/payments", [{"timeRange": ALL, "metrics": ["payment_count"], "groupByNames": ["client_source"]}], "client_source"),
    ("filter", "metrics/payments", [{"timeRange": ALL, "metrics": ["payment_count"], "filters": {"card_issuer": ["x"]}}], "card_issuer"),
    ("granularity", "metrics/payments", [{"timeRange": ALL, "metrics": ["payment_count"], "timeSeries": {"granularity": "G_ONEWEEK"}}], "G_ONEWEEK"),
    ("delta", "metrics/payments", [{"timeRange": ALL, "metrics": ["payment_count"], "delta": True}], "delta"),
    ("dimension of filters", "filters/payments", {"timeRange": ALL, "groupByNames": ["client_version"]}, "client_version"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body", "name"), [pytest.param(*row[1:], id=row[0]) for row in NOT_COMPUTED])
@pytest.mark.parametrize("level", ["", "merchant/"])
def test_what_is_not_computed_is_refused_by_name(api: Wire, level: str, path: str, body: Any, name: str) -> None:
    reply = api.post(f"/analytics/v1/{level}{path}", body)
    assert refused(reply) == (400, "IR_04")
    assert name in reply.error["message"]
    assert reply.error["fields"]


WRONG: list[tuple[str, Any, int, str]] = [
    ("no array", {"timeRange": ALL, "metrics": ["payment_count"]}, 400, "IR_06"),
    ("nothing", [], 400, "IR_04"),
    ("no object", [None], 400, "IR_04"),
    ("too many", [{"timeRange": ALL, "metrics": ["payment_count"]}] * 11, 400, "IR_04"),
    ("no time", [{"metrics": ["payment_count"]}], 400, "IR_04"),
    ("no start", [{"timeRange": {}, "metrics": ["payment_count"]}], 400, "IR_04"),
    ("bad time", [{"timeRange": {"startTime": "yesterday"}, "metrics": ["payment_count"]}], 400, "IR_04"),
    ("end before start", [{"timeRange": {"startTime": "2026-01-02", "endTime": "2026-01-01"}, "metrics": ["payment_count"]}], 400, "IR_04"),
    ("no metrics", [{"timeRange": ALL}], 400, "IR_04"),
    ("empty metrics", [{"timeRange": ALL, "metrics": []}], 400, "IR_04"),
    ("filter of numbers", [{"timeRange": ALL, "metrics": ["payment_count"], "filters": {"currency": [1]}}], 400, "IR_04"),
    ("unknown status", [{"timeRange": ALL, "metrics": ["payment_count"], "filters": {"status": ["asleep"]}}], 400, "IR_04"),
    ("unknown field", [{"timeRange": ALL, "metrics": ["payment_count"], "groupBy": []}], 400, "IR_06"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "status", "code"), [pytest.param(*row[1:], id=row[0]) for row in WRONG])
def test_what_is_refused(api: Wire, body: Any, status: int, code: str) -> None:
    assert refused(api.post("/analytics/v1/merchant/metrics/payments", body)) == (status, code)


def test_wrong_fields_are_named_with_their_place(api: Wire) -> None:
    good = {"timeRange": ALL, "metrics": ["payment_count"]}
    reply = api.post("/analytics/v1/metrics/payments", [good, {**good, "timeRange": {"startTime": 1}}])
    assert [wrong["field"] for wrong in reply.error["fields"]] == ["1.timeRange.startTime"]


MISPLACED: tuple[tuple[str, Row], ...] = (
    ("delta", {"delta": True}),
    ("groupByNames", {"groupByNames": ["x"]}),
    ("metrics", {"metrics": ["x"]}),
    ("filters.x", {"filters": {"x": ["a"]}}),
    ("filters.currency.0", {"filters": {"currency": ["usd"]}}),
    ("filters.currency", {"filters": {"currency": []}}),
    ("timeSeries.granularity", {"timeSeries": {"granularity": "x"}}),
    ("timeRange.startTime", {"timeRange": {"startTime": "2999-01-01T00:00:00Z"}}),
)


@pytest.mark.parametrize(("place", "wrong"), MISPLACED, ids=[place for place, _ in MISPLACED])
def test_a_mistake_has_the_number_of_its_request(api: Wire, place: str, wrong: Row) -> None:
    good = {"timeRange": ALL, "metrics": ["payment_count"]}
    reply = api.post("/analytics/v1/metrics/payments", [good, good, {**good, **wrong}])
    assert [one["field"] for one in reply.error["fields"]] == [f"2.{place}"]
    if not {"delta", "metrics", "timeSeries"} & wrong.keys():
        one = api.post("/analytics/v1/filters/payments", {"timeRange": ALL, **wrong})
        assert [one["field"] for one in one.error["fields"]] == [place]


def test_numbers_are_the_merchants_own(api: Wire, ledger: Ledger) -> None:
    assert ask(api.as_key("snd_somebody_else"), "payments", ["payment_count"])["queryData"] == []
