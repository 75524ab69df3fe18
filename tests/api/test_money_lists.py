"""Lists and counts of refunds and disputes: one envelope, one set of rules (interface §4.4, §8; facts §1.2, §1.3)."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.statuses import DisputeStage, DisputeStatus, RefundStatus
from tests.api.money_places import REFUNDS, STAGES, disputed, fine, paid, refund, refused
from tests.clocks import ManualClock
from tests.wire import Reply, Wire

KINDS = ("refunds", "disputes")
IDS = {"refunds": "refund_id", "disputes": "dispute_id"}


@pytest.fixture
def shop(api: Wire, clock: ManualClock) -> Wire:
    """A refund in every status and a dispute in every status and stage, a second apart each."""
    for make in REFUNDS.values():
        make(api)
        clock.advance(1000)
    for status in DisputeStatus:
        disputed(api, status=status, reason=f"reason {status.value[-3:]}")
        clock.advance(1000)
    for stage in STAGES[2:]:
        disputed(api, stage)
        clock.advance(1000)
    return api


def both(api: Wire, kind: str, **filters: Any) -> list[Reply]:
    """The same question as a body and as a query."""
    pairs = [(name, one) for name, many in filters.items() for one in (many if isinstance(many, list) else [many])]
    query = "&".join(f"{name}={value}" for name, value in pairs)
    return [api.post(f"/{kind}/list", filters), api.get(f"/{kind}/list?{query}")]


def found(api: Wire, kind: str, **filters: Any) -> list[dict[str, Any]]:
    """What both ways find, all of it."""
    by_body, by_query = both(api, kind, limit=100, **filters)
    assert fine(by_body).raw == fine(by_query).raw
    items: list[dict[str, Any]] = by_body["data"]
    assert (by_body["total_count"], by_body["has_more"]) == (len(items), False)
    return items


# the envelope


@pytest.mark.parametrize(("kind", "total"), [("refunds", 4), ("disputes", 10)])
def test_the_newest_comes_first_and_pages_cover_everything(shop: Wire, kind: str, total: int) -> None:
    everything = found(shop, kind)
    assert len(everything) == total
    assert [item["created_at"] for item in everything] == sorted(
        (item["created_at"] for item in everything), reverse=True
    )
    pages = [shop.post(f"/{kind}/list", {"limit": 3, "offset": offset}) for offset in range(0, total + 3, 3)]
    assert [item for page in pages for item in page["data"]] == everything
    assert [page["has_more"] for page in pages] == [offset + 3 < total for offset in range(0, total + 3, 3)]
    assert {page["total_count"] for page in pages} == {total}


@pytest.mark.parametrize("kind", KINDS)
def test_an_item_is_what_its_retrieve_answers(shop: Wire, kind: str) -> None:
    items = found(shop, kind)
    assert [fine(shop.get(f"/{kind}/{item[IDS[kind]]}")).json for item in items] == items != []


@pytest.mark.parametrize("kind", KINDS)
def test_ten_without_a_limit(shop: Wire, kind: str) -> None:
    assert len(shop.get(f"/{kind}/list")["data"]) == min(10, len(found(shop, kind)))
    assert shop.post(f"/{kind}/list").raw == shop.get(f"/{kind}/list").raw


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ("limit=0", "IR_04"),
        ("limit=101", "IR_04"),
        ("limit=ten", "IR_04"),
        ("offset=-1", "IR_04"),
        ("created_gte=yesterday", "IR_04"),
        ("created_lte=2026-13-01", "IR_04"),
        ("status=nonsense", "IR_04"),
        ("currency=usd", "IR_04"),
        ("payment_method=cash", "IR_04"),
        ("stauts=succeeded", "IR_06"),
        ("start_time=yesterday", "IR_04"),
        ("starting_after=pay_1", "IR_06"),
    ],
)
def test_a_wrong_parameter_is_refused(api: Wire, kind: str, wrong: str, code: str) -> None:
    assert refused(api.get(f"/{kind}/list?{wrong}")) == (400, code)
    assert refused(api.get(f"/{kind}/aggregate?{wrong}")) == (400, code)


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_parameter_has_its_nearest_name(api: Wire, kind: str) -> None:
    assert "status" in api.get(f"/{kind}/list?stauts=x").error["message"]


@pytest.mark.parametrize("kind", KINDS)
def test_times_are_included_on_both_sides(shop: Wire, kind: str) -> None:
    everything = found(shop, kind)
    at = everything[1]["created_at"]
    later, earlier = found(shop, kind, created_gte=at), found(shop, kind, created_lte=at)
    assert later == everything[:2]
    assert earlier == everything[1:]
    assert found(shop, kind, created_gte=at, created_lte=at) == [everything[1]]


# filters


@pytest.mark.parametrize("name", ["status", "refund_status"])
@pytest.mark.parametrize("status", list(RefundStatus))
def test_refunds_by_status(shop: Wire, name: str, status: RefundStatus) -> None:
    assert [item["status"] for item in found(shop, "refunds", **{name: status.value})] == [status]


@pytest.mark.parametrize("name", ["status", "dispute_status"])
@pytest.mark.parametrize("status", list(DisputeStatus))
def test_disputes_by_status(shop: Wire, name: str, status: DisputeStatus) -> None:
    items = found(shop, "disputes", **{name: status.value})
    assert {item["dispute_status"] for item in items} == {status}
    assert len(items) == (4 if status is DisputeStatus.OPENED else 1)


@pytest.mark.parametrize("stage", list(DisputeStage))
def test_disputes_by_stage(shop: Wire, stage: DisputeStage) -> None:
    items = found(shop, "disputes", dispute_stage=stage.value)
    assert {item["dispute_stage"] for item in items} == ({stage} if stage != "pre_dispute" else set())


def test_several_values_and_several_filters(shop: Wire) -> None:
    assert len(found(shop, "refunds", status=["pending", "review"])) == 2
    assert len(shop.get("/refunds/list?status=pending,review")["data"]) == 2
    assert len(found(shop, "refunds", status=["pending", "review"], refund_status=["review", "failed"])) == 1
    assert found(shop, "refunds", status="pending", refund_status="failed") == []
    assert len(found(shop, "disputes", dispute_status="dispute_opened", dispute_stage=["dispute", "arbitration"])) == 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["payment_id", "profile_id", "connector", "currency"])
def test_by_what_is_shown(shop: Wire, kind: str, name: str) -> None:
    everything = found(shop, kind)
    value = everything[-1][name]
    assert found(shop, kind, **{name: value}) == [item for item in everything if item[name] == value]
    assert found(shop, kind, **{name: "EUR" if name == "currency" else "nobody"}) == []


@pytest.mark.parametrize("kind", KINDS)
def test_by_its_own_id(shop: Wire, kind: str) -> None:
    last = found(shop, kind)[-1]
    assert found(shop, kind, **{IDS[kind]: last[IDS[kind]]}) == [last]


def test_disputes_by_reason(shop: Wire) -> None:
    assert len(found(shop, "disputes", reason="reason won")) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_by_the_customer_and_the_method_of_the_payment(api: Wire, kind: str) -> None:
    ours = paid(api, customer_id="cus_1")
    paid(api, customer_id="cus_2")
    fine(refund(api, ours, amount=1))
    fine(api.post(f"/_sandbox/payments/{ours}/dispute", {"amount": 1}))
    for filters in ({"customer_id": "cus_1"}, {"payment_method": "card"}, {"payment_method": "credit"}):
        assert [item["payment_id"] for item in found(api, kind, **filters)] == [ours]
    for filters in ({"customer_id": "cus_2"}, {"payment_method": "wallet"}, {"payment_method_type": "debit"}):
        assert found(api, kind, **filters) == []


@pytest.mark.parametrize(
    ("start", "end", "amounts"),
    [(None, None, [30, 20, 20, 10]), (20, None, [30, 20, 20]), (None, 19, [10]), (11, 29, [20, 20]), (31, 40, [])],
)
def test_refunds_by_amount(api: Wire, start: int | None, end: int | None, amounts: list[int]) -> None:
    payment = paid(api)
    for amount in (10, 20, 20, 30):
        fine(refund(api, payment, amount=amount))
    bounds = {name: value for name, value in (("start_amount", start), ("end_amount", end)) if value is not None}
    nested = fine(api.post("/refunds/list", {"amount_filter": bounds}))
    assert [item["amount"] for item in nested["data"]] == amounts
    assert [item["amount"] for item in found(api, "refunds", **bounds)] == amounts
    counted = api.get("/refunds/aggregate?" + "&".join(f"{name}={value}" for name, value in bounds.items()))
    assert counted["status_with_count"]["succeeded"] == len(amounts)


@pytest.mark.parametrize("wrong", [{"start_amount": -1}, {"start_amount": "1"}, {"from": 1}, 5])
def test_wrong_bounds_are_refused(api: Wire, wrong: object) -> None:
    reply = api.post("/refunds/list", {"amount_filter": wrong})
    assert reply.status == 400
    assert reply.error["fields"][0]["field"].startswith("amount_filter")


# counts


def test_counts_are_those_of_the_list(shop: Wire) -> None:
    counts = fine(shop.get("/refunds/aggregate"))["status_with_count"]
    assert counts == dict.fromkeys(("pending", "succeeded", "failed", "review"), 1)
    counts = fine(shop.get("/disputes/aggregate"))["status_with_count"]
    assert counts == {status.value: 4 if status is DisputeStatus.OPENED else 1 for status in DisputeStatus}
    counts = fine(shop.get("/disputes/aggregate?dispute_stage=arbitration"))["status_with_count"]
    assert sum(counts.values()) == 1


def test_an_empty_workspace_counts_nothing(api: Wire) -> None:
    assert set(api.get("/refunds/aggregate")["status_with_count"].values()) == {0}
    assert set(api.get("/disputes/aggregate")["status_with_count"].values()) == {0}
