"""What a request says in two places must be the same in both: it was taken from one, and the other passed over."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mock_server.contract.kinds.objects import Items, ObjectOf
from mock_server.contract.operation import Operation
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.interface import INTERFACE
from tests.clocks import ManualClock
from tests.wire import Wire, card_payment, wire

BARE: dict[str, Any] = {"amount": 100, "currency": "EUR", "profile_id": "pro_shop"}
TWICE = {
    "customer_id": ("id", "cus_a", "cus_b"),
    "name": ("name", "Ada", "Bea"),
    "email": ("email", "a@shop.test", "b@shop.test"),
    "phone": ("phone", "5550100", "5550101"),
    "phone_country_code": ("phone_country_code", "+1", "+49"),
}
METHOD = {name: value for name, value in card_payment().items() if name.startswith("payment_method")}
CHANGES = {"payments.update": {}, "payments.replace": BARE, "payments.confirm": METHOD}


@pytest.mark.parametrize("name", TWICE)
@pytest.mark.parametrize("operation", ["payments.create", *CHANGES])
def test_the_customer_is_the_same_beside_and_inside(api: Wire, operation: str, name: str) -> None:
    inner, one, other = TWICE[name]
    row, body = BY_NAME[operation], dict(CHANGES.get(operation, BARE))
    made = api.post("/payments", BARE)["payment_id"]
    path = row.path.replace("<payment_id>", made)
    reply = api.call(row.method, path, {**body, name: one, "customer": {inner: other}})
    assert (reply.status, reply.error["code"]) == (400, "IR_16"), reply.raw
    assert all(said in reply.error["message"] for said in (name, inner, one, other))
    same = api.call(row.method, path, {**body, name: one, "customer": {inner: one}})
    assert same.status == 200, same.raw


@pytest.mark.parametrize("name", ["payment_id", "profile_id"])
@pytest.mark.parametrize("operation", CHANGES)
def test_a_change_names_the_payment_that_it_changes(api: Wire, operation: str, name: str) -> None:
    made = api.post("/payments", BARE).json
    row = BY_NAME[operation]
    path = row.path.replace("<payment_id>", made["payment_id"])
    reply = api.call(row.method, path, {**CHANGES[operation], name: "other_1"})
    assert (reply.status, reply.error["fields"][0]["field"]) == (400, name), reply.raw
    assert api.get(f"/payments/{made['payment_id']}").json == made
    same = api.call(row.method, path, {**CHANGES[operation], name: made[name]})
    assert same.status == 200, same.raw


UPI = {"upi_collect": {"vpa_id": "jane@bank"}, "upi_intent": {}}


@pytest.mark.parametrize(("page", "over_after_s"), [(0, None), (60_000, 60), (900_000, 300)])
@pytest.mark.parametrize("type_", UPI)
def test_the_setting_for_pages_is_also_that_of_an_app(type_: str, page: int, over_after_s: int | None) -> None:
    clock = ManualClock()
    api = wire(clock=clock, page_expiry=page)
    data = {"payment_method": "upi", "payment_method_type": type_, "payment_method_data": {"upi": {type_: UPI[type_]}}}
    asked = {**BARE, "currency": "INR", "confirm": True, **data}
    made = api.post("/payments", asked, X_Sandbox_Outcome="requires_action").json
    path = f"/payments/{made['payment_id']}"
    for seconds in (59, 1, 239, 1, 400 * 24 * 3600):
        clock.advance(seconds * 1000)
        now_s = clock.now_ms() // 1000 - START_S
        is_over = over_after_s is not None and now_s >= over_after_s
        assert api.get(path)["status"] == ("expired" if is_over else "requires_action")


START_S = ManualClock().now_ms() // 1000


BOUND = re.compile(r"(start|end|created|received)_|limit|offset|order$|_(after|before|gte?|lte?)$")
"""The names of what limits a list, of which a second value would be passed over."""
SINGLE = [
    (row, name)
    for row in (BY_NAME["payments.list"], BY_NAME["refunds.list"], BY_NAME["customers.list"])
    if row.takes[1] is not None
    for name, field in row.takes[1].of(INTERFACE).schema.load_fields.items()
    if not isinstance(field, ObjectOf) and (BOUND.search(name) or not isinstance(field, Items))
]  # a query cannot say an object at all


@pytest.mark.parametrize(("row", "name"), SINGLE, ids=[f"{row.name}-{name}" for row, name in SINGLE])
def test_a_parameter_of_one_value_is_sent_once(api: Wire, row: Operation, name: str) -> None:
    """It was a list to the field, which then said that a number must be one."""
    reply = api.get(f"/{row.name.replace('.', '/')}?{name}=1&{name}=1")
    assert (reply.status, reply.error["fields"][0]) == (400, {"field": name, "message": "is sent more than once"})


@pytest.mark.parametrize("name", sorted(name for name, row in BY_NAME.items() if "list" in name or "aggregate" in name))
def test_a_bound_is_no_list(name: str) -> None:
    shapes = [takes.of(INTERFACE) for takes in BY_NAME[name].takes if takes is not None]
    fields = [field for shape in shapes if hasattr(shape, "schema") for field in shape.schema.load_fields.items()]
    assert [name for name, field in fields if BOUND.search(name) and isinstance(field, Items)] == []
