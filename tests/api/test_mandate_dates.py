"""A mandate that would end before it starts can never be charged, and is refused wherever it can be sent."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.wire import card_payment, wire

DATES: Final = {
    None: 0,
    "2026-03-01T00:00:00Z": 1,
    "2026-03-01T00:00:00.001Z": 2,
    "2026-03-01T01:00:00+01:00": 1,
}
"""Instants, and which comes first: two are the same."""
OPERATIONS: Final = ("payments.create", "payments.update", "payments.replace", "payments.confirm")


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("kind", ["single_use", "multi_use"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_dates_in_the_wrong_order_are_refused(name: str, kind: str, dialect: Dialect) -> None:
    api, row = wire(dialect=dialect), BY_NAME[name]
    for start, end in product(DATES, DATES):
        limits: dict[str, Any] = {"amount": 10_000, "currency": "USD", "start_date": start, "end_date": end}
        agreed = {"mandate_type": {kind: limits}, "customer_acceptance": {"acceptance_type": "offline"}}
        own = {"customer_id": "cus_ada", "setup_future_usage": "off_session", "mandate_data": agreed}
        made = api.post("/payments", card_payment())["payment_id"]
        path = row.path.replace("<payment_id>", made)
        reply = api.call(row.method, path, {**card_payment(), **own, "confirm": name == "payments.create"})
        if start and end and DATES[start] > DATES[end]:
            assert (reply.status, reply.error["code"]) == (400, "IR_16"), (limits, reply.raw)
            assert kind in reply.error["message"]
        else:
            assert reply.status == 200, (limits, reply.raw)
