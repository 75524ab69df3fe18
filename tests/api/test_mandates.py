"""Mandates over HTTP: made, charged within their bounds, revoked (facts §2.8, §3.7, §8)."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.customer import MANDATE_MACHINE
from mock_server.domain.events import EventType
from mock_server.domain.paging import Query
from mock_server.domain.statuses import MandateStatus
from mock_server.engine.kinds import EVENTS
from tests.api.saving import ACCEPTANCE, CHARGE, CUSTOMER, charge, mandate, off_session, refused, save
from tests.clocks import ManualClock
from tests.wire import Reply, Wire, card_payment

DAY_MS = 24 * 60 * 60 * 1000
FIELDS = [
    "mandate_id",
    "status",
    "payment_method_id",
    "payment_method",
    "payment_method_type",
    "card",
    "customer_acceptance",
]


def told(api: Wire) -> list[EventType]:
    workspace = api.sandbox.workspaces()[0]
    events = workspace.space.transact(lambda tx: tx.find(EVENTS, Query(limit=100, ascending=True)).items)
    return [event.type for event in events if event.type.value.startswith("mandate")]


def test_a_payment_makes_a_mandate_and_saves_its_method(api: Wire) -> None:
    mandate_id = mandate(api, "multi_use")
    reply = api.get(f"/mandates/{mandate_id}")
    assert list(reply.json) == FIELDS
    assert (reply["status"], reply["payment_method"], reply["card"]["last4_digits"]) == ("active", "card", "4242")
    assert reply["customer_acceptance"] == ACCEPTANCE
    assert api.get(f"/payment_methods/{reply['payment_method_id']}").status == 200
    assert told(api) == [EventType.MANDATE_ACTIVE]


def test_saving_a_method_alone_is_no_mandate(api: Wire) -> None:
    assert save(api)["mandate_id"] is None
    assert api.get("/mandates/list")["total_count"] == 0
    assert api.delete(f"/customers/{CUSTOMER}").status == 200


def test_a_payment_that_fails_makes_none(api: Wire) -> None:
    data = {"customer_acceptance": ACCEPTANCE, "mandate_type": {"multi_use": None}}
    payment = api.pay("visa_generic_decline", customer_id=CUSTOMER, setup_future_usage="off_session", mandate_data=data)
    assert (payment["status"], payment["mandate_id"]) == ("failed", None)


@pytest.mark.parametrize("by", ["mandate_id", "recurring_details"])
def test_a_mandate_is_charged(api: Wire, by: str) -> None:
    mandate_id = mandate(api)
    payment = (
        charge(api, mandate_id=mandate_id, off_session=True)
        if by == "mandate_id"
        else off_session(api, "mandate_id", mandate_id)
    )
    assert (payment["status"], payment["mandate_id"]) == ("succeeded", mandate_id)
    assert payment["payment_method_id"] == api.get(f"/mandates/{mandate_id}")["payment_method_id"]


def test_the_bound_of_several_uses_is_that_of_their_sum(api: Wire) -> None:
    mandate_id = mandate(api, "multi_use")
    assert off_session(api, "mandate_id", mandate_id, amount=6000)["status"] == "succeeded"
    assert refused(off_session(api, "mandate_id", mandate_id, amount=4001)) == (400, "HE_03")
    assert off_session(api, "mandate_id", mandate_id, amount=4000)["status"] == "succeeded"
    assert refused(off_session(api, "mandate_id", mandate_id, amount=1)) == (400, "HE_03")


def test_a_charge_that_failed_uses_nothing_up(api: Wire) -> None:
    data = {"customer_acceptance": ACCEPTANCE, "mandate_type": {"single_use": {"amount": 100, "currency": "USD"}}}
    made = api.pay(
        "visa_declines_when_saved", customer_id=CUSTOMER, setup_future_usage="off_session", mandate_data=data
    )
    for _ in range(2):
        assert off_session(api, "mandate_id", made["mandate_id"], amount=100)["status"] == "failed"


def test_a_single_use_is_over_after_one(api: Wire) -> None:
    mandate_id = mandate(api, "single_use")
    assert off_session(api, "mandate_id", mandate_id)["status"] == "succeeded"
    assert api.get(f"/mandates/{mandate_id}")["status"] == "inactive"
    again = off_session(api, "mandate_id", mandate_id)
    assert refused(again) == (400, "HE_03")
    assert again.error["reason"] == "the mandate was already used"
    assert api.delete(f"/customers/{CUSTOMER}").status == 200


UNFINISHED = ("pending:succeeded:10s", "requires_action:approved", "requires_merchant_action", "pending:failed:10s")
"""The ways in which a charge can be unfinished."""


@pytest.mark.parametrize("first", UNFINISHED)
@pytest.mark.parametrize("second", ["succeeded", *UNFINISHED])
@pytest.mark.parametrize("kind", ["single_use", "multi_use"])
def test_a_charge_that_is_not_finished_counts(api: Wire, kind: str, first: str, second: str) -> None:
    mandate_id, other = mandate(api, kind), mandate(api, kind)

    def ask(outcome: str, mandate_id: str = mandate_id) -> Reply:
        about = {"type": "mandate_id", "data": mandate_id}
        body = {**CHARGE, "amount": 6000, "off_session": True, "recurring_details": about}
        return api.post("/payments", body, X_Sandbox_Outcome=outcome)

    begun = ask(first)
    assert begun["status"] in ("pending", "requires_action", "requires_merchant_action")
    assert refused(ask(second)) == (400, "HE_03")
    assert ask(second, other).status == 200
    ends = "/payments/{}/reject" if first == "requires_merchant_action" else "/_sandbox/payments/{}/fail"
    assert (
        api.post(ends.format(begun["payment_id"]), {"decline": "lost_card"} if "fail" in ends else None)["status"]
        == "failed"
    )
    assert ask(second).status == 200


def test_without_bounds_anything_goes(api: Wire) -> None:
    mandate_id = mandate(api)
    for _ in range(3):
        assert off_session(api, "mandate_id", mandate_id, amount=999_999_999)["status"] == "succeeded"


PERIODS: list[tuple[str, int, bool]] = [("before", 0, False), ("within", 2, True), ("after", 4, False)]


@pytest.mark.parametrize(("when", "days", "holds"), PERIODS, ids=[row[0] for row in PERIODS])
def test_a_mandate_holds_between_its_dates(api: Wire, clock: ManualClock, when: str, days: int, holds: bool) -> None:
    mandate_id = mandate(api, "multi_use", start_date="2026-01-02T00:00:00Z", end_date="2026-01-04T00:00:00Z")
    clock.advance(days * DAY_MS)
    reply = off_session(api, "mandate_id", mandate_id)
    assert (reply.status == 200) is holds
    if not holds:
        assert (refused(reply), reply.error["reason"]) == ((400, "HE_03"), "the mandate is not valid today")


def test_a_charge_must_be_like_its_mandate(api: Wire) -> None:
    mandate_id = mandate(api, "multi_use")
    reply = off_session(api, "mandate_id", mandate_id, currency="EUR", customer_id="cus_other")
    assert refused(reply) == (400, "IR_46")
    assert reply.error["fields"] == "customer_id, currency"


def test_a_revoked_mandate_is_over(api: Wire) -> None:
    mandate_id = mandate(api)
    assert api.post(f"/mandates/revoke/{mandate_id}").json == {
        "mandate_id": mandate_id,
        "status": "revoked",
        "error_code": None,
        "error_message": None,
    }
    assert api.get(f"/mandates/{mandate_id}")["status"] == "revoked"
    for reply in (api.post(f"/mandates/revoke/{mandate_id}"), off_session(api, "mandate_id", mandate_id)):
        assert (refused(reply), reply.error["reason"]) == ((400, "HE_03"), "the mandate is revoked")
    assert told(api) == [EventType.MANDATE_ACTIVE, EventType.MANDATE_REVOKED]


def test_a_customer_with_an_active_mandate_stays(api: Wire) -> None:
    mandate_id = mandate(api)
    assert refused(api.delete(f"/customers/{CUSTOMER}")) == (400, "IR_10")
    api.post(f"/mandates/revoke/{mandate_id}")
    assert api.delete(f"/customers/{CUSTOMER}").status == 200
    assert api.get(f"/payment_methods/{api.get(f'/mandates/{mandate_id}')['payment_method_id']}").status == 404


REFUSED: list[tuple[str, str, str, Any, int, str]] = [
    ("unknown to retrieve", "GET", "/mandates/man_nobody", None, 404, "HE_02"),
    ("unknown to revoke", "POST", "/mandates/revoke/man_nobody", None, 404, "HE_02"),
    ("of an unknown customer", "GET", "/customers/nobody/mandates", None, 404, "HE_02"),
    ("unknown to charge", "POST", "/payments", {"amount": 1, "currency": "USD", "profile_id": "p", "customer_id": "c", "confirm": True, "off_session": True, "mandate_id": "man_nobody"}, 404, "HE_02"),
    ("on session", "POST", "/payments", card_payment(customer_id="c", mandate_data={"customer_acceptance": ACCEPTANCE}, setup_future_usage="on_session"), 400, "IR_16"),
    ("nobody agreed", "POST", "/payments", card_payment(customer_id="c", mandate_data={"mandate_type": {"multi_use": None}}, setup_future_usage="off_session"), 400, "IR_04"),
    ("two kinds", "POST", "/payments", card_payment(customer_id="c", setup_future_usage="off_session", mandate_data={"customer_acceptance": ACCEPTANCE, "mandate_type": {"single_use": {"amount": 1, "currency": "USD"}, "multi_use": {"amount": 1, "currency": "USD"}}}), 400, "IR_04"),
    ("unknown status", "POST", "/mandates/list", {"status": "asleep"}, 400, "IR_04"),
    ("unknown parameter", "GET", "/mandates/list?state=active", None, 400, "IR_06"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"), [pytest.param(*row[1:], id=row[0]) for row in REFUSED]
)
def test_what_is_refused(api: Wire, method: str, path: str, body: Any, status: int, code: str) -> None:
    assert refused(api.call(method, path, body)) == (status, code)


def test_lists_filter_and_page(api: Wire, clock: ManualClock) -> None:
    made = []
    for _ in range(3):
        made.append(mandate(api))
        clock.advance(1000)
    api.post(f"/mandates/revoke/{made[0]}")

    def ids_of(page: Any) -> list[str]:
        return [item["mandate_id"] for item in page["data"]]

    assert ids_of(api.get("/mandates/list")) == made[::-1]
    assert ids_of(api.get("/mandates/list?status=active&limit=1&offset=1")) == [made[1]]
    assert ids_of(api.post("/mandates/list", {"status": ["revoked", "inactive"]})) == [made[0]]
    assert ids_of(api.get(f"/customers/{CUSTOMER}/mandates?limit=2")) == made[:0:-1]
    assert ids_of(api.get("/mandates/list?customer_id=cus_other")) == []


def test_every_status_but_pending_is_reached_by_an_edge() -> None:
    reached = {row.target for row in MANDATE_MACHINE.rows}
    assert reached == set(MandateStatus) - {MandateStatus.PENDING}
    assert all(row.source in (None, MandateStatus.ACTIVE) for row in MANDATE_MACHINE.rows)
