"""Workspaces, and new ones in their place."""

from __future__ import annotations

import pytest

from mock_server.control.requests import ResetBody
from tests.wire import KEY, Wire, wire


def test_workspaces_are_listed_with_their_counts_and_without_their_keys(api: Wire) -> None:
    assert api.get("/_sandbox/workspaces").json == {"data": [], "total_count": 0}
    made = api.pay(customer_id="cus_1")
    api.as_key("snd_other_0123456789").get("/health")
    reply = api.get("/_sandbox/workspaces")
    assert reply["total_count"] == 2
    first = reply["data"][0]
    assert (first["merchant_id"], first["payments"], first["customers"], first["events"]) == (
        made["merchant_id"],
        1,
        1,
        1,
    )
    assert KEY.removeprefix("snd_").encode() not in reply.raw


def test_a_reset_makes_the_workspace_anew(api: Wire) -> None:
    other = api.as_key("snd_other_0123456789")
    other.pay()
    api.post("/_sandbox/clock/freeze")
    first = [api.pay(customer_id="cus_1")["payment_id"] for _ in range(2)]
    api.post("/_sandbox/clock/advance", {"by": "1h"})
    reply = api.post("/_sandbox/reset")
    assert reply["reset"] == 1
    assert reply["workspace"]["payments"] == reply["workspace"]["events"] == 0
    assert not reply["workspace"]["frozen"]
    assert api.get(f"/payments/{first[0]}").status == 404
    assert api.get("/_sandbox/journal")["total_count"] == 1
    assert [api.pay()["payment_id"] for _ in range(2)] == first
    assert other.get("/payments/list")["total_count"] == 1


def test_a_reset_with_a_seed_and_a_name_decides_the_ids(api: Wire) -> None:
    ids = []
    for key in (KEY, "snd_other_0123456789"):
        client = api.as_key(key)
        workspace = client.post("/_sandbox/reset", {"seed": 42, "name": "tests/test_shop.py::test_pay"})["workspace"]
        assert (workspace["seed"], workspace["name"]) == ("42", "tests/test_shop.py::test_pay")
        ids.append((client.pay()["payment_id"], workspace["merchant_id"]))
    assert ids[0] == ids[1]
    api.post("/_sandbox/reset", {"seed": "43", "name": "tests/test_shop.py::test_pay"})
    assert api.pay()["payment_id"] != ids[0][0]


@pytest.mark.parametrize("name", ResetBody().fields)
def test_a_reset_of_everything_takes_nothing_of_one_workspace(api: Wire, name: str) -> None:
    api.pay()
    refused = api.as_key(None).post("/_sandbox/reset", {name: "x"})
    assert (refused.status, name in refused.error["message"]) == (400, True)
    assert api.get("/payments/list")["total_count"] == 1


def test_a_reset_of_everything(api: Wire) -> None:
    for key in (KEY, "snd_other_0123456789", "snd_third_0123456789"):
        api.as_key(key).pay()
    assert api.as_key(None).post("/_sandbox/reset").json == {"reset": 3}
    assert api.get("/_sandbox/workspaces")["total_count"] == 0
    assert api.get("/payments/list")["total_count"] == 0


def test_a_reset_gives_an_idempotency_key_free() -> None:
    api = wire(seed=None)
    first = api.post("/payments", {"amount": 1, "currency": "EUR", "profile_id": "pro_x"}, X_Idempotency_Key="k")
    api.post("/_sandbox/reset")
    again = api.post("/payments", {"amount": 1, "currency": "EUR", "profile_id": "pro_x"}, X_Idempotency_Key="k")
    assert again["payment_id"] != first["payment_id"]
    assert "X-Sandbox-Replayed" not in again.headers


def test_a_workspace_that_makes_room_leaves_nothing_behind() -> None:
    api = wire(workspaces=2)
    keys = [f"snd_workspace_{number:010}" for number in range(5)]
    for key in keys:
        api.as_key(key).get("/health")
    assert api.get("/_sandbox/workspaces")["total_count"] == 2
    assert len(api.sandbox._views) == 2
    assert len(api.sandbox.server.transact(lambda tx: tx.facts("merchant:"))) == 2
