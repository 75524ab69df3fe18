"""What is only looked at is what the API lists at that moment: every parameter of every list, after time has passed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from mock_server.contract.operations import BY_NAME
from mock_server.control.records import KINDS
from mock_server.dialects.interface import INTERFACE
from tests.api.saving import ACCEPTANCE, CUSTOMER
from tests.clocks import ManualClock
from tests.counts import times
from tests.wire import Wire, wire

LIMITS: Final = {"multi_use": {"amount": 1, "currency": "USD"}}
AGREED: Final[dict[str, Any]] = {
    "mandate_data": {"customer_acceptance": ACCEPTANCE, "mandate_type": LIMITS},
    "setup_future_usage": "off_session", "customer_id": CUSTOMER, "customer_acceptance": ACCEPTANCE,
}  # fmt: skip
STRANGE: Final = ("pay_none", "2026-01-01T00:00:00.001Z", "1", "x", "")
"""Values that some parameters can have, and others cannot."""
BY_BODY: Final = frozenset({"order", "amount_filter"})


def asked(kind: str) -> tuple[str, ...]:
    """The parameters of the API's list."""
    query = BY_NAME[f"{kind}.list"].takes[1]
    assert query is not None
    schema: Any = query.of(INTERFACE).schema
    return tuple(name for name in schema.fields if name not in BY_BODY)


ASKED: Final = [(kind, name) for kind in KINDS for name in asked(kind)]


@pytest.fixture(scope="module")
def api() -> Wire:
    """A workspace with records of every kind, long after what they allowed for a while."""
    clock = ManualClock()
    api = wire(clock=clock)
    merchant = api.pay(amount=200)["merchant_id"]
    assert api.post(f"/account/{merchant}/business_profile/pro_shop", {"is_manual_retry_enabled": True}).status == 200
    saved = api.pay(**AGREED, amount=100, capture_method="manual")
    api.pay("visa_insufficient_funds", amount=300)
    for amount in (200, 100):
        clock.advance(1)
        paid = api.pay(amount=amount, profile_id="pro_other")["payment_id"]
        api.post("/refunds", {"payment_id": paid, "amount": amount // 2})
        api.post(f"/_sandbox/payments/{paid}/dispute", {"amount": 1})
    for mandate in api.get("/mandates/list")["data"]:
        assert api.post(f"/mandates/revoke/{mandate['mandate_id']}").status == 200
    assert api.delete(f"/payment_methods/{saved['payment_method_id']}").status == 200
    clock.advance(600_000)
    return api


@cache
def path_of(api: Wire, kind: str) -> str:
    """The path of the API's list."""
    if kind != "events":
        return f"/{kind}/list"
    return f"/events/{api.get('/payments/list?limit=1')['data'][0]['merchant_id']}"


def listed(api: Wire, kind: str, query: str) -> Any:
    """The answer of the API's list."""
    return api.get(path_of(api, kind) + query)


@cache
def every(api: Wire, kind: str) -> list[dict[str, Any]]:
    return list(listed(api, kind, "")["data"])


def values(api: Wire, kind: str, name: str) -> list[str]:
    """Values of a parameter: what the records have under its name, and others."""
    own = {str(one[name]) for one in every(api, kind) if one.get(name) is not None}
    ids = [str(next(iter(one.values()))) for one in every(api, kind)[:1]]
    return sorted({*sorted(own)[: times(2, soak=99)], *ids, *STRANGE})


INSIDE: Final = ("refunds", "disputes", "state_metadata")
"""What a payment of a list has not, and one that is looked at has."""


def shown(kind: str, records: list[Mapping[str, Any]]) -> list[Any]:
    """What both tell: the inbox tells more of an event, in other words."""
    if kind == "events":
        return [one["event_id"] for one in records]
    return [{name: value for name, value in one.items() if name not in INSIDE} for one in records]


@pytest.mark.parametrize(("kind", "name"), ASKED)
def test_records_are_those_of_the_list(api: Wire, kind: str, name: str) -> None:
    for value in values(api, kind, name):
        query = f"?{urlencode({name: value})}"
        there, here = listed(api, kind, query), api.get(f"/_sandbox/records/{kind}{query}")
        assert here.status == there.status, (query, here.raw, there.raw)
        if there.status == 200:
            assert shown(kind, here["data"]) == shown(kind, there["data"]), query
            assert here["total_count"] == there["total_count"]
        else:
            assert here.error["message"] == there.error["message"], query


@pytest.mark.parametrize("kind", KINDS)
def test_one_record_is_that_of_the_list(api: Wire, kind: str) -> None:
    for one in every(api, kind):
        here = api.get(f"/_sandbox/records/{kind}?id={next(iter(one.values()))}")
        assert (shown(kind, here["data"]), here["total_count"]) == (shown(kind, [one]), 1)


def test_events_that_the_api_lists_no_more_are_looked_at() -> None:
    clock = ManualClock()
    api = wire(clock=clock)
    api.pay()
    clock.advance(91 * 24 * 60 * 60 * 1000)
    assert listed(api, "events", "")["total_count"] == 0
    for query in ("", "?created_after=2025-06-01"):
        assert api.get(f"/_sandbox/records/events{query}")["total_count"] == 1


TOLD: Final = {
    "payments": "payment_failed",
    "refunds": "refund_succeeded",
    "disputes": "dispute_opened",
    "mandates": "mandate_revoked",
}


@pytest.mark.parametrize("kind", TOLD)
def test_an_event_told_by_hand_has_what_a_retrieve_returns(api: Wire, kind: str) -> None:
    for one in every(api, kind):
        id = next(iter(one.values()))
        told = api.post("/_sandbox/webhooks/trigger", {"type": TOLD[kind], "object_id": id})
        assert json.loads(told["payload"])["content"]["object"] == api.get(f"/{kind}/{id}").json
