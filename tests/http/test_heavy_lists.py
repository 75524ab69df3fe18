"""A list of large records leaves the server's loop before it does anything, and is the same as a list on the loop."""

from __future__ import annotations

from typing import Any, Final, cast

import pytest
from flask import Flask

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS, may_take_long
from mock_server.engine.kinds import EVENTS, PAYMENTS
from mock_server.store.space import HEAVY
from tests.loop import Loop
from tests.wire import Reply, Wire, card_payment, wire

LARGE: Final[dict[str, Any]] = {**card_payment(), "confirm": True, "connector_metadata": {"text": "x" * 600_000}}
ONCE: Final = {
    "version": 1,
    "name": "once",
    "rules": [{"on": "*", "times": 1, "then": {"delay": "1ms", "headers": {"X-Ruled": "yes"}}}],
}
LARGE_KINDS: Final = (PAYMENTS.name, EVENTS.name)
"""Payments, and what shares their bytes."""
ROWS: Final = [row for row in OPERATIONS if row.lists in LARGE_KINDS and not may_take_long(row.path)]


def seen(reply: Reply) -> tuple[int, bytes, dict[str, str]]:
    return reply.status, reply.raw, {name: value for name, value in reply.headers.items() if name != "X-Request-Id"}


@pytest.fixture(scope="module")
def servers() -> tuple[Wire, Wire]:
    """Two with the same payments and the same scenario, which applies to one call."""
    pair = wire(rate_limit=1000), wire(rate_limit=1000)
    for api in pair:
        for _ in range(HEAVY // 600_000 + 1):
            assert api.post("/payments", LARGE).status == 200
        assert api.put("/_sandbox/scenarios/once", ONCE).status == 200
    return pair


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_list_of_large_records_is_made_on_a_thread(row: Operation, servers: tuple[Wire, Wire]) -> None:
    plain, other = servers
    loop = Loop(other.app)
    for api in (plain, other):
        api.post("/_sandbox/scenarios/once/activate")
    there = Wire(cast(Flask, loop), other.sandbox, other.key)
    path = row.path.replace("<merchant_id>", plain.sandbox.workspaces()[0].merchant_id)
    mine, theirs = (api.call(row.method, path, {} if row.method == "POST" else None) for api in (plain, there))
    assert loop.has_left
    assert seen(theirs) == seen(mine)
    assert mine.headers["X-Ruled"] == "yes"
