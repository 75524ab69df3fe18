"""A client that sends an idempotency key with every call gets the same exports as one that sends none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from tests.api.money_places import fine
from tests.routes.good import caller, good
from tests.wire import Wire, wire

OF_PAYMENTS: Final = ("payments.", "refunds.", "disputes.")
OF_NONE: Final = (".list", ".filter", ".aggregate")
"""Calls about no payment in particular."""
UPLOADED: Final = "disputes.delete_evidence"
"""What it deletes is a file, and an export has none."""
ROWS: Final = [
    row for row in OPERATIONS
    if row.name.startswith(OF_PAYMENTS) and not row.name.endswith(OF_NONE) and row.name != UPLOADED
]  # fmt: skip
KEY: Final = {"X-Idempotency-Key": "order-1001"}


@pytest.fixture(scope="module")
def server() -> Wire:
    return wire(rate_limit=10**9)


def said(api: Wire, row: Operation, **headers: str) -> Iterator[str]:
    """The verdict on the export of each payment after a call."""
    fine(api.post("/_sandbox/clock/freeze"))
    call = good(api, row)
    call.headers = {**call.headers, **headers}
    fine(call.sent(caller(api, row), row))
    for payment in fine(api.get("/_sandbox/records/payments"))["data"]:
        path = f"/_sandbox/payments/{payment['payment_id']}/export"
        yield fine(api.get(path, Accept="application/json")).headers["X-Sandbox-Verified"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name}-{row.method}")
def test_a_key_is_exported_where_it_means_something(row: Operation, server: Wire) -> None:
    plain, keyed = (server.as_key(f"snd_{how}_{ROWS.index(row):06}") for how in ("plain", "keyed"))
    without = [*said(plain, row)]
    assert without and all(one.startswith("verified") for one in without)
    assert [*said(keyed, row, **KEY)] == without
