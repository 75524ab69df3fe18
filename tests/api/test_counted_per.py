"""`per: payment` and `per: customer` on every call that names one: each payment and each customer is counted alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest

from mock_server.contract.operation import PARTS, Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.api_keys import KeyKind
from mock_server.scenario.story.requests import card_fields
from tests.clocks import ManualClock
from tests.wire import Wire, wire

OWN: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "payments.create": (("payment_id",), ("customer_id", "customer.id")),
    "payments.list": ((), ("customer_id",)),
    "refunds.create": (("payment_id",), ("payment_id",)),
    "customers.create": ((), ("customer_id",)),
    "disputes.submit_evidence": (("dispute_id",), ("dispute_id",)),
}
"""Calls whose body names a payment or a customer, alone or by what belongs to it, with the fields that do."""


def cases() -> list[Any]:
    """Each call with each way to name what is counted: `path`, or a field of the body."""
    found = []
    for row in OPERATIONS:
        parts = PARTS.findall(row.path)
        by_path = parts[:1] if parts[:1] in (["payment_id"], ["customer_id"], ["refund_id"], ["dispute_id"]) else []
        for at, per in enumerate(("payment", "customer")):
            named = [name for name in by_path if per == "customer" or name != "customer_id"]
            named += OWN.get(row.name, ((), ()))[at]
            if KeyKind.SECRET in row.keys and len(parts) < 2:
                found += [
                    pytest.param(row, per, name, id=f"{row.method} {row.name} per {per} by {name}") for name in named
                ]
    return found


@pytest.fixture(scope="module")
def shop() -> tuple[Wire, Mapping[str, list[str]]]:
    """Two customers with a payment, a refund and a dispute each: their ids by the name of the field."""
    api = wire(clock=ManualClock())
    for number in (1, 2):
        body = {"payment_id": f"pay_{number}", "customer_id": f"cus_{number}", "amount": 900, "currency": "EUR"}
        body |= {"confirm": True, "profile_id": "pro_shop", **card_fields("visa_success", {})}
        assert api.post("/payments", body)["status"] == "succeeded"
        api.post("/refunds", {"payment_id": f"pay_{number}", "amount": 100, "refund_id": f"ref_{number}"})
        assert api.post(f"/_sandbox/payments/pay_{number}/dispute", {}).status == 200
    paid = [api.get(f"/payments/pay_{number}").json for number in (1, 2)]
    ids = {name: [f"{name[:3]}_{number}" for number in (1, 2)] for name in ("payment_id", "customer_id", "refund_id")}
    return api, {**ids, "dispute_id": [one["disputes"][0]["dispute_id"] for one in paid]}


@pytest.mark.parametrize(("row", "per", "named"), cases())
def test_each_is_counted_alone(
    shop: tuple[Wire, Mapping[str, list[str]]], row: Operation, per: str, named: str
) -> None:
    api, ids = shop
    api.put(
        "/_sandbox/scenarios/once", {"rules": [{"on": row.name, "per": per, "times": 1, "then": {"error": "HE_00"}}]}
    )
    api.post("/_sandbox/scenarios/once/activate")
    answered = []
    new = ["new_1", "new_2"] if f"{per}s.create" == row.name else []
    for own in new or ids["customer_id" if named == "customer.id" else named]:
        head, dot, tail = named.partition(".")
        body = None if row.method == "GET" else {} if f"<{named}>" in row.path else {head: {tail: own} if dot else own}
        path = PARTS.sub(own, row.path) + (f"?{named}={own}" if row.method == "GET" and "<" not in row.path else "")
        answered.append(api.call(row.method, path, body).json.get("error", {}).get("code"))
    assert answered == ["HE_00", "HE_00"]
