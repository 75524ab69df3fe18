"""What lists are asked for in the public words: amounts, order, ids, where a card came from, a profile's own."""

from __future__ import annotations

import random
from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.clocks import ManualClock
from tests.counts import times
from tests.wire import Wire, card_payment, wire

AMOUNTS: Final = (500, 300, 100, 300, 200)


@pytest.fixture(params=[INTERFACE, HYPERSWITCH], ids=lambda dialect: dialect.name)
def api(request: pytest.FixtureRequest) -> Wire:
    """A shop with five payments of its own."""
    clock = ManualClock()
    api = wire(clock=clock, dialect=request.param)
    for number, amount in enumerate(AMOUNTS):
        clock.advance(1_000)
        made = api.post("/payments", card_payment(amount=amount, payment_id=f"pay_{number}"))
        assert made.status == 200, made.raw
    return api


def listed(api: Wire, **asked: Any) -> list[str]:
    """The ends of the ids that a list gives."""
    reply = api.post("/payments/list", asked)
    assert reply.status == 200, reply.raw
    return [one["payment_id"].removeprefix("pay_") for one in reply["data"]]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, "43210"),
        ({"order": {"on": "created", "by": "asc"}}, "01234"),
        ({"order": {"on": "amount", "by": "desc"}}, "03142"),
        ({"order": {"on": "amount", "by": "asc"}}, "24130"),
        ({"order": {"on": "amount", "by": "asc"}, "limit": 2, "offset": 1}, "41"),
        ({"order": {"on": "amount"}, "offset": 4}, "2"),
        ({"order": {"on": "amount"}, "offset": 9}, ""),
        ({"order": {"by": "asc"}, "starting_after": "pay_2"}, "01"),
        ({"order": {"on": "amount"}, "starting_after": "pay_3"}, "142"),
        ({"order": {"on": "amount"}, "starting_after": "pay_3", "limit": 1, "offset": 1}, "4"),
        ({"order": {"on": "amount"}, "ending_before": "pay_4", "limit": 2}, "31"),
        ({"order": {"on": "amount"}, "ending_before": "pay_1"}, "03"),
        ({"order": {"on": "amount", "by": "asc"}, "ending_before": "pay_1", "limit": 1}, "3"),
        ({"order": {"on": "amount", "by": "asc"}, "starting_after": "pay_3"}, "241"),
        ({"order": {"on": "amount"}, "starting_after": "pay_3", "ending_before": "pay_2"}, "14"),
        ({"order": {"on": "amount"}, "starting_after": "pay_2", "ending_before": "pay_0"}, ""),
        ({"amount_filter": {"start_amount": 200, "end_amount": 300}}, "431"),
        ({"amount_filter": {"start_amount": 301}}, "0"),
        ({"amount_filter": {"start_amount": 900}}, ""),
        ({"amount_filter": {"end_amount": 200}, "order": {"on": "amount", "by": "desc"}}, "42"),
        ({"payment_id": "pay_3"}, "3"),
        ({"payment_id": "pay_nobody"}, ""),
        ({"card_discovery": ["manual"], "limit": 1}, "4"),
        ({"card_discovery": ["saved_card"]}, ""),
    ],
    ids=str,
)
def test_payments_by_what_they_are_asked_for(api: Wire, asked: dict[str, Any], found: str) -> None:
    assert "".join(listed(api, **asked)) == found


def at(number: int) -> str:
    """When a payment was made."""
    return f"2026-01-01T00:00:0{number + 1}.000Z"


def page_of(asked: dict[str, Any]) -> str:
    """What a list has to give: what stands between the cursors and times, sorted, from the offset to the limit."""
    order = asked.get("order", {})
    places = {str(number): (amount * (order.get("on") == "amount"), number) for number, amount in enumerate(AMOUNTS)}
    older, newer = (asked.get(name, "").removeprefix("pay_") for name in ("starting_after", "ending_before"))
    between = [
        one
        for one, place in places.items()
        if (not older or place < places[older]) and (not newer or place > places[newer])
        if asked.get("start_time", "") <= at(int(one)) <= asked.get("end_time", "9")
    ]
    is_rising = order.get("by") == "asc"
    from_cursor = bool(newer) and not older and not is_rising  # the page ends where that cursor stands
    rows = sorted(between, key=places.__getitem__, reverse=not is_rising and not from_cursor)
    page = rows[asked.get("offset", 0) :][: asked["limit"]]
    return "".join(reversed(page) if from_cursor else page)


def test_any_page_is_a_part_of_the_sorted_list(api: Wire) -> None:
    draw = random.Random(1)
    for _ in range(times(60, soak=2_000)):
        asked: dict[str, Any] = {"limit": draw.randrange(1, 6)}
        if draw.random() < 0.7:
            asked["order"] = {"on": draw.choice(["created", "amount"]), "by": draw.choice(["asc", "desc"])}
        if draw.random() < 0.4:
            asked["offset"] = draw.randrange(4)
        asked |= {
            name: f"pay_{draw.randrange(5)}" for name in ("starting_after", "ending_before") if draw.random() < 0.6
        }
        asked |= {name: at(draw.randrange(5)) for name in ("start_time", "end_time") if draw.random() < 0.3}
        assert "".join(listed(api, **asked)) == page_of(asked), asked


def test_totals_count_what_matches(api: Wire) -> None:
    asked = {
        "amount_filter": {"start_amount": 200, "end_amount": 300},
        "order": {"on": "amount", "by": "asc"},
        "limit": 1,
    }
    reply = api.post("/payments/list", asked)
    assert (len(reply["data"]), reply["total_count"]) == (1, 3)


@pytest.mark.parametrize(
    "wrong",
    [{"order": {"on": "planet"}}, {"order": "asc"}, {"order": []}, {"amount_filter": {"start_amount": "x"}}],
    ids=str,
)
def test_wrong_ways_to_ask_are_refused(api: Wire, wrong: dict[str, Any]) -> None:
    assert api.post("/payments/list", wrong).status == 400


def test_lists_of_a_profile_are_narrowed_to_it(api: Wire) -> None:
    paid = api.pay(profile_id="pro_other")
    api.post("/refunds", {"payment_id": paid["payment_id"]})
    other, shop = ({"X_Profile_Id": name} for name in ("pro_other", "pro_shop"))
    assert len(api.get("/payments/profile/list", **other)["data"]) == 1
    assert len(api.post("/payments/profile/list", {}, **shop)["data"]) == len(AMOUNTS)
    assert api.post("/payments/profile/list", {"profile_id": "pro_other"}, **shop)["data"] == []
    assert len(api.get("/payments/profile/list")["data"]) == len(AMOUNTS) + 1
    assert len(api.get("/payments/list", **other)["data"]) == len(AMOUNTS) + 1
    assert len(api.post("/refunds/profile/list", {}, **other)["data"]) == 1
    assert api.post("/refunds/profile/list", {}, **shop)["data"] == []
    for kind in ("payments", "refunds"):
        asked = (("profile/", other), ("profile/", shop), ("", other))
        counts = [api.get(f"/{kind}/{level}aggregate", **one)["status_with_count"] for level, one in asked]
        own = len(AMOUNTS) if kind == "payments" else 0
        assert [sum(one.values()) for one in counts] == [1, own, 1 + own]
    disputes = api.get("/disputes/profile/list", **other).json
    assert (disputes if isinstance(disputes, list) else disputes["data"]) == []
    for path in ("/payments/profile/list", "/refunds/profile/list"):
        assert api.post(path, {}, X_Profile_Id="pro_nobody").status == 404
    for kind in ("payments", "refunds", "disputes"):
        assert api.get(f"/{kind}/profile/aggregate", X_Profile_Id="pro_nobody").status == 404
    assert api.get("/disputes/profile/list", X_Profile_Id="pro_nobody").status == 404


def test_a_saved_card_is_found_as_one() -> None:
    api = wire(dialect=HYPERSWITCH)
    first = api.pay(
        customer_id="cus_1", setup_future_usage="off_session", customer_acceptance={"acceptance_type": "offline"}
    )
    saved = {"type": "payment_method_id", "data": first["payment_method_id"]}
    again = {"amount": 100, "currency": "USD", "customer_id": "cus_1", "confirm": True, "off_session": True}
    second = api.post("/payments", {**again, "recurring_details": saved})
    assert second["card_discovery"] == "saved_card"
    found = api.post("/payments/list", {"card_discovery": ["saved_card"]})["data"]
    assert [one["payment_id"] for one in found] == [second["payment_id"]]


def test_a_collected_transfer_is_followed_to_its_end() -> None:
    clock = ManualClock()
    api = wire(clock=clock, dialect=HYPERSWITCH)
    method = {"payment_method": "upi", "payment_method_type": "upi_collect", "currency": "INR"}
    found = []
    for vpa in ("success@upi", "jane.doe@okbank", "failure@upi"):
        made = api.pay(**method, payment_method_data={"upi": {"upi_collect": {"vpa_id": vpa}}})
        clock.advance(600_000)
        ended = api.get(f"/payments/{made['payment_id']}?force_sync=true")
        found.append((made["status"], ended["status"]))
    assert found == [("requires_customer_action", "succeeded")] * 2 + [("failed", "failed")]
