"""Rules and assertions see the records that a call names, in its path, its body or its answer, whatever the call."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from tests.clocks import ManualClock
from tests.routes.good import caller, good
from tests.wire import Wire, wire

ROOTS: Final = {"payment_id": "payment", "refund_id": "refund", "dispute_id": "dispute", "customer_id": "customer"}
NAMING: Final = [row for row in OPERATIONS if any(f"<{key}>" in row.path for key in ROOTS)]
MADE: Final = [row for row in OPERATIONS if row.name in ("payments.create", "refunds.create", "customers.create")]
ELSEWHERE: Final = ("accounts.create", "accounts.delete")
"""Calls that are in another workspace's journal."""


@pytest.fixture
def api() -> Wire:
    return wire(clock=ManualClock())


def turned_on(api: Wire, **scenario: Any) -> None:
    assert api.put("/_sandbox/scenarios/seen", {"name": "seen", **scenario}).status < 300
    assert api.post("/_sandbox/scenarios/seen/activate").status < 300


@pytest.mark.parametrize("row", NAMING, ids=lambda row: row.name)
def test_a_rule_of_the_connection_sees_what_the_path_names(api: Wire, row: Operation) -> None:
    call = good(api, row)
    key = next(key for key in ROOTS if f"<{key}>" in row.path)
    then = {"error": {"code": "HE_00", "status": 599}}
    turned_on(api, rules=[{"on": row.name, "when": {f"{ROOTS[key]}.{key}": call.ids[key]}, "then": then}])
    assert call.sent(caller(api, row), row).status == 599


@pytest.mark.parametrize("row", [*NAMING, *MADE], ids=lambda row: row.name)
def test_an_assertion_sees_what_the_call_named_or_made(api: Wire, row: Operation) -> None:
    call = good(api, row)
    paths = [f"{root}.{key}" for key, root in ROOTS.items() if f"<{key}>" in row.path or row.name == f"{root}s.create"]
    turned_on(api, expect=[{"calls": {"on": row.name, path: {"exists": True}}, "exactly": 1} for path in paths])
    assert call.sent(caller(api, row), row).status < 300
    assert [one["holds"] for one in api.post("/_sandbox/scenarios/seen/check").json["expect"]] == [True] * len(paths)


@pytest.mark.parametrize(
    "row", [row for row in OPERATIONS if row.changes and row.name not in ELSEWHERE], ids=lambda row: row.name
)
def test_a_repeated_call_is_about_the_same_payment(api: Wire, row: Operation) -> None:
    call = good(api, row)
    call.headers = {**call.headers, "X_Idempotency_Key": "again"}
    for _ in range(2):
        assert call.sent(caller(api, row), row).status < 300
    seen = api.get("/_sandbox/journal?limit=100").json["data"]
    first, again = [one for one in seen if one["operation"] == row.name][-2:]
    assert (first["replayed"], again["replayed"]) == (False, True)
    assert first["payment_id"] == again["payment_id"]
