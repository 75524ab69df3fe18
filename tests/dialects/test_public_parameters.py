"""Every parameter of a query that the public API has is read, and those that choose records choose them.

The table (public_parameters.txt) has the names; the operations that are 501 have no queries here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.api.saving import mandate
from tests.clocks import ManualClock
from tests.dialects.parameters import operation
from tests.dialects.test_public_operations import ROWS as STANDING
from tests.wire import Wire, card_data, wire

TABLE: Final = Path(__file__).with_name("public_parameters.txt")
NOT_HERE: Final = {f"{method} {path}" for standing, method, path in STANDING if standing == "501"}
SECOND: Final = 1_000


def parameters() -> Iterator[tuple[str, str]]:
    """Each route with each of its parameters."""
    for line in TABLE.read_text().splitlines()[1:]:
        method, path, *names = line.split(" ")
        if f"{method} {path}" not in NOT_HERE:
            yield from ((f"{method} {path}", name) for name in names)


ROWS: Final = tuple(parameters())


def test_there_are_many() -> None:
    assert len(ROWS) > 50


@pytest.mark.parametrize(("route", "name"), ROWS, ids=[" ".join(row) for row in ROWS])
def test_a_parameter_is_known(route: str, name: str) -> None:
    query: Any = operation(route).takes[1]
    assert query is not None
    assert name.replace(".", "_") in query.of(HYPERSWITCH).schema.load_fields


@pytest.mark.parametrize("path", ["/disputes/list", "/disputes/profile/list"])
def test_disputes_are_chosen_by_their_time(path: str) -> None:
    clock = ManualClock()
    api = wire(clock=clock, dialect=HYPERSWITCH)
    made = []
    for _ in range(3):
        clock.advance(SECOND)
        payment = api.pay()["payment_id"]
        made.append(api.post(f"/_sandbox/payments/{payment}/dispute", {"reason": "fraudulent"})["dispute_id"])
    when = {row["dispute_id"]: row["created_at"] for row in api.get("/disputes/list").json}
    middle = when[made[1]]
    expected = {"": [1], ".lt": [0], ".lte": [0, 1], ".gt": [2], ".gte": [1, 2]}
    for end, places in expected.items():
        shown = {row["dispute_id"] for row in api.get(f"{path}?received_time{end}={middle}").json}
        assert shown == {made[place] for place in places}, end


def test_keys_are_skipped() -> None:
    api = wire(dialect=HYPERSWITCH).as_key("admin")
    api.post("/accounts", {"merchant_id": "mer_shop"})
    for name in "abc":
        api.post("/api_keys/mer_shop", {"name": name, "expiration": "never"})
    names = [row["name"] for row in api.get("/api_keys/mer_shop/list").json]
    assert len(names) == 3
    assert [row["name"] for row in api.get("/api_keys/mer_shop/list?skip=1&limit=1").json] == names[1:2]


def test_mandates_are_chosen_by_their_status_and_connector() -> None:
    api = wire(dialect=HYPERSWITCH)
    active, revoked = mandate(api), mandate(api)
    api.post(f"/mandates/revoke/{revoked}")
    for status, expected in (("active", [active]), ("revoked", [revoked]), ("pending", [])):
        assert [row["mandate_id"] for row in api.get(f"/mandates/list?mandate_status={status}").json] == expected
    connector = api.get("/payments/list")["data"][0]["connector"]
    assert len(api.get(f"/mandates/list?connector={connector}").json) == 2
    assert api.get("/mandates/list?status=active").status == 400


def saved(api: Wire) -> str:
    """A payment's secret, whose customer has three cards."""
    api.post("/customers", {"customer_id": "cus_1"})
    for number in ("4242424242424242", "5555555555554444", "378282246310005"):
        body = {"customer_id": "cus_1", "payment_method": "card", "card": card_data(number, card_cvc=None)}
        assert api.post("/payment_methods", body).status == 200
    made = api.post("/payments", {"amount": 1, "currency": "USD", "customer_id": "cus_1"})
    return str(made["client_secret"])


def test_saved_methods_are_limited() -> None:
    api = wire(dialect=HYPERSWITCH)
    secret = saved(api)
    of_payment = f"/customers/payment_methods?client_secret={secret}&"
    for shop, path in ((api, "/customers/cus_1/payment_methods?"), (api.page(), of_payment)):
        everything = shop.get(f"{path}amount=5")["customer_payment_methods"]
        assert len(everything) == 3
        first = shop.get(f"{path}limit=2")["customer_payment_methods"]
        assert [row["payment_method_id"] for row in first] == [row["payment_method_id"] for row in everything[:2]]
