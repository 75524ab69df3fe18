"""The setting `max_records`: creates beyond it are refused and undone, everything else goes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mock_server import dialects
from mock_server.dialects import DIALECTS
from tests.clocks import ManualClock
from tests.wire import Wire, wire

MOST = 20
MANY = "name: many\ngiven: {payments: {count: 300}}"


def full(api: Wire) -> list[str]:
    """Payments until one is refused."""
    made = []
    while (reply := api.pay(customer_id="cus_1")).status == 200:
        made.append(str(reply["payment_id"]))
        assert len(made) <= MOST
    return made


def test_by_default_there_is_no_limit() -> None:
    api = wire(clock=ManualClock())
    assert {api.post("/customers", {}).status for _ in range(200)} == {200}


def test_a_create_beyond_it_is_refused_with_its_reason_and_leaves_nothing() -> None:
    api = wire(clock=ManualClock(), max_records=MOST)
    made = full(api)
    assert len(made) == MOST - 2  # besides, there are the customer and the profile
    before = api.get("/_sandbox/webhooks")["total_count"]
    refused = api.post("/refunds", {"payment_id": made[0]}, X_Idempotency_Key="one")
    assert (refused.status, refused.error["code"]) == (413, "IR_06")
    assert "max_records" in refused.error["message"]
    assert api.get("/payments/list")["total_count"] == len(made)
    assert api.get("/_sandbox/webhooks")["total_count"] == before
    assert api.get(f"/payments/{made[0]}")["status"] == "succeeded"
    assert "records_full" in {row["cause"] for row in api.get("/_sandbox/journal?operation=refunds.create")["data"]}


def test_what_makes_no_record_goes_on_and_another_workspace_too() -> None:
    api = wire(clock=ManualClock(), max_records=MOST)
    held = api.pay(capture_method="manual")["payment_id"]
    full(api)
    assert api.post(f"/payments/{held}/capture").status == 200
    assert api.post("/customers/cus_1", {"name": "Jane Doe"}).status == 200
    assert api.as_key("snd_other_0123456789").pay().status == 200


def test_the_same_key_is_not_used_up_by_a_refused_create() -> None:
    api = wire(clock=ManualClock(), max_records=MOST)
    full(api)
    body = {"name": "Jane Doe"}
    assert api.post("/customers", body, X_Idempotency_Key="one").status == 413
    assert api.delete("/customers/cus_1").status == 200  # a deleted customer stays as a record
    assert api.post("/customers", body, X_Idempotency_Key="one").status == 413
    api.post("/_sandbox/reset")
    assert api.post("/customers", body, X_Idempotency_Key="one").status == 200


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_full_workspace_can_be_saved_and_restored(dialect: str) -> None:
    api = wire(clock=ManualClock(), max_records=3, dialect=dialects.get(dialect))
    while (reply := api.post("/customers", {"name": "Jane Doe"})).status == 200:
        pass
    assert (reply.status, reply.error["code"]) == (413, "IR_06")
    assert api.put("/_sandbox/snapshots/full").status == 200
    assert api.post("/_sandbox/snapshots/full/restore").status == 200
    assert api.post("/customers", {"name": "Jane Doe"}).status == 413


def given_at_the_start(api: Wire) -> None:
    """The scenario is on in each workspace of this server."""


def given_and_restored(api: Wire) -> None:
    assert api.post("/_sandbox/scenarios/many/activate").status == 413
    assert api.put("/_sandbox/snapshots/cut_off").status == 200
    assert api.post("/_sandbox/snapshots/cut_off/restore").status == 200


@pytest.mark.parametrize(("scenario", "begin"), [(("many",), given_at_the_start), ((), given_and_restored)])
def test_given_records_beyond_it_refuse_one_call_and_no_other(
    scenario: tuple[str, ...], begin: Callable[[Wire], None]
) -> None:
    api = wire(clock=ManualClock(), max_records=MOST, scenarios_inline=MANY, scenario=scenario)
    begin(api)
    assert api.pay().status == 413
    assert {api.get("/_sandbox/clock").status for _ in range(2)} == {200}
