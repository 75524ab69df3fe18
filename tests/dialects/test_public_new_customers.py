"""A customer whom a payment brings is the one that a call of its own would create, whatever the payment says of it."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final

import pytest

from tests.dialects.public_values import SCHEMAS, parts, value
from tests.wire import Wire

MEMBERS: Final = [name for name in parts(SCHEMAS["CustomerDetails"])[0] if name != "id"]


def shown(api: Wire, customer_id: str) -> Any:
    found = api.get(f"/customers/{customer_id}").json
    return {name: one for name, one in found.items() if name not in ("customer_id", "created_at")}


@pytest.mark.parametrize("names", [*combinations(MEMBERS, 1), tuple(MEMBERS)], ids="+".join)
def test_a_payments_customer_is_as_one_of_its_own(api: Wire, names: tuple[str, ...]) -> None:
    said = {name: value(parts(SCHEMAS["CustomerDetails"])[0][name], name, whole=True) for name in names}
    own, brought = (f"{start}_{'_'.join(names)}"[:64] for start in ("own", "brought"))
    assert api.post("/customers", {"customer_id": own, **said}).status == 200
    made = api.post("/payments", {"amount": 1, "currency": "USD", "customer": {"id": brought, **said}})
    assert made.status == 200
    assert shown(api, brought) == shown(api, own)
    assert {**shown(api, own), **said} == shown(api, own)


def test_an_unknown_connector_account_is_named(api: Wire) -> None:
    merchant = api.post("/payments", {"amount": 1, "currency": "USD"})["merchant_id"]
    reply = api.get(f"/account/{merchant}/connectors/mca_nobody")
    assert (reply.status, reply.error["code"], reply.error["reason"]) == (404, "HE_02", "mca_nobody")
