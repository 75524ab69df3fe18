"""Who names what is not there gets advice that helps: another key only where the key decides what is there."""

from __future__ import annotations

from typing import Final

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operation import PARTS, Operation
from mock_server.domain.errors import Cause
from tests.wire import Wire, wire

MISTYPED: Final = "lost_responce"
NAMED: Final = [
    row
    for row in CONTROL_OPERATIONS
    if "_id>" in row.path or "<name>" in row.path
    if Cause.OBJECT_UNKNOWN in row.errors
]
BODIES: Final = {
    "control.authenticate": {"result": "approved"}, "control.settle": {"as": "succeeded"},
    "control.fail": {"decline": "generic_decline"}, "control.expire": {"what": "customer"},
    "control.settle_refund": {"as": "succeeded"},
}  # fmt: skip


@pytest.fixture(scope="module")
def api() -> Wire:
    return wire()


@pytest.mark.parametrize("row", NAMED, ids=lambda row: row.name)
def test_the_advice_for_an_unknown_name(api: Wire, row: Operation) -> None:
    body = BODIES.get(row.name, {}) if row.method == "POST" else None
    reply = api.call(row.method, PARTS.sub(MISTYPED, row.path), body)
    assert reply.status == 404, reply.raw
    said = reply["error"]["message"]
    lists = "snapshots" if "/snapshots/" in row.path else "scenarios" if "/scenarios/" in row.path else ""
    assert (f"GET /_sandbox/{lists} lists them" in said) is bool(lists), said
    assert ("api-key" in said) is (not lists), said
    assert MISTYPED in said
